import { chunks } from "@diegetic/collections";
import {
  requireAtMost,
  requireDay,
  requireInteger,
  requirePlainName,
  requireWalletId,
} from "../arguments.ts";
import type { RedisConnection } from "../connection.ts";
import {
  advertiserOf,
  chargedField,
  MAX_WALLET_SLICES,
  partsOfWalletId,
  walletIdOf,
  walletKeys,
} from "../keys.ts";
import { isRedisUnavailable } from "../redis-unavailable.ts";
import { ReplyReader } from "../reply.ts";
import { defineScript, defineVariadicScript } from "../script.ts";
import { matchKeys, scopeOf } from "./holds.ts";
import {
  type FrozenWallet,
  type RestoredCampaign,
  type RestoreRequest,
  type RestoreSliceRequest,
  SETTLE_CODES,
  type Settlement,
  type UnfrozenWallet,
} from "./recovery-types.ts";
import { settingsArguments, spendingArguments } from "./settings.ts";
import { createSliceReports } from "./slice-reports.ts";
import type { MoneyCommands } from "./types.ts";

const MAX_MARKS = 40_000;
const MARKS_PER_READ = 1_000;
const FREEZE_CODES = ["live", "busy", "ahead", "frozen"] as const;
const RESTORE_CODES = ["restored", "changed"] as const;
/** Twice the limit per advertiser: a wallet with more could not be restored. */
const MAX_CAMPAIGNS = 10_000;

function createFreeze(redis: RedisConnection): MoneyCommands["freezeUnlessLive"] {
  const script = defineScript(redis, "freeze_wallet", 3);
  return async (walletId, epoch, claim): Promise<FrozenWallet | UnfrozenWallet> => {
    const reply = await script(
      walletKeys.account(requireWalletId(walletId)),
      walletKeys.holds(walletId),
      walletKeys.restoring(walletId),
      requireInteger("epoch", epoch, 0),
      claim.by,
      requireInteger("forMs", claim.forMs, 1),
      claim.freezes ?? "",
    );
    const state = reply.code(0, FREEZE_CODES);
    if (state !== "frozen") return { state };
    return {
      state: "frozen",
      replicationId: reply.text(1),
      epoch: reply.text(2),
      seq: reply.text(3),
      spentMillicents: reply.integer(4),
      heldMillicents: reply.integer(5),
      impressions: reply.integer(6),
      day: requireDay(reply.text(7)),
      holdsMillicents: reply.integer(8),
      servedUntilFrozen: reply.text(9) === "1",
    };
  };
}

function restoreArguments(request: RestoreRequest): (string | number)[] {
  const { found, campaigns, settledMarks } = request;
  return [
    found.replicationId,
    found.epoch,
    found.seq,
    request.forgetMatches ? "forget" : "keep",
    requireInteger("epoch", request.epoch, 0),
    requireInteger("version", request.version, 0),
    requireInteger("depositedMillicents", request.depositedMillicents, 0),
    requireInteger("spentMillicents", request.spentMillicents, 0),
    requireInteger("impressions", request.impressions, 0),
    request.slices === null ? "" : requireInteger("slices", request.slices ?? 1, 1, MAX_WALLET_SLICES),
    settledMarks.length,
    ...settledMarks,
    ...campaigns.flatMap((campaign) => [
      ...settingsArguments(campaign),
      ...spendingArguments(campaign),
      ...reservedArguments(campaign.reservedInSlices),
    ]),
  ];
}

function createRestore(redis: RedisConnection): MoneyCommands["restoreWallet"] {
  const script = defineVariadicScript(redis, "restore_wallet");
  return async (request) => {
    const { walletId, campaigns, settledMarks } = request;
    requireAtMost("campaigns", campaigns, MAX_CAMPAIGNS);
    requireAtMost("settledMarks", settledMarks, MAX_MARKS);
    const keys = [
      walletKeys.account(requireWalletId(walletId)),
      walletKeys.holds(walletId),
      walletKeys.settled(walletId),
      walletKeys.restoring(walletId),
      walletKeys.granted(walletId),
      ...campaigns.flatMap(({ campaignId }) => [
        walletKeys.campaign(walletId, requirePlainName("campaignId", campaignId)),
        walletKeys.shares(walletId, campaignId),
        walletKeys.grants(walletId, campaignId),
      ]),
    ];
    const reply = await script({ keys, values: restoreArguments(request) });
    return new ReplyReader("restore_wallet", reply).code(0, RESTORE_CODES);
  };
}

