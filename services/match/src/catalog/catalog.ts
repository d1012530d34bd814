import { CampaignIndex } from "@diegetic/ad-rules";
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
import type { AccountLimits, Caller, RateLimit } from "@diegetic/service-kit";
import { KnownAccounts } from "./account-limits.ts";

interface KnownCaller {
  caller: Caller;
  expiresAtMs: number | null;
}

/** The snapshot in memory: keys, sessions, placements, advertisers, and campaigns in any status. */
export class Catalog {
  /** Responses need no targets, so the index drops them. */
  readonly index: CampaignIndex;
  readonly #placements = new ShardedMap<SnapshotPlacement>();
  readonly #advertiserVersions = new ShardedMap<number>();
  /** Only of advertisers whose wallet has several. */
  readonly #walletSlices = new Map<string, number>();
  readonly #keys = new ShardedMap<KnownCaller>();
  readonly #sessions = new ShardedMap<KnownCaller>();
  readonly #accounts = new KnownAccounts();

  /** @param hashSeed as for `CampaignIndex` */
  constructor(hashSeed: number) {
    this.index = new CampaignIndex({ hashSeed, keepsTargets: false });
  }

  /** Applies a change from the follower. Ignores entities of unknown kinds. */
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
        this.#applyAdvertiser(id, json === null ? null : (JSON.parse(json) as SnapshotAdvertiser));
        // The new version may have money again.
        this.index.readmitAdvertiser(id);
        break;
      case "key":
        this.#applyCaller(this.#keys, id, json, readKey);
        break;
      case "session":
        this.#applyCaller(this.#sessions, id, json, readSession);
        break;
    }
  }

  placement(gameId: string): SnapshotPlacement | undefined {
    return this.#placements.get(gameId);
  }

  /** 0 for an unknown advertiser. */
  advertiserVersion(advertiserId: string): number {
    return this.#advertiserVersions.get(advertiserId) ?? 0;
  }

  /** Slices of the advertiser's wallet, the advertiser's own included. */
  walletSlices(advertiserId: string): number {
    return this.#walletSlices.get(advertiserId) ?? 1;
  }

  /** The key; undefined if unknown, revoked or expired. */
  key(sha256Hex: string, nowMs: number): Caller | undefined {
    return inForce(this.#keys.get(sha256Hex), nowMs);
  }

  /** The session; undefined if unknown, ended or expired. */
  session(sha256Hex: string, nowMs: number): Caller | undefined {
    return inForce(this.#sessions.get(sha256Hex), nowMs);
  }

  #applyAdvertiser(id: string, advertiser: SnapshotAdvertiser | null): void {
    if (advertiser === null) this.#advertiserVersions.delete(id);
    else this.#advertiserVersions.set(id, advertiser.version);
    const slices = advertiser?.wallet_slices ?? 1;
    if (slices > 1) this.#walletSlices.set(id, slices);
    else this.#walletSlices.delete(id);
  }

  /** Replaces or removes a key or a session. */
  #applyCaller<Entity extends { account_id: string; rate_limit_per_minute?: RateLimit | null }>(
    known: ShardedMap<KnownCaller>,
    sha256Hex: string,
    json: string | null,
    read: (entity: Entity, accountLimits: AccountLimits) => KnownCaller,
  ): void {
    const entity = json === null ? null : (JSON.parse(json) as Entity);
    const before = known.get(sha256Hex);
    if (before !== undefined) this.#accounts.remove(before.caller.accountId, sha256Hex);
    if (entity === null) {
      known.delete(sha256Hex);
      return;
    }
    const own = entity.rate_limit_per_minute;
    const account = this.#accounts.add(entity.account_id, sha256Hex, typeof own === "number" ? own : null);
    known.set(sha256Hex, read(entity, account));
  }

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

function inForce(known: KnownCaller | undefined, nowMs: number): Caller | undefined {
  if (known === undefined) return undefined;
  return known.expiresAtMs !== null && known.expiresAtMs <= nowMs ? undefined : known.caller;
}

function readSession(session: SnapshotSession, accountLimits: AccountLimits): KnownCaller {
  return {
    caller: {
      id: session.session_id,
      accountId: session.account_id,
      scopes: SCOPES,
      rateLimitPerMinute: null,
      rateLimitKeyId: session.session_id,
      accountLimits,
      session: { userId: session.user_id, role: session.role },
    },
    expiresAtMs: session.expires_at_ms,
  };
}

function readKey(key: SnapshotApiKey, accountLimits: AccountLimits): KnownCaller {
  return {
    caller: {
      id: key.key_id,
      accountId: key.account_id,
      scopes: key.scopes,
      rateLimitPerMinute: key.rate_limit_per_minute,
      rateLimitKeyId: key.rate_limit_key_id ?? key.key_id,
      accountLimits,
    },
    expiresAtMs: key.expires_at_ms,
  };
}
