import { DAY_MS, type Database, Prisma, utcDay } from "@diegetic/database";
import type { MoneyCommands } from "@diegetic/hot-state";
import { forEachLimited } from "../loops/for-each.ts";
import { walletPages, wholeOutbox } from "../loops/pages.ts";

/** Time after midnight in which the last impressions of a day reach Postgres. */
const COMPLETE_AFTER_MS = 60 * 60 * 1_000;
const MAX_CONCURRENT_CHECKS = 8;
/** After a longer interruption, earlier days are not announced. */
const MAX_DAYS = 31;

export interface PayoutParts {
  database: Database;
  money: Pick<MoneyCommands, "listOutbox">;
  signal: AbortSignal;
}

/**
 * Records `payout.figures_ready` for each UTC day and month, from an hour after its end, once all impressions of the
 * account are written: a record that cannot be written delays only the account that earns from it.
 */
export async function announcePayouts(parts: PayoutParts & { nowMs: number }): Promise<void> {
  const { database, nowMs } = parts;
  const settledMs = nowMs - COMPLETE_AFTER_MS;
  const endMs = Math.floor(settledMs / DAY_MS) * DAY_MS;
  const lastMs = endMs - DAY_MS;
  const days = await missingDays(database, lastMs);
  if (days.length === 0) return;
  const oldestMs = await oldestUnwritten(parts, endMs);
  if (oldestMs === undefined) return;
  const unwrittenIn = (period: string) => {
    const periodEndMs = periodEnd(period);
    return [...oldestMs].filter(([, ms]) => ms < periodEndMs).map(([accountId]) => accountId);
  };
  for (const day of days) {
    // The first day of a month completes the month before.
    if (day.endsWith("-01")) await announce(database, monthBefore(day), unwrittenIn(monthBefore(day)));
    await announce(database, day, unwrittenIn(day));
  }
  const next = utcDay(endMs);
  if (next.endsWith("-01")) await announce(database, monthBefore(next), unwrittenIn(monthBefore(next)));
}

/** Records what `announcePayouts` delayed. Reads every outbox while a record cannot be written: call it rarely. */
export async function announceDelayedPayouts(parts: PayoutParts): Promise<void> {
  const { database } = parts;
  const delayed = await database.delayedPayoutFigures.findMany();
  if (delayed.length === 0) return;
  const oldestMs = await oldestUnwritten(parts, Math.max(...delayed.map(({ period }) => periodEnd(period))));
  if (oldestMs === undefined) return;
  for (const { period, accountId } of delayed) {
    const waitsSinceMs = oldestMs.get(accountId) ?? Number.POSITIVE_INFINITY;
    if (waitsSinceMs >= periodEnd(period)) await announceDelayed(database, period, accountId);
  }
}

/**
 * By developer account, when its oldest impression in an outbox from before `endMs` was recorded, Unix ms. Reads every
 * outbox: when the due index names it next says nothing of its age. Undefined: aborted.
 */
async function oldestUnwritten(
  { database, money, signal }: PayoutParts,
  endMs: number,
): Promise<Map<string, number> | undefined> {
  const oldestMs = new Map<string, number>();
  const check = async (walletId: string) => {
    for await (const { items } of wholeOutbox(money, walletId)) {
      if (signal.aborted) return;
      for (const { match, recorded_at_ms: recordedAtMs } of items) {
        if (recordedAtMs >= endMs) continue;
        const { developer_account_id: accountId } = match;
        oldestMs.set(accountId, Math.min(recordedAtMs, oldestMs.get(accountId) ?? Number.POSITIVE_INFINITY));
      }
    }
  };
  for await (const page of walletPages(database)) {
    await forEachLimited(page, MAX_CONCURRENT_CHECKS, check);
    if (signal.aborted) return undefined;
  }
  return oldestMs;
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

/** The month that ends before the first day of a month. */
function monthBefore(firstDay: string): string {
  return utcDay(Date.parse(firstDay) - DAY_MS).slice(0, 7);
}

/** @param period a UTC day or month */
function boundsOf(period: string): { from: string; to: string } {
  if (period.length > 7) return { from: period, to: period };
  const [year, month] = period.split("-").map(Number);
  return { from: `${period}-01`, to: utcDay(Date.UTC(year ?? 0, month ?? 0, 0)) };
}

function periodEnd(period: string): number {
  return Date.parse(boundsOf(period).to) + DAY_MS;
}

/** Does nothing if the period was announced before. The `unwritten` accounts are announced later. */
async function announce(database: Database, period: string, unwritten: readonly string[]): Promise<void> {
  await database.$queryRaw`
    WITH claimed AS (
      INSERT INTO payout_periods (period) VALUES (${period}) ON CONFLICT DO NOTHING RETURNING period
    ), listeners AS (
      SELECT DISTINCT account_id, account_id = ANY(${unwritten}::text[]) AS is_delayed FROM claimed, webhooks
      WHERE is_active AND 'payout.figures_ready' = ANY(events)
    ), delayed AS (
      INSERT INTO delayed_payout_figures (period, account_id)
      SELECT ${period}, account_id FROM listeners WHERE is_delayed
    ), ready AS (SELECT account_id FROM listeners WHERE NOT is_delayed)
    ${recordFigures(period)}`;
}

async function announceDelayed(database: Database, period: string, accountId: string): Promise<void> {
  await database.$queryRaw`
    WITH ready AS (
      DELETE FROM delayed_payout_figures WHERE period = ${period} AND account_id = ${accountId} RETURNING account_id
    ) ${recordFigures(period)}`;
}

/** The rest of a statement that begins with `ready`, the accounts. */
function recordFigures(period: string): Prisma.Sql {
  const { from, to } = boundsOf(period);
  return Prisma.sql`
    SELECT record_webhook_event(account_id, 'payout.figures_ready', json_build_object('period', ${period}::text,
      'from', ${from}::text, 'to', ${to}::text, 'impressions', impressions, 'earned_microcents', earned))
    FROM (
      SELECT r.account_id, sum(r.impressions) AS impressions, sum(r.earning_microcents) AS earned
      FROM ready JOIN game_rollups r USING (account_id)
      WHERE r.day BETWEEN ${from}::date AND ${to}::date GROUP BY r.account_id
    ) AS figures`;
}
