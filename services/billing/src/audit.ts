import { setTimeout as sleep } from "node:timers/promises";
import { createDatabase, installationId } from "@diegetic/database";
import {
  connectRedis,
  createMoneyCommands,
  createWalletReader,
  DueIndex,
  InstallationClaim,
  type MoneyCommands,
  type WalletLimits,
} from "@diegetic/hot-state";
import { type Comparison, countDifferences, type Inspected, inspect } from "./reconciliation/comparison.ts";
import { allInspections } from "./reconciliation/inspections.ts";

export interface AuditOptions {
  databaseUrl: string;
  redisUrl: string;
  /** How long to wait for an empty outbox before the audit begins. */
  quietWithinMs: number;
  /** Pauses before each repeated read of what differs. Milliseconds; default: 0.3, 0.7, 1, 2 and 3 seconds. */
  pausesMs?: readonly number[];
}

export interface AuditReport {
  /** `incomplete`: nothing differs, but a wallet kept changing or is too large. `nothing`: there are no advertisers. */
  verdict: "agrees" | "differs" | "incomplete" | "nothing";
  /** Whether the outbox was empty when the audit began. */
  wasQuiet: boolean;
  lines: SummaryLine[];
  /** At most 200. One may count several differences. */
  findings: Comparison[];
  differences: number;
  /** Advertisers with something that could not be compared; at most 200. */
  notCompared: string[];
}

/** One line of the report: all comparisons of one check. */
export interface SummaryLine {
  check: string;
  what: string;
  compared: number;
  /** Sums over all comparisons; for a limit: what is allowed and what is used. */
  expected: bigint;
  found: bigint;
  differences: number;
}

const PAUSES_MS = [300, 700, 1_000, 2_000, 3_000];
/** Redis is blocked while it adds up holds: 100 000 take about 50 ms. */
const LIMITS: WalletLimits = { holds: 100_000, records: 5_000, lateMs: 60_000 };
const MAX_SESSION_KEYS = 5_000_000;
const STATEMENT_TIMEOUT_MS = 600_000;
const QUIET_CHECK_EVERY_MS = 100;
const MAX_WALLETS_CHECKED = 1_000;
const MAX_FINDINGS = 200;
const MAX_NOT_COMPARED = 200;

/**
 * Compares all of Redis and Postgres with each other; safe during traffic. Rejects when a store is unavailable, and
 * with ForeignRedis when they belong to different installations.
 */
export async function reconcileAll(options: AuditOptions): Promise<AuditReport> {
  const database = createDatabase(options.databaseUrl, {
    applicationName: "audit",
    poolSize: 3,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const redis = connectRedis(options.redisUrl, { name: "audit", commandTimeoutMs: 10_000 });
  try {
    await new InstallationClaim(redis, () => installationId(database)).verify();
    const wasQuiet = await awaitQuiet(createMoneyCommands(redis), new DueIndex(redis), options.quietWithinMs);
    const parts = {
      database,
      redis,
      wallets: createWalletReader(redis),
      limits: LIMITS,
      nowMs: Date.now,
      timeoutMs: STATEMENT_TIMEOUT_MS,
    };
    const summary = new Summary();
    for (const inspections of allInspections(parts, { maxSessionKeys: MAX_SESSION_KEYS })) {
      for await (const inspection of inspections) {
        summary.add(await inspect(inspection, options.pausesMs ?? PAUSES_MS));
      }
    }
    return reportOf(summary, wasQuiet);
  } finally {
    redis.disconnect();
    await database.$disconnect();
  }
}

function reportOf(summary: Summary, wasQuiet: boolean): AuditReport {
  const isEmpty = !summary.lines.some(({ check }) => check === "deposit_rows");
  const agreement = summary.notCompared.size > 0 ? "incomplete" : "agrees";
  const undisturbed = isEmpty ? "nothing" : agreement;
  return {
    verdict: summary.differences > 0 ? "differs" : undisturbed,
    wasQuiet,
    lines: summary.lines,
    findings: summary.findings,
    differences: summary.differences,
    notCompared: [...summary.notCompared],
  };
}

/** Waits until the outbox is empty. False: traffic continued until the time limit. */
async function awaitQuiet(
  money: Pick<MoneyCommands, "listOutbox">,
  due: Pick<DueIndex, "registered">,
  withinMs: number,
): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    let waiting = false;
    for (const { walletId } of await due.registered("outbox", MAX_WALLETS_CHECKED)) {
      const { items, damaged } = await money.listOutbox(walletId, 1);
      waiting = items.length + damaged.length > 0;
      if (waiting) break;
    }
    if (!waiting) return true;
    if (performance.now() >= deadline) return false;
    await sleep(QUIET_CHECK_EVERY_MS);
  }
}

/** Adds up inspections in bounded memory. */
export class Summary {
  readonly #lines = new Map<string, SummaryLine>();
  readonly findings: Comparison[] = [];
  readonly notCompared = new Set<string>();
  differences = 0;

  add({ comparisons, findings, notCompared }: Inspected): void {
    for (const comparison of comparisons) {
      const line = this.#line(comparison);
      line.compared += comparison.pairs;
      if (comparison.isUnlisted) continue;
      line.expected += comparison.expected;
      line.found += comparison.found;
    }
    for (const finding of findings) {
      const differences = countDifferences([finding]);
      this.#line(finding).differences += differences;
      this.differences += differences;
      if (this.findings.length < MAX_FINDINGS) this.findings.push(finding);
    }
    for (const owner of notCompared)
      if (this.notCompared.size < MAX_NOT_COMPARED) this.notCompared.add(owner);
  }

  /** The checks that ran, in the order in which they ran first. */
  get lines(): SummaryLine[] {
    return [...this.#lines.values()];
  }

  #line({ check, what }: Comparison): SummaryLine {
    const known = this.#lines.get(check);
    if (known !== undefined) return known;
    const line = { check, what, compared: 0, expected: 0n, found: 0n, differences: 0 };
    this.#lines.set(check, line);
    return line;
  }
}
