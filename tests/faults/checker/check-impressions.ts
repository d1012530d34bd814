import { derivedId } from "@diegetic/contracts";
import { jsonSha256 } from "@diegetic/service-kit";
import { bodyOf, type History, type ImpressionOperation, isUnknown } from "../history.ts";
import type { Aftermath } from "./aftermath.ts";
import { type Check, CheckBuilder } from "./report.ts";

export interface ImpressionRow {
  impression_id: string;
  match_id: string;
  campaign_id: string;
  creative_id: string;
  game_id: string;
  developer_account_id: string;
  price_millicents: string;
  /** Null: recorded with a match id, or without an Idempotency-Key. */
  operation_id: string | null;
  recorded_at_ms: string;
}

/** Lifetime of an Idempotency-Key: a later impression is another operation. */
const OPERATION_MS = 24 * 60 * 60 * 1_000;

/** Compares what clients were answered about impressions with Postgres (invariants 1 and 4). */
export function checkImpressions(
  history: History,
  rows: readonly ImpressionRow[],
  { quarantine }: Aftermath,
): Check[] {
  return [
    answeredOnce(history, rows, quarantine),
    answersAgree(history, rows),
    chargedOncePerMatch(rows),
    billedOncePerOperation(history, rows),
    nothingUnattempted(history, rows),
  ];
}

function answeredOnce(
  history: History,
  rows: readonly ImpressionRow[],
  quarantine: ReadonlySet<string>,
): Check {
  const check = new CheckBuilder("every 201 is in Postgres exactly once, with what it said");
  const byId = groupBy(rows, (row) => row.impression_id);
  for (const operation of history.impressions) {
    for (const { impressionId, chargedMillicents } of operation.answers) {
      const found = byId.get(impressionId) ?? [];
      const isExcused = history.lostImpressionIds.has(impressionId) || quarantine.has(impressionId);
      if (found.length === 0 && isExcused) continue;
      const [row] = found;
      const isTrue =
        found.length === 1 &&
        row !== undefined &&
        row.campaign_id === operation.campaignId &&
        row.creative_id === operation.creativeId &&
        row.game_id === operation.gameId &&
        Number(row.price_millicents) === chargedMillicents &&
        (operation.matchId === null || row.match_id === matchName(operation.matchId));
      check.expect(isTrue, () => `${impressionId} of ${describe(operation)}: ${JSON.stringify(found)}`);
    }
  }
  return check.end();
}

function answersAgree(history: History, rows: readonly ImpressionRow[]): Check {
  const check = new CheckBuilder("a retry is answered with the first record");
  const billed = new Map(rows.map((row) => [row.impression_id, row]));
  for (const operation of history.impressions) {
    const repeatable = operation.matchId !== null || operation.idempotencyKey !== null;
    if (!repeatable || operation.answers.length === 0) continue;
    const ids = [...new Set(operation.answers.map(({ impressionId }) => impressionId))];
    const agree =
      ids.length === 1 ||
      (isAfterLoss(operation, history) &&
        isBilledOnce(
          operation,
          ids.flatMap((id) => billed.get(id) ?? []),
          history,
        ));
    check.expect(agree, () => {
      const named = ids.map(
        (id) => `${id}${billed.has(id) ? ` (billed for ${billed.get(id)?.operation_id})` : ""}`,
      );
      return `${describe(operation)} was answered ${named.join(", ")}; losses at ${history.lossesMs.join(", ")}`;
    });
    check.expect(!isForgotten(operation, history), () => `${describe(operation)} was refused after its 201`);
  }
  return check.end();
}

/**
 * Whether at most one of the billed impressions with which a retried key was answered is its own. The others must be
 * those of other requests: when Redis lost the first charge, its match was free, so another request may have taken it.
 */
function isBilledOnce(
  operation: ImpressionOperation,
  rows: readonly ImpressionRow[],
  { impressions }: History,
): boolean {
  const others = impressions.filter((other) => other !== operation);
  const ofNobodyElse = rows.filter((row) => !others.some((other) => mayHaveBilled(other, row)));
  return ofNobodyElse.length <= 1 && ofNobodyElse.every((row) => row.operation_id !== null);
}

function mayHaveBilled(operation: ImpressionOperation, row: ImpressionRow): boolean {
  if (operation.matchId !== null) {
    return row.operation_id === null && matchName(operation.matchId) === row.match_id;
  }
  if ((operation.idempotencyKey === null) !== (row.operation_id === null)) return false;
  if (operation.answers.some(({ impressionId }) => impressionId === row.impression_id)) return true;
  const isSameScope =
    scopeOf(operation.campaignId, operation.creativeId, operation.gameId) ===
    scopeOf(row.campaign_id, row.creative_id, row.game_id);
  return isSameScope && operation.attempts.some(isUnknown);
}

