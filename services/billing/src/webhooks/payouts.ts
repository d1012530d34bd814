import { type Database, utcDay } from "@diegetic/database";
import type { MoneyCommands } from "@diegetic/hot-state";
import { forEachLimited } from "../loops/for-each.ts";
import { advertiserPages } from "../loops/pages.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Time after midnight in which the last impressions of a day reach Postgres. */
const COMPLETE_AFTER_MS = 60 * 60 * 1_000;
const ADVERTISERS_PER_PAGE = 500;
const CHECKED_AT_A_TIME = 8;
const RECORDS_PER_PAGE = 500;
/** After a longer interruption, earlier days are not announced. */
const MAX_DAYS = 31;

export interface PayoutParts {
  database: Database;
  money: Pick<MoneyCommands, "listOutbox">;
  nowMs: () => number;
  signal: AbortSignal;
}

/** Records `payout.figures_ready` for each UTC day and month, from an hour after its end, once all its impressions are written. */
export async function announcePayouts(parts: PayoutParts): Promise<void> {
  const { database, nowMs } = parts;
  const settledMs = nowMs() - COMPLETE_AFTER_MS;
  const endMs = Math.floor(settledMs / DAY_MS) * DAY_MS;
  const lastMs = endMs - DAY_MS;
  const days = await missingDays(database, lastMs);
  if (days.length === 0) return;
  if (await isAnyUnwritten(parts, endMs)) return;
  for (const day of days) {
    // The first day of a month completes the month before.
    if (day.endsWith("-01")) await announceMonthBefore(database, day);
    await announce(database, day, day, day);
  }
  const next = utcDay(endMs);
  if (next.endsWith("-01")) await announceMonthBefore(database, next);
}

/**
 * Whether an outbox has an impression from before `endMs`. Looks at every outbox: when the due index names it next says
 * nothing of its age. True when it was aborted.
 */
async function isAnyUnwritten({ database, money, signal }: PayoutParts, endMs: number): Promise<boolean> {
  let isFound = false;
  const check = async ({ id }: { id: string }) => {
    let cursor: string | undefined;
    while (!isFound && !signal.aborted) {
      const { items, cursor: next } = await money.listOutbox(id, RECORDS_PER_PAGE, cursor);
      isFound ||= items.some(({ recorded_at_ms: recordedAtMs }) => recordedAtMs < endMs);
      if (next === null) break;
      cursor = next;
    }
  };
  for await (const page of advertiserPages(database, ADVERTISERS_PER_PAGE)) {
    if (isFound || signal.aborted) return true;
    await forEachLimited(page, CHECKED_AT_A_TIME, check);
  }
  return isFound || signal.aborted;
}

/** Complete days after the last announced one, the oldest first; only the last complete day if there is none. */
async function missingDays(database: Database, lastMs: number): Promise<string[]> {
  const [{ last }] = await database.$queryRaw<[{ last: string | null }]>`
    SELECT max(period) AS last FROM payout_periods WHERE length(period) = 10`;
  const days: string[] = [];
  for (let ms = lastMs; days.length < MAX_DAYS; ms -= DAY_MS) {
    const day = utcDay(ms);
    if (last !== null && day <= last) break;
    days.unshift(day);
    if (last === null) break;
  }
  return days;
}

async function announceMonthBefore(database: Database, firstDay: string): Promise<void> {
  const lastDay = utcDay(Date.parse(`${firstDay}T00:00:00Z`) - DAY_MS);
  await announce(database, lastDay.slice(0, 7), `${lastDay.slice(0, 7)}-01`, lastDay);
}

/** Does nothing if the period was announced before. */
async function announce(database: Database, period: string, from: string, to: string): Promise<void> {
  await database.$queryRaw`
    WITH claimed AS (
      INSERT INTO payout_periods (period) VALUES (${period}) ON CONFLICT DO NOTHING RETURNING period
    ), figures AS (
      SELECT r.account_id, sum(r.impressions) AS impressions, sum(r.earning_microcents) AS earned
      FROM claimed, game_rollups r
      WHERE r.day BETWEEN ${from}::date AND ${to}::date AND r.account_id IN (
        SELECT account_id FROM webhooks WHERE is_active AND 'payout.figures_ready' = ANY(events))
      GROUP BY r.account_id
    )
    SELECT record_webhook_event(account_id, 'payout.figures_ready', json_build_object('period', ${period}::text,
      'from', ${from}::text, 'to', ${to}::text, 'impressions', impressions, 'earned_microcents', earned))
    FROM figures`;
}
