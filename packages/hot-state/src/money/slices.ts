import type { Millicents } from "@diegetic/money";
import { requireDay, requireInteger, requirePlainName } from "../arguments.ts";
import type { RedisConnection } from "../connection.ts";
import { MAX_WALLET_SLICES, walletIdOf, walletKeys } from "../keys.ts";
import { type ReplyReader, UnexpectedReply } from "../reply.ts";
import { defineScript } from "../script.ts";
import type { CampaignSettings } from "./campaign-state.ts";
import { type RefusalLasts, readLasts } from "./refusals.ts";

/** What a slice has spent of a campaign and was granted in all, since the wallet was restored (lua/include/slice.lua). */
export interface SliceReport {
  epoch: number;
  /** Of two reports of an epoch the one with the larger number is newer. */
  seq: number;
  /** Grants made under an earlier revision are void. */
  revision: number;
  grantedMillicents: Millicents;
  spentMillicents: Millicents;
  heldMillicents: Millicents;
  impressions: number;
  /** The UTC day (YYYY-MM-DD) that `daySpentMillicents` was spent on. */
  day: string;
  daySpentMillicents: Millicents;
}

/** Names a campaign of an advertiser whose wallet has slices. */
export interface SlicedCampaign {
  advertiserId: string;
  campaignId: string;
}

/** Names a slice's campaign: slice 1 to 63. */
export interface SliceReference extends SlicedCampaign {
  slice: number;
}

/** What a slice knows of a campaign besides its money. */
export type SliceCampaign = Pick<CampaignSettings, "version" | "status">;

/** More money for all that the slice spends of a campaign. */
export interface Grant {
  epoch: number;
  revision: number;
  /** In all since the wallet was restored. */
  grantedMillicents: Millicents;
  /** The UTC day (YYYY-MM-DD) whose daily cap it counts for. */
  day: string;
  /** The slice's part of what the campaign has left, of which one developer may hold half. */
  partLeftMillicents: Millicents;
}

const GRANT_REFUSALS = ["balance", "budget", "daily_cap"] as const;
export interface GrantRefusal {
  reason: (typeof GRANT_REFUSALS)[number];
  lasts: RefusalLasts;
  /** How much more would have to be free. */
  missingMillicents: Millicents;
  /** How much of that only the campaign can give, because its budget or daily cap lacks it. */
  missingInCampaignMillicents: Millicents;
}

export type GrantResult =
  | { outcome: "granted"; grant: Grant }
  | ({ outcome: "refused" } & GrantRefusal)
  /** By how much what is spent and held exceeds limits. */
  | { outcome: "reported"; excessMillicents: Millicents }
  | { outcome: "stale" | "unknown_wallet" };

const ACCEPT_CODES = ["accepted", "void"] as const;
const GRANT_CODES = ["granted", "refused", "reported", "stale", "unknown_wallet"] as const;

/**
 * What is taken back of what a slice was granted and has not spent. `unused`: what open holds need stays. An amount, at most: open
 * holds that it takes the money of cannot be charged until money is granted again.
 */
export type TakenPart = "nothing" | "unused" | Millicents;

/** What a slice asks for with its report. */
interface AskedMoney {
  /** The least that is of use. */
  neededMillicents: Millicents;
  /** How much is asked for in all: less is granted where little is left. */
  wantedMillicents: Millicents;
  /** Of the match that needs it; 0: none, it is only a report. */
  priceMillicents: Millicents;
  /** The match has an open hold, which counts already. */
  isHeld: boolean;
}

/** What the advertiser's own wallet knows of a slice. */
export interface KnownGrant {
  spentMillicents: Millicents;
  /** What the slice may still spend, at most. */
  outstandingMillicents: Millicents;
  /** What its open holds need beyond that. */
  lackedMillicents: Millicents;
}

function keysOf({ advertiserId, campaignId, slice }: SliceReference): [string, string] {
  requirePlainName("advertiserId", advertiserId);
  requirePlainName("campaignId", campaignId);
  const walletId = walletIdOf(advertiserId, requireInteger("slice", slice, 1, MAX_WALLET_SLICES - 1));
  return [walletKeys.account(walletId), walletKeys.campaign(walletId, campaignId)];
}

function readReport(fields: ReplyReader): SliceReport | null {
  if (fields.text(0) === "unknown_wallet") return null;
  return {
    epoch: fields.integer(0),
    seq: fields.integer(1),
    revision: fields.integer(2),
    grantedMillicents: fields.integer(3),
    spentMillicents: fields.integer(4),
    heldMillicents: fields.integer(5),
    impressions: fields.integer(6),
    day: fields.text(7),
    daySpentMillicents: fields.integer(8),
  };
}

export type SliceCommands = ReturnType<typeof createSliceCommands>;