/** Whether a retry was refused as unknown although Redis lost nothing, and less than a day passed. */
function isForgotten({ attempts }: ImpressionOperation, { sessionBreaksMs }: History): boolean {
  const first = attempts.find(({ status }) => status === 201);
  if (first === undefined) return false;
  return attempts.some(
    ({ status, startedMs, endedMs }) =>
      status === 409 &&
      startedMs >= first.endedMs &&
      !sessionBreaksMs.some((breakMs) => breakMs > first.startedMs && breakMs < endedMs),
  );
}

/** By which Postgres knows a match: what stands behind it in its id is for the match tier alone. */
function matchName(matchId: string): string {
  return matchId.slice(0, 30);
}

/** A Redis that has lost an Idempotency-Key takes another match for an impression that names none, and answers that. */
function isAfterLoss({ matchId, attempts }: ImpressionOperation, history: History): boolean {
  const answered = attempts.filter(({ status }) => status === 201);
  const [first, last] = [answered[0], answered.at(-1)];
  if (matchId !== null || first === undefined || last === undefined) return false;
  return history.lossesMs.some((lostMs) => lostMs > first.startedMs && lostMs < last.endedMs);
}

function chargedOncePerMatch(rows: readonly ImpressionRow[]): Check {
  const check = new CheckBuilder("exactly one charge per match");
  for (const [matchId, found] of groupBy(rows, (row) => row.match_id)) {
    check.expect(found.length === 1, () => `${matchId} was charged ${found.length} times`);
  }
  return check.end();
}

function billedOncePerOperation(history: History, rows: readonly ImpressionRow[]): Check {
  const check = new CheckBuilder("an operation is billed once, and was requested");
  const keyed = rows.filter((row) => row.operation_id !== null);
  const requested = new Set(
    [...new Set(keyed.map((row) => row.developer_account_id))].flatMap((accountId) =>
      history.impressions
        .filter(({ matchId, idempotencyKey }) => matchId === null && idempotencyKey !== null)
        .map((operation) => operationIdOf(operation, accountId)),
    ),
  );
  for (const [operationId, found] of groupBy(keyed, (row) => row.operation_id ?? "")) {
    const times = found.map((row) => Number(row.recorded_at_ms)).sort((one, other) => one - other);
    const isOnce = times.every((ms, at) => at === 0 || ms - (times[at - 1] ?? 0) >= OPERATION_MS);
    check.expect(
      isOnce && requested.has(operationId),
      () => `${operationId} was billed as ${found.map((row) => row.impression_id).join(", ")}`,
    );
  }
  return check.end();
}

/**
 * A row without an answered client must be what an unanswered attempt may have left. A row with a key names its
 * operation, whose later attempts may have been answered with another impression after Redis had lost data.
 */
function nothingUnattempted(history: History, rows: readonly ImpressionRow[]): Check {
  const check = new CheckBuilder("nothing is in Postgres that was neither answered nor attempted");
  const answered = new Set(
    history.impressions.flatMap(({ answers }) => answers.map(({ impressionId }) => impressionId)),
  );
  const open = history.impressions.filter((operation) => operation.attempts.some(isUnknown));
  const namedMatches = new Set(open.map(({ matchId }) => matchId && matchName(matchId)));
  const keyed = open.filter(({ matchId, idempotencyKey }) => matchId === null && idempotencyKey !== null);
  const anonymous = new Map<string, number>();
  for (const operation of open) {
    if (operation.matchId !== null || operation.idempotencyKey !== null) continue;
    const scope = scopeOf(operation.campaignId, operation.creativeId, operation.gameId);
    anonymous.set(scope, (anonymous.get(scope) ?? 0) + 1);
  }
  const isExplained = (row: ImpressionRow): boolean => {
    if (namedMatches.has(row.match_id)) return true;
    if (row.operation_id !== null) {
      return keyed.some(
        (operation) => operationIdOf(operation, row.developer_account_id) === row.operation_id,
      );
    }
    const scope = scopeOf(row.campaign_id, row.creative_id, row.game_id);
    const room = anonymous.get(scope) ?? 0;
    anonymous.set(scope, room - 1);
    return room > 0;
  };
  for (const row of rows) {
    const isRequested = answered.has(row.impression_id) || isExplained(row);
    check.expect(isRequested, () => `${JSON.stringify(row)} was never requested`);
  }
  return check.end();
}

/** How Postgres names an operation that is identified only by its key. */
export function operationIdOf(operation: ImpressionOperation, accountId: string): string {
  const key = JSON.stringify([accountId, "POST /api/impressions", operation.idempotencyKey]);
  return derivedId("op", `${key} ${jsonSha256(bodyOf(operation))}`);
}

function scopeOf(campaignId: string, creativeId: string, gameId: string): string {
  return `${campaignId} ${creativeId} ${gameId}`;
}

function describe({ matchId, idempotencyKey, attempts }: ImpressionOperation): string {
  return `match ${matchId}, key ${idempotencyKey}, attempts ${JSON.stringify(attempts)}`;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
