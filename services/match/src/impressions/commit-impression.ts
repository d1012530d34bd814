import {
  type CommitRequest,
  type CommitResult,
  isRedisUnavailable,
  lacksMoney,
  type NeededMoney,
  walletIdOf,
} from "@diegetic/hot-state";
import { unavailable } from "@diegetic/service-kit";
import type { MatchDependencies } from "../match/dependencies.ts";
import type { ImpressionBatcher } from "./impression-batcher.ts";

/** A committed impression that is not in Postgres after this time is queued again. */
const OUTBOX_DUE_MS = 5_000;

export const NO_MATCH: CommitResult = { outcome: "refused", reason: "no_match" };

export interface CommitDependencies
  extends Pick<MatchDependencies, "catalog" | "money" | "grants" | "due" | "logger" | "nowMs"> {
  batcher: ImpressionBatcher;
}

/** The same in each slice. */
export type ImpressionCommit = Omit<CommitRequest, "slice" | "nowMs">;

/**
 * Charges in the slice that has the match. Without a match id that names it, in the first slice with a match; with an
 * Idempotency-Key in the slice that its operation has charged, if any: the claim of the key may be lost. Should two
 * requests of an operation charge in two slices after all, billing writes one of them (ADR 12).
 */
export async function commitImpression(
  dependencies: CommitDependencies,
  request: ImpressionCommit,
): Promise<CommitResult> {
  const carried = request.carried?.facts.wallet_slice ?? 0;
  // The slice of the match may be one that this instance does not know yet.
  const slices = Math.max(dependencies.catalog.walletSlices(request.advertiserId), carried + 1);
  if (slices === 1) return commitIn(dependencies, request, 0);
  if (request.carried) return commitWithMoney(dependencies, request, carried);
  const charged = request.isKeyed ? await dependencies.money.sliceOfOperation({ ...request, slices }) : null;
  if (charged !== null) return commitWithMoney(dependencies, request, charged);
  return commitInFirst(dependencies, request, slices);
}

/** Charges in the first slice with a match; where no slice charges one, gets money for the match that needs the least. */
async function commitInFirst(
  dependencies: CommitDependencies,
  request: ImpressionCommit,
  slices: number,
): Promise<CommitResult> {
  let lacking: { slice: number; needed: NeededMoney | undefined } | null = null;
  for (let slice = 0; slice < slices; slice += 1) {
    const result = await commitIn(dependencies, request, slice);
    if (result.outcome === "charged") return result;
    const { reason, lacks: needed } = result;
    if (reason === "no_match") continue;
    if (!lacksMoney(result)) return result;
    if (lacking === null || needsLess(needed, lacking.needed)) lacking = { slice, needed };
  }
  return lacking === null ? NO_MATCH : commitWithMoney(dependencies, request, lacking.slice);
}

/**
 * Where the match that needs the least gets no money, no other does. Undefined: a match of the advertiser's own wallet, which gets
 * no grants.
 */
function needsLess(one: NeededMoney | undefined, other: NeededMoney | undefined): boolean {
  if (one === undefined || other === undefined) return one !== undefined;
  return one.isHeld === other.isHeld ? one.priceMillicents < other.priceMillicents : one.isHeld;
}

/** Charges in a slice, which gets money from the advertiser's own wallet where it has too little. */
async function commitWithMoney(
  dependencies: CommitDependencies,
  request: ImpressionCommit,
  slice: number,
): Promise<CommitResult> {
  const result = await dependencies.grants.commitWithMoney(request, slice, () =>
    commitIn(dependencies, request, slice),
  );
  if (result !== "contended") return result;
  throw unavailable("Other requests need the last money of the campaign at this moment: try again.");
}

async function commitIn(
  dependencies: CommitDependencies,
  request: ImpressionCommit,
  slice: number,
): Promise<CommitResult> {
  const [result] = await Promise.all([
    charge(dependencies, request, slice),
    registerOutbox(dependencies, walletIdOf(request.advertiserId, slice)),
  ]);
  return result;
}

/**
 * Registers when billing must look for the record. An outage of the index only delays the answer: a client that got 503 may
 * repeat the request without a match id, and pay twice. Billing walks through all outboxes, too.
 */
async function registerOutbox({ due, nowMs, logger }: CommitDependencies, walletId: string): Promise<void> {
  try {
    await due.register("outbox", walletId, nowMs() + OUTBOX_DUE_MS);
  } catch (error) {
    if (!isRedisUnavailable(error)) throw error;
    logger.debug({ err: error }, "outbox may be visited late");
  }
}

/** Every charge is handed over to billing, even if a later step fails and the response is not 201. */
async function charge(
  { money, batcher, nowMs }: CommitDependencies,
  request: ImpressionCommit,
  slice: number,
): Promise<CommitResult> {
  const result = await money.commit({ slice, nowMs: nowMs(), ...request });
  if (result.outcome === "charged" && !result.replay) batcher.add(result.record);
  return result;
}
