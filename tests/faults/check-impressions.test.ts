import { describe, expect, it } from "@jest/globals";
import type { Aftermath } from "./checker/aftermath.ts";
import { checkImpressions, type ImpressionRow, operationIdOf } from "./checker/check-impressions.ts";
import { emptyHistory, type History, type ImpressionOperation } from "./history.ts";

const HOUR_MS = 3_600_000;
const LOST_MS = 1_000;
const NOTHING_QUARANTINED: Aftermath = {
  quarantine: new Set(),
  lateMillicents: new Map(),
  check: { name: "", examined: 0, violations: [] },
};

/** An impression that was answered once before Redis lost data, and the rest of the answers after it. */
function answered(
  [matchId, key]: [string | null, string | null],
  ...impressions: string[]
): ImpressionOperation {
  return {
    campaignId: "camp",
    creativeId: "crt",
    gameId: "game",
    matchId,
    idempotencyKey: key,
    attempts: impressions.map((_, index) => {
      const startedMs = index === 0 ? LOST_MS - 100 : LOST_MS + 100 * index;
      return { startedMs, endedMs: startedMs + 10, keyId: "key", status: 201 };
    }),
    answers: impressions.map((name) => ({ impressionId: `imp_${name}`, chargedMillicents: 2_000 })),
  };
}

/** @param key of the operation that billed it */
function row(name: string, key: string | null, recordedAtMs = 0): ImpressionRow {
  const operation = answered([null, key]);
  return {
    impression_id: `imp_${name}`,
    match_id: `mat_${name}`,
    campaign_id: "camp",
    creative_id: "crt",
    game_id: "game",
    developer_account_id: "acct",
    price_millicents: "2000",
    operation_id: key === null ? null : operationIdOf(operation, "acct"),
    recorded_at_ms: String(recordedAtMs),
  };
}

function violationsOf(
  impressions: ImpressionOperation[],
  rows: ImpressionRow[],
  lossesMs: number[] = [LOST_MS],
): string[] {
  const history: History = { ...emptyHistory(), impressions, lossesMs };
  for (const { answers } of impressions) {
    for (const { impressionId } of answers) history.lostImpressionIds.add(impressionId);
  }
  const checks = checkImpressions(history, rows, NOTHING_QUARANTINED);
  return checks.filter(({ violations }) => violations.length > 0).map(({ name }) => name);
}

const UNATTEMPTED = expect.stringContaining("neither answered nor attempted");
const RETRY = expect.stringContaining("retry");
const ONCE = expect.stringContaining("operation");

describe("an impression that nobody was answered with", () => {
  /** Attempted without an answer, then answered with another impression. */
  const retried = (key: string | null): ImpressionOperation => {
    const operation = answered([null, key], "A", "B");
    const attempts = operation.attempts.map((attempt, index) =>
      index > 0 ? attempt : { ...attempt, status: null },
    );
    return { ...operation, attempts, answers: operation.answers.slice(1) };
  };

  it("is right when it names the key of an attempt without an answer", () => {
    expect(violationsOf([retried("one")], [row("A", "one")])).toEqual([]);
  });

  it("is wrong when it names another key or none, or all attempts were answered", () => {
    expect(violationsOf([retried("one")], [row("A", "two")])).toEqual([ONCE, UNATTEMPTED]);
    expect(violationsOf([retried("one")], [row("A", null)])).toEqual([UNATTEMPTED]);
    const all = answered([null, "one"], "B");
    expect(violationsOf([all], [row("A", "one")])).toEqual([UNATTEMPTED]);
  });

  it("is right once for each attempt without a key or an answer", () => {
    const unknown = { ...retried(null), answers: [] };
    expect(violationsOf([unknown], [row("A", null)])).toEqual([]);
    expect(violationsOf([unknown], [row("A", null), row("B", null)])).toEqual([UNATTEMPTED]);
  });
});

describe("a key that was answered with two impressions, both billed", () => {
  const one = answered([null, "one"], "A", "B");

  it("is right when another key took its first match after the loss", () => {
    const two = answered([null, "two"], "B", "A");
    expect(violationsOf([one, two], [row("A", "two"), row("B", "one")])).toEqual([]);
  });

  it("is right when a request with the id of its first match came after the loss", () => {
    const named = answered(["mat_A", null], "A");
    expect(violationsOf([one, named], [row("A", null), row("B", "one")])).toEqual([]);
  });

  it("is wrong when Redis lost nothing in between", () => {
    const two = answered([null, "two"], "B", "A");
    expect(violationsOf([one, two], [row("A", "two"), row("B", "one")], [])).toEqual([RETRY]);
  });

  it("is wrong when no other request can have taken the first", () => {
    expect(violationsOf([one], [row("A", "other"), row("B", "one")])).toEqual([RETRY, ONCE]);
    expect(violationsOf([one], [row("A", null), row("B", null)])).toEqual([RETRY]);
    const unkeyed = answered([null, null], "C");
    expect(violationsOf([one, unkeyed], [row("A", null), row("B", "one"), row("C", null)])).toEqual([RETRY]);
  });

  it("is wrong when one operation has both, within the lifetime of its key", () => {
    const two = answered([null, "two"], "B", "A");
    const both = (laterMs: number) => [row("A", "one"), row("B", "one", laterMs)];
    expect(violationsOf([one, two], both(24 * HOUR_MS - 1))).toEqual([ONCE]);
    expect(violationsOf([one, two], both(24 * HOUR_MS))).toEqual([]);
    expect(violationsOf([one], both(0))).toEqual([RETRY, ONCE]);
  });
});
