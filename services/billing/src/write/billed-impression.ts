import { type ImpressionRecord, MAX_MATCH_AGE_MS } from "@diegetic/contracts";
import { DAY_MS, utcDay } from "@diegetic/database";
import { earningMicrocents, type Microcents } from "@diegetic/money";

/** A record that cannot be written; retrying does not help. The message is one sentence for an operator. */
export class RecordRefused extends Error {
  override name = "RecordRefused";
}

/**
 * A record whose time is impossible by this process' clock; either clock may be wrong. The record waits in the outbox
 * until the clocks agree. It is never quarantined, because its impression was answered.
 */
export class ClocksDisagree extends Error {
  override name = "ClocksDisagree";
}

/** A record and the values derived from it. */
export interface BilledImpression {
  record: ImpressionRecord;
  /** UTC day on which the charge counts, `YYYY-MM-DD`. */
  day: string;
  /** Other days on which the same impression may be stored; usually none. */
  otherDays: string[];
  /** Unix ms. From the match instance's clock, clamped to the range that Redis' date of the impression allows. */
  matchedAtMs: number;
  earningMicrocents: Microcents;
  /** The affinity score in millionths, so that sums are exact. */
  affinityScoreMillionths: number;
  /** Contribution of each affinity to the score, in millionths; only positive ones. */
  contributionMillionths: Map<string, number>;
}

/** What tells charges apart that have the same impression id: a campaign charges a match once. */
export type ChargedMatch = Pick<ImpressionRecord["match"], "match_id" | "campaign_id">;

export function isSameCharge(one: ChargedMatch, other: ChargedMatch): boolean {
  return one.match_id === other.match_id && one.campaign_id === other.campaign_id;
}

/** A day outside this window would create a partition of its own. */
const MAX_AGE_MS = 400 * DAY_MS;
const MAX_AHEAD_MS = DAY_MS;
/** Tolerance for the clocks of match instances and concurrent writers. */
const MIDNIGHT_MARGIN_MS = 60_000;
const MAX_TEXT_LENGTH = 1_000;
const MAX_SCORE = 100_000;
const MAX_AFFINITIES = 100;
const MAX_VERSION = 2_147_483_647;
const MAX_PRICE_MILLICENTS = 1_000_000_000;

/** Derives a billed impression. Throws RecordRefused for an invalid field, ClocksDisagree when only the time is invalid. */
export function billImpression(record: ImpressionRecord, nowMs: number): BilledImpression {
  const { match } = record;
  if (typeof match !== "object" || match === null) throw new RecordRefused("the record has no match");
  requireText("impression_id", record.impression_id);
  if (record.operation_id !== undefined) requireText("operation_id", record.operation_id);
  requireText("creative_id", record.creative_id);
  for (const field of [
    "match_id",
    "advertiser_id",
    "campaign_id",
    "game_id",
    "developer_account_id",
    "user_hash",
    "session_key",
  ] as const) {
    requireText(field, match[field]);
  }
  if (match.country_code !== null && !/^[A-Z]{2}$/.test(match.country_code)) {
    throw new RecordRefused(`country_code is not two capital letters: ${JSON.stringify(match.country_code)}`);
  }
  const recordedAtMs = record.recorded_at_ms;
  requireInteger("recorded_at_ms", recordedAtMs, 0, Number.MAX_SAFE_INTEGER);
  requireInteger("matched_at_ms", match.matched_at_ms, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  requireInteger("campaign_version", match.campaign_version, 0, MAX_VERSION);
  requireInteger("price_millicents", match.price_millicents, 1, MAX_PRICE_MILLICENTS);
  requireInteger("revenue_share_basis_points", match.revenue_share_basis_points, 0, 10_000);
  const score = match.affinity_score;
  if (!Number.isFinite(score) || score < 0 || score > MAX_SCORE) {
    throw new RecordRefused(`affinity_score is not a number from 0 to ${MAX_SCORE}: ${score}`);
  }
  const contributionMillionths = contributionsOf(match.affinities);
  if (recordedAtMs < nowMs - MAX_AGE_MS || recordedAtMs > nowMs + MAX_AHEAD_MS) {
    throw new ClocksDisagree(`recorded_at_ms is ${recordedAtMs}, and it is ${nowMs} here`);
  }
  const matchedAtMs = Math.min(Math.max(match.matched_at_ms, recordedAtMs - MAX_MATCH_AGE_MS), recordedAtMs);
  return {
    record,
    day: utcDay(recordedAtMs),
    otherDays: otherDays({ matchedAtMs, recordedAtMs, nowMs }),
    matchedAtMs,
    earningMicrocents: earningMicrocents(match.price_millicents, match.revenue_share_basis_points),
    affinityScoreMillionths: Math.round(score * 1_000_000),
    contributionMillionths,
  };
}

/** The days since the match, and those on which it may have been recorded again; usually none but the impression's own. */
function otherDays(at: { matchedAtMs: number; recordedAtMs: number; nowMs: number }): string[] {
  // A clock that is seen to be behind, by more than the margin, does not tell whether the day has ended.
  const isBehind = at.nowMs + MIDNIGHT_MARGIN_MS < at.recordedAtMs;
  const latestMs = isBehind ? at.recordedAtMs + MAX_AHEAD_MS : at.nowMs + MIDNIGHT_MARGIN_MS;
  const untilMs = Math.min(latestMs, at.recordedAtMs + MAX_MATCH_AGE_MS);
  const ownDay = Math.floor(at.recordedAtMs / DAY_MS);
  const days: string[] = [];
  const firstDay = Math.floor((at.matchedAtMs - MIDNIGHT_MARGIN_MS) / DAY_MS);
  for (let day = firstDay; day * DAY_MS <= untilMs; day += 1) {
    if (day !== ownDay) days.push(utcDay(day * DAY_MS));
  }
  return days;
}

function contributionsOf(affinities: ImpressionRecord["match"]["affinities"]): Map<string, number> {
  if (!Array.isArray(affinities) || affinities.length > MAX_AFFINITIES) {
    throw new RecordRefused(`affinities is not a list of at most ${MAX_AFFINITIES} entries`);
  }
  const contributions = new Map<string, number>();
  for (const entry of affinities) {
    requireText("affinity_id", entry?.affinity_id);
    const { affinity_id, contribution } = entry;
    if (!Number.isFinite(contribution) || contribution < 0 || contribution > MAX_SCORE) {
      throw new RecordRefused(`contribution is not a number from 0 to ${MAX_SCORE}: ${contribution}`);
    }
    if (contribution === 0) continue;
    const millionths = Math.round(contribution * 1_000_000);
    contributions.set(affinity_id, (contributions.get(affinity_id) ?? 0) + millionths);
  }
  return contributions;
}

/** Millionths as a decimal number for Postgres. */
export function decimalOfMillionths(millionths: number): string {
  const digits = String(millionths).padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

function requireText(field: string, value: unknown): void {
  if (typeof value !== "string" || value === "" || value.length > MAX_TEXT_LENGTH) {
    throw new RecordRefused(`${field} is not a text of 1 to ${MAX_TEXT_LENGTH} characters`);
  }
  // Postgres would store half a surrogate pair as another character, and the record would not be found again.
  if (!value.isWellFormed()) throw new RecordRefused(`${field} is not well-formed Unicode`);
}

function requireInteger(field: string, value: number, least: number, most: number): void {
  if (!Number.isSafeInteger(value) || value < least || value > most) {
    throw new RecordRefused(`${field} is not a whole number from ${least} to ${most}: ${value}`);
  }
}