function reservedArguments(reserved: RestoredCampaign["reservedInSlices"] = new Map()): number[] {
  return [
    reserved.size,
    ...[...reserved].flatMap(([slice, { reservedMillicents, heldMillicents }]) => [
      requireInteger("slice", slice, 1, MAX_WALLET_SLICES - 1),
      requireInteger("reservedMillicents", reservedMillicents, 0),
      requireInteger("heldMillicents", heldMillicents, 0),
    ]),
  ];
}

/** A slice has only what the advertiser's own wallet holds for it. */
function restoreRequestOfSlice({
  advertiserId,
  slice,
  campaigns,
  ...request
}: RestoreSliceRequest): RestoreRequest {
  const nothing = { spentMillicents: 0, impressions: 0 };
  return {
    ...request,
    ...nothing,
    walletId: walletIdOf(advertiserId, requireInteger("slice", slice, 1, MAX_WALLET_SLICES - 1)),
    depositedMillicents: Number.MAX_SAFE_INTEGER,
    slices: null,
    campaigns: campaigns.map(({ reservedMillicents, ...campaign }) => ({
      ...campaign,
      ...nothing,
      budgetMillicents: reservedMillicents,
      dailyCapMillicents: null,
      daySpentMillicents: 0,
    })),
  };
}

function createSettle(redis: RedisConnection): MoneyCommands["settle"] {
  const script = defineScript(redis, "settle", 9);
  const reports = createSliceReports(redis);
  return async (settlement: Settlement) => {
    const { walletId, campaignId, gameId } = settlement;
    requireWalletId(walletId);
    requirePlainName("campaignId", campaignId);
    const reply = await script(
      ...matchKeys(walletId, campaignId, gameId),
      walletKeys.settled(walletId),
      walletKeys.charged(walletId, settlement.matchId),
      requireInteger("epoch", settlement.epoch, 0),
      settlement.kind,
      settlement.impressionId,
      settlement.matchId,
      requireInteger("priceMillicents", settlement.priceMillicents, 1),
      requireDay(settlement.day),
      requireInteger("committedInEpoch", settlement.committedInEpoch, 0),
      scopeOf(campaignId, gameId),
      chargedField(settlement.matchId),
      settlement.recordedAtMs ?? "",
    );
    const result = reply.code(0, SETTLE_CODES);
    const slice = partsOfWalletId(walletId)?.slice ?? 0;
    if ((result !== "settled" && result !== "known") || (slice === 0 && reply.integer(1) === 1))
      return result;
    const campaign = { advertiserId: advertiserOf(walletId), campaignId };
    const isReported = await reports.reportSettlement(campaign, slice).catch((error: unknown) => {
      if (isRedisUnavailable(error)) return false;
      throw error;
    });
    return isReported ? result : "stale";
  };
}

function createFindMarks(redis: RedisConnection): MoneyCommands["findSettledMarks"] {
  return async (walletId, marks) => {
    const key = walletKeys.settled(requireWalletId(walletId));
    const found = new Set<string>();
    for (const batch of chunks(marks, MARKS_PER_READ)) {
      const values = await redis.hmget(key, ...batch);
      for (const [index, mark] of batch.entries()) if (values[index] !== null) found.add(mark);
    }
    return found;
  };
}

/** Commands that restore a wallet after Redis may have lost writes, and settle late differences with Postgres. */
export function createRecoveryCommands(redis: RedisConnection) {
  const restoreWallet = createRestore(redis);
  return {
    freezeUnlessLive: createFreeze(redis),
    extendClaims: async (walletIds, forMs) => {
      await Promise.all(walletIds.map((id) => redis.pexpire(walletKeys.restoring(id), forMs)));
    },
    findSettledMarks: createFindMarks(redis),
    restoreWallet,
    restoreSlice: async (request) => await restoreWallet(restoreRequestOfSlice(request)),
    settle: createSettle(redis),
  } satisfies Partial<MoneyCommands>;
}
