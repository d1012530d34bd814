import { type CampaignIds, CampaignIndex } from "@diegetic/ad-rules";
import { ShardedMap } from "@diegetic/collections";
import {
  SCOPES,
  type SnapshotAdvertiser,
  type SnapshotApiKey,
  type SnapshotCampaign,
  type SnapshotPlacement,
  type SnapshotSession,
} from "@diegetic/contracts";
import type { SnapshotChange } from "@diegetic/hot-state";
import type { ApiKey } from "@diegetic/service-kit";

interface KnownKey {
  key: ApiKey;
  expiresAtMs: number | null;
}

/** What this instance knows of the snapshot, in memory: keys, sessions, placements, advertisers, campaigns in any status. */
export class Catalog {
  /** Answers need what a campaign shows, not whom it targets. */
  readonly index = new CampaignIndex({ keepsTargets: false });
  readonly #placements = new ShardedMap<SnapshotPlacement>();
  readonly #advertiserVersions = new ShardedMap<number>();
  readonly #keys = new ShardedMap<KnownKey>();
  readonly #sessions = new ShardedMap<KnownKey>();

  /** Takes a change as the follower brings it. Entities of a kind that is not known here are left out. */
  apply({ name, json }: SnapshotChange): void {
    const separator = name.indexOf(":");
    const id = name.slice(separator + 1);
    switch (name.slice(0, separator)) {
      case "campaign":
        if (json === null) this.index.remove(id);
        else this.index.upsert(JSON.parse(json) as SnapshotCampaign);
        break;
      case "placement":
        if (json === null) this.#placements.delete(id);
        else this.#placements.set(id, JSON.parse(json) as SnapshotPlacement);
        break;
      case "advertiser":
        if (json === null) this.#advertiserVersions.delete(id);
        else this.#advertiserVersions.set(id, (JSON.parse(json) as SnapshotAdvertiser).version);
        // There may be money again.
        this.index.readmitAdvertiser(id);
        break;
      case "key":
        if (json === null) this.#keys.delete(id);
        else this.#keys.set(id, readKey(JSON.parse(json) as SnapshotApiKey));
        break;
      case "session":
        if (json === null) this.#sessions.delete(id);
        else this.#sessions.set(id, readSession(JSON.parse(json) as SnapshotSession));
        break;
    }
  }

  /** A campaign's advertiser and creatives, whatever its status. */
  campaignIds(campaignId: string): CampaignIds | undefined {
    return this.index.idsOf(campaignId);
  }

  placement(gameId: string): SnapshotPlacement | undefined {
    return this.#placements.get(gameId);
  }

  /** 0: the advertiser is not known. */
  advertiserVersion(advertiserId: string): number {
    return this.#advertiserVersions.get(advertiserId) ?? 0;
  }

  /** The key, unless it is unknown, revoked or has expired. */
  key(sha256Hex: string, nowMs: number): ApiKey | undefined {
    return inForce(this.#keys.get(sha256Hex), nowMs);
  }

  /** The session, unless it is unknown, ended or has expired. */
  session(sha256Hex: string, nowMs: number): ApiKey | undefined {
    return inForce(this.#sessions.get(sha256Hex), nowMs);
  }

  /** How many entities of each kind there are. */
  sizes(): Record<
    "campaigns" | "active_campaigns" | "placements" | "advertisers" | "keys" | "sessions",
    number
  > {
    return {
      campaigns: this.index.size,
      active_campaigns: this.index.activeCount,
      placements: this.#placements.size,
      advertisers: this.#advertiserVersions.size,
      keys: this.#keys.size,
      sessions: this.#sessions.size,
    };
  }
}

function inForce(known: KnownKey | undefined, nowMs: number): ApiKey | undefined {
  if (known === undefined) return undefined;
  return known.expiresAtMs !== null && known.expiresAtMs <= nowMs ? undefined : known.key;
}

function readSession(session: SnapshotSession): KnownKey {
  return {
    key: {
      keyId: session.session_id,
      accountId: session.account_id,
      scopes: SCOPES,
      rateLimitPerMinute: null,
      session: { userId: session.user_id, role: session.role },
    },
    expiresAtMs: session.expires_at_ms,
  };
}

function readKey(key: SnapshotApiKey): KnownKey {
  return {
    key: {
      keyId: key.key_id,
      accountId: key.account_id,
      scopes: key.scopes,
      rateLimitPerMinute: key.rate_limit_per_minute,
    },
    expiresAtMs: key.expires_at_ms,
  };
}
