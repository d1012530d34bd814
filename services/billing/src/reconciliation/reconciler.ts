import { setTimeout as sleep } from "node:timers/promises";
import type { ReconciliationReport, RedisConnection } from "@diegetic/hot-state";
import type { Logger } from "@diegetic/service-kit";
import type { BillingMeasures } from "../measures.ts";
import { type AccountParts, advertiserInspections, developerInspections } from "./accounts.ts";
import { type Comparison, countDifferences, type Inspection, inspect, nameOf } from "./comparison.ts";
import { dayInspections, daysLookedAt, memberInspections } from "./member-checks.ts";
import { sessionInspections, snapshotInspections } from "./snapshot.ts";
import { upkeepInspection } from "./upkeep-checks.ts";
import { wholeInspections } from "./whole-checks.ts";

export interface ReconcilerParts extends AccountParts {
  redis: RedisConnection;
  measures: Pick<
    BillingMeasures,
    "reconciliationDifferences" | "reconciliationCompared" | "reconciliationNotCompared"
  >;
  logger: Logger;
  /** Minimum pause between two inspections. */
  pauseMs: number;
  /** Pause after an inspection, as a multiple of its duration: reads stay in the background. */
  restFactor: number;
  /** Pauses before each repeated read of what differs. */
  againAfterMs: readonly number[];
}

/** Maximum keys, of any kind, to scan for player sessions; the audit covers the rest. */
const MAX_SESSION_KEYS = 100_000;
/** With more impressions, checks that need all of them are left to the audit. */
const MAX_IMPRESSIONS = 2_000_000;
const MAX_PAUSE_MS = 60_000;
const MAX_REMEMBERED = 1_000;
const MAX_REPORTED = 50;

/**
 * Compares all stores continuously, page by page. Logs each difference when it is found in every read, and again when
 * it is resolved; metrics count the differences of each check.
 */
export class Reconciler {
  readonly #parts: ReconcilerParts;
  /** Current findings, by name, with the cycle in which they were last seen. */
  readonly #findings = new Map<string, { finding: Comparison; cycle: number }>();
  readonly #compared = new Set<string>();
  #cycle = 0;
  #finishedAtMs: number | null = null;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  /** Inspects everything once. Rejects when a store is unavailable; the next call starts again. */
  async cycle(signal: AbortSignal): Promise<void> {
    const { pauseMs, restFactor } = this.#parts;
    for await (const inspection of this.#inspections()) {
      if (signal.aborted) return;
      const startedMs = performance.now();
      await this.#inspect(inspection, signal);
      const restMs = Math.min(MAX_PAUSE_MS, restFactor * (performance.now() - startedMs));
      await sleep(Math.max(pauseMs, restMs), undefined, { signal }).catch(() => undefined);
    }
    if (signal.aborted) return;
    this.#forgetGone();
    this.#finishedAtMs = this.#parts.nowMs();
  }

  /** What the last looks found, for the operator. */
  report(): ReconciliationReport {
    // Quarantined records are listed by themselves, and are gone from there as soon as they are resolved.
    const findings = [...this.#findings.values()]
      .map(({ finding }) => finding)
      .filter(({ check }) => check !== "quarantined");
    return {
      finishedAtMs: this.#finishedAtMs,
      differences: countDifferences(findings),
      listed: findings
        .slice(0, MAX_REPORTED)
        .map(({ check, what, kind, subject, relation, expected, found }) => ({
          check,
          what,
          kind,
          subject,
          expected: relation === "equal" ? String(expected) : `at most ${expected}`,
          found: String(found),
        })),
    };
  }

  async *#inspections(): AsyncGenerator<Inspection> {
    const { database, redis, nowMs, timeoutMs } = this.#parts;
    yield upkeepInspection(database, nowMs, timeoutMs);
    yield* advertiserInspections(this.#parts);
    yield* developerInspections(database);
    yield* snapshotInspections(database, redis);
    yield* sessionInspections(database, redis, MAX_SESSION_KEYS);
    yield* dayInspections(database, nowMs, timeoutMs);
    const recentDays = daysLookedAt(nowMs());
    yield* memberInspections(database, timeoutMs, { maxRows: MAX_IMPRESSIONS, exceptDays: recentDays });
    yield* wholeInspections(database, timeoutMs, MAX_IMPRESSIONS);
  }

  async #inspect(inspection: Inspection, signal: AbortSignal): Promise<void> {
    const { measures, againAfterMs } = this.#parts;
    const { comparisons, findings, notCompared } = await inspect(inspection, againAfterMs, signal);
    if (signal.aborted) return;
    measures.reconciliationCompared.inc(comparisons.length);
    measures.reconciliationNotCompared.inc(notCompared.length);
    for (const { check } of comparisons) this.#compared.add(check);
    for (const finding of findings) this.#record(finding);
    this.#show();
  }

  #record(finding: Comparison): void {
    const name = nameOf(finding);
    if (!this.#findings.has(name)) {
      if (this.#findings.size >= MAX_REMEMBERED) return;
      this.#log(finding);
    }
    this.#findings.set(name, { finding, cycle: this.#cycle });
  }

  #log({ check, kind, what, subject, relation, expected, found }: Comparison): void {
    const facts = { check, what, subject, relation, expected: String(expected), found: String(found) };
    this.#parts.logger[kind === "money" ? "error" : "warn"](facts, "reconciliation difference found");
  }

  /** Drops the findings that this cycle has not seen. */
  #forgetGone(): void {
    for (const [name, { finding, cycle }] of this.#findings) {
      if (cycle === this.#cycle) continue;
      this.#findings.delete(name);
      const { check, subject } = finding;
      this.#parts.logger.info({ check, subject }, "reconciliation difference resolved");
    }
    this.#cycle += 1;
    this.#show();
  }

  #show(): void {
    const counts = new Map<string, number>();
    for (const { finding } of this.#findings.values()) {
      counts.set(finding.check, (counts.get(finding.check) ?? 0) + countDifferences([finding]));
    }
    for (const check of this.#compared) {
      this.#parts.measures.reconciliationDifferences.set({ check }, counts.get(check) ?? 0);
    }
  }
}
