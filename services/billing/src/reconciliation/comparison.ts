import { setTimeout as sleep } from "node:timers/promises";

/** Two balances that must agree. */
export interface Pair {
  /** Owner of the balances: an identifier, with a qualifier if it owns several. */
  subject: string;
  relation: "equal" | "at most";
  expected: bigint;
  found: bigint;
}

export function equal(subject: string, expected: bigint | number, found: bigint | number): Pair {
  return { subject, relation: "equal", expected: BigInt(expected), found: BigInt(found) };
}

export function atMost(subject: string, limit: bigint | number, found: bigint | number): Pair {
  return { subject, relation: "at most", expected: BigInt(limit), found: BigInt(found) };
}

/** Declares a check once: its name in metrics and logs, its sentence in reports, and the query that finds its pairs. */
export interface Check<Query> {
  name: string;
  /** `late`: work that is overdue and may still complete. `money`: sums that must agree even after a crash. */
  kind: "money" | "late";
  what: string;
  query: Query;
}

export function moneyCheck<Query>(name: string, what: string, query: Query): Check<Query> {
  return { name, kind: "money", what, query };
}

export function lateCheck<Query>(name: string, what: string, query: Query): Check<Query> {
  return { name, kind: "late", what, query };
}

/** A query of balances that are read already. */
export type PairsOf<Balances> = (balances: Balances) => Pair | readonly Pair[];

/** A pair of a check. */
export interface Comparison extends Pair {
  check: string;
  kind: "money" | "late";
  what: string;
  /** What to read again when they differ: an account, an advertiser, or all of an inspection without them. */
  owner: string;
  /** Number of pairs that these sums cover. */
  pairs: number;
  /** Whether `found` is a number of differing pairs that are not listed one by one. */
  isUnlisted: boolean;
}

export function comparisonOf(
  { name, kind, what }: Check<unknown>,
  pair: Pair,
  { owner = "", pairs = 1, isUnlisted = false } = {},
): Comparison {
  return { ...pair, check: name, kind, what, owner, pairs, isUnlisted };
}

/** Makes all checks of one owner's balances. @param owner default: `inspectionOf` sets it */
export function compare<Balances>(
  checks: readonly Check<PairsOf<Balances>>[],
  balances: Balances,
  owner = "",
): Comparison[] {
  return checks.flatMap((check) =>
    [check.query(balances)].flat().map((pair) => comparisonOf(check, pair, { owner })),
  );
}

function differs({ relation, expected, found }: Comparison): boolean {
  return relation === "equal" ? found !== expected : found > expected;
}

/** Number of differences that these findings stand for. */
export function countDifferences(findings: Iterable<Comparison>): number {
  let count = 0;
  for (const { isUnlisted, found } of findings) count += isUnlisted ? Number(found) : 1;
  return count;
}

/** Stable name of a comparison: the same two balances have the same name in every read. */
export function nameOf({ check, subject }: Comparison): string {
  return `${check} ${subject}`;
}

/** Result of one read. */
export interface Reading {
  comparisons: Comparison[];
  /** Owners with something that could not be compared, because it kept changing or is too large. */
  notCompared: string[];
}

/** A bounded part of the stores that is read at once. */
export interface Inspection {
  /** By which it can be divided. */
  owners: readonly string[];
  /** @param owners read only these; undefined: the whole part */
  read: (owners?: ReadonlySet<string>) => Promise<Reading>;
}

/**
 * An inspection of what belongs to no advertiser or developer. Always compares everything.
 * @param name its owner: the failure of one such inspection must not keep the findings of others
 */
export function inspectionOf(name: string, read: () => Promise<Comparison[]>): Inspection {
  return {
    owners: [name],
    read: async () => {
      const comparisons = await read();
      return { comparisons: comparisons.map((one) => ({ ...one, owner: name })), notCompared: [] };
    },
  };
}

/** An inspection of a page of owners. */
export function pageInspection(
  owners: readonly string[],
  read: (owners: readonly string[]) => Promise<Reading>,
): Inspection {
  return { owners, read: (wanted) => read(owners.filter((owner) => wanted?.has(owner) ?? true)) };
}

export function idsOf(page: readonly { id: string }[]): string[] {
  return page.map(({ id }) => id);
}

/** Makes all checks of each row. */
export function readingOf<Row extends { id: string }>(
  checks: readonly Check<PairsOf<Row>>[],
  rows: readonly Row[],
): Reading {
  return { comparisons: rows.flatMap((row) => compare(checks, row, row.id)), notCompared: [] };
}

/** Divides an inspection into two smaller ones. Empty: it has a single owner. */
export function halvesOf({ owners, read }: Inspection): Inspection[] {
  if (owners.length <= 1) return [];
  const middle = Math.ceil(owners.length / 2);
  return [owners.slice(0, middle), owners.slice(middle)].map((half) =>
    pageInspection(half, (wanted) => read(new Set(wanted))),
  );
}

export interface Inspected extends Reading {
  /** What differed in every read. */
  findings: Comparison[];
}

/**
 * Reads once, then reads again what differs: the stores are read one after the other, so an impression in transit seems
 * missing. Only what differs every time is a finding.
 * @param pausesMs before each repeated read
 */
export async function inspect(
  inspection: Inspection,
  pausesMs: readonly number[],
  signal?: AbortSignal,
): Promise<Inspected> {
  const first = await inspection.read();
  const latest = new Map(first.comparisons.map((comparison) => [nameOf(comparison), comparison]));
  let notCompared = first.notCompared;
  let suspects = first.comparisons.filter(differs);
  for (const pauseMs of pausesMs) {
    if (suspects.length === 0 && notCompared.length === 0) break;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal?.aborted) break;
    const owners = new Set([...suspects.map(({ owner }) => owner), ...notCompared]);
    const again = await inspection.read(owners);
    for (const suspect of suspects) latest.delete(nameOf(suspect));
    for (const comparison of again.comparisons) latest.set(nameOf(comparison), comparison);
    const stillDiffer = new Map(
      again.comparisons.filter(differs).map((comparison) => [nameOf(comparison), comparison]),
    );
    // What could not be compared before has to be read again.
    const unseen = new Set(notCompared);
    const names = new Set(suspects.map(nameOf));
    suspects = [...stillDiffer.values()].filter(
      (comparison) => names.has(nameOf(comparison)) || unseen.has(comparison.owner),
    );
    notCompared = again.notCompared;
  }
  return { comparisons: [...latest.values()], findings: suspects, notCompared };
}