/** The scripts of a sliced wallet; each changes one wallet. */
export function createSliceCommands(redis: RedisConnection) {
  const takeBack = defineScript(redis, "take_back", 2);
  const grant = defineScript(redis, "grant", 4);
  const acceptGrant = defineScript(redis, "accept_grant", 2);
  const applySlice = defineScript(redis, "apply_slice", 2);
  return {
    /** What the slice has to report after that. Null: it lacks the campaign, or must be restored first. */
    async takeBack(reference: SliceReference, part: TakenPart): Promise<SliceReport | null> {
      return readReport(await takeBack(...keysOf(reference), part));
    },
    /**
     * Writes a campaign's status to the slice, takes back what is unused, and creates the campaign if the slice lacks it.
     * Idempotent. Null: the slice must be restored first.
     */
    async applySlice(
      reference: SliceReference,
      { version, status }: SliceCampaign,
    ): Promise<SliceReport | null> {
      return readReport(
        await applySlice(...keysOf(reference), requireInteger("version", version, 0), status),
      );
    },
    /** Reports to the advertiser's own wallet, and asks it for money. An older report changes nothing. */
    async grant(
      { advertiserId, campaignId, slice }: SliceReference,
      report: SliceReport,
      { neededMillicents, wantedMillicents, priceMillicents, isHeld }: AskedMoney,
    ): Promise<GrantResult> {
      const reply = await grant(
        walletKeys.account(requirePlainName("advertiserId", advertiserId)),
        walletKeys.campaign(advertiserId, requirePlainName("campaignId", campaignId)),
        walletKeys.grants(advertiserId, campaignId),
        walletKeys.granted(advertiserId),
        campaignId,
        requireInteger("slice", slice, 1, MAX_WALLET_SLICES - 1),
        report.epoch,
        report.seq,
        report.revision,
        report.grantedMillicents,
        report.spentMillicents,
        report.heldMillicents,
        report.impressions,
        report.day,
        report.daySpentMillicents,
        requireInteger("neededMillicents", neededMillicents, 0),
        requireInteger("wantedMillicents", wantedMillicents, neededMillicents),
        requireInteger("priceMillicents", priceMillicents, 0),
        isHeld ? "1" : "",
      );
      const outcome = reply.code(0, GRANT_CODES);
      if (outcome === "granted") {
        const [revision, grantedMillicents] = [reply.integer(1), reply.integer(2)];
        const [day, partLeftMillicents] = [requireDay(reply.text(3)), reply.integer(4)];
        return {
          outcome,
          grant: { epoch: report.epoch, revision, grantedMillicents, day, partLeftMillicents },
        };
      }
      if (outcome === "refused") {
        const reason = reply.code(1, GRANT_REFUSALS);
        const [missingMillicents, missingInCampaignMillicents] = [reply.integer(3), reply.integer(4)];
        return {
          outcome,
          reason,
          lasts: readLasts(reply, 2),
          missingMillicents,
          missingInCampaignMillicents,
        };
      }
      return outcome === "reported" ? { outcome, excessMillicents: reply.integer(1) } : { outcome };
    },
    /** The campaigns for which slices of the wallet have money. */
    listGranted: (advertiserId: string): Promise<string[]> =>
      redis.smembers(walletKeys.granted(advertiserId)),
    /** Some of them, at random. */
    sampleGranted: (advertiserId: string, count: number): Promise<string[]> =>
      redis.srandmember(walletKeys.granted(advertiserId), count),
    /** What the advertiser's own wallet knows of its slices, by slice: without those that never asked for money. */
    async listGrants(advertiserId: string, campaignId: string): Promise<Map<number, KnownGrant>> {
      const grants = await redis.hgetall(walletKeys.grants(advertiserId, campaignId));
      return new Map(
        Object.entries(grants).map(([slice, text]) => {
          const [, , granted, spent, held] = text.split("|").map(Number);
          if (granted === undefined || spent === undefined || held === undefined) {
            throw new UnexpectedReply("hgetall", text);
          }
          const outstandingMillicents = granted - spent;
          const lackedMillicents = Math.max(held - outstandingMillicents, 0);
          return [Number(slice), { spentMillicents: spent, outstandingMillicents, lackedMillicents }];
        }),
      );
    },
    /** Idempotent. `void`: the slice was restored, or has returned grants, since the grant was made. */
    async acceptGrant(reference: SliceReference, grant: Grant): Promise<"accepted" | "void"> {
      const { epoch, revision, grantedMillicents, day, partLeftMillicents } = grant;
      const values = [epoch, revision, grantedMillicents, day, partLeftMillicents];
      return (await acceptGrant(...keysOf(reference), ...values)).code(0, ACCEPT_CODES);
    },
  };
}
