import { setTimeout as sleep } from "node:timers/promises";
import { isDatabaseUnreachable } from "@diegetic/database";
import { isRedisUnavailable, type ReconciliationReport } from "@diegetic/hot-state";
import { type Logger, OutageLog } from "@diegetic/service-kit";
import type { BillingMeasures } from "../measures.ts";
import {
  type Comparison,
  countDifferences,
  halvesOf,
  type Inspection,
  inspect,
  nameOf,
} from "./comparison.ts";
import { allInspections, type InspectionParts } from "./inspections.ts";
import { recentDays } from "./member-checks.ts";

export interface ReconcilerParts extends InspectionParts {
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

/** The audit covers the rest. */
const LIMITS = { maxSessionKeys: 100_000, maxRows: 2_000_000 };
const MAX_PAUSE_MS = 60_000;
const MAX_REMEMBERED = 1_000;
const MAX_REPORTED = 50;
const MAX_LOGGED_OWNERS = 10;
/** Owner of a failure to list what to inspect. */
const LISTING = "listing";

/**
 * Compares all stores continuously, page by page. Logs each difference when it is found in every read, and again when
 * it is resolved; metrics count the differences of each check.
 */
export class Reconciler {
  readonly #parts: ReconcilerParts;
  /** Current findings, by name, with the cycle in which they were last seen. */
  readonly #findings = new Map<string, { finding: Comparison; cycle: number }>();
  /** Checks, with the cycle that last compared them: one that became too large is left out. */
  readonly #compared = new Map<string, number>();
  readonly #failures: OutageLog;
  /** Owners whose inspection failed in this cycle. */
  readonly #failed = new Set<string>();
  /** This cycle could not list what to inspect. */
  #isIncomplete = false;
  #cycle = 0;
  #finishedAtMs: number | null = null;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
    this.#failures = new OutageLog(parts.logger, {
      failing: "reconciliation could not compare everything",
      recovered: "reconciliation compares everything again",
    });
  }

  /**
   * Inspects everything once. An inspection that fails does not keep the others from being compared. Rejects when a store
   * is unavailable; the next call starts again.
   */
  async cycle(signal: AbortSignal): Promise<void> {
    this.#failed.clear();
    this.#isIncomplete = false;
    const singleDays = recentDays(this.#parts.nowMs());
    for (const inspections of allInspections(this.#parts, { ...LIMITS, singleDays })) {
      try {
        for await (const inspection of inspections) {
          await this.#inspectOrHalve(inspection, signal);
          if (signal.aborted) return;
        }
      } catch (error) {
        this.#isIncomplete = true;
        this.#giveUp([LISTING], error);
      }
    }
    if (this.#failed.size === 0) this.#failures.succeeded();
    this.#forgetGone();
    this.#finishedAtMs = this.#parts.nowMs();
  }

  /** What the last inspections found, for the operator. */
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

  /** Inspects, then rests. One that fails is repeated in halves, down to one owner. */
  async #inspectOrHalve(inspection: Inspection, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { pauseMs, restFactor } = this.#parts;
    const startedMs = performance.now();
    let halves: Inspection[] = [];
    try {
      await this.#inspect(inspection, signal);
    } catch (error) {
      // Its statement may have been cancelled.
      if (signal.aborted) return;
      if (!isStoreUnreachable(error)) halves = halvesOf(inspection);
      if (halves.length === 0) this.#giveUp(inspection.owners, error);
    }
    const restMs = Math.min(MAX_PAUSE_MS, restFactor * (performance.now() - startedMs));
    await sleep(Math.max(pauseMs, restMs), undefined, { signal }).catch(() => undefined);
    for (const half of halves) await this.#inspectOrHalve(half, signal);
  }

  /** Throws the error when a store is unavailable: then nothing can be compared. */
  #giveUp(owners: readonly string[], error: unknown): void {
    if (isStoreUnreachable(error)) throw error;
    for (const owner of owners) this.#failed.add(owner);
    this.#parts.measures.reconciliationNotCompared.inc(owners.length);
    this.#failures.failed(error, { owners: owners.slice(0, MAX_LOGGED_OWNERS) });
  }

  async #inspect(inspection: Inspection, signal: AbortSignal): Promise<void> {
    const { measures, againAfterMs } = this.#parts;
    const { comparisons, findings, notCompared } = await inspect(inspection, againAfterMs, signal);
    if (signal.aborted) return;
    measures.reconciliationCompared.inc(comparisons.length);
    measures.reconciliationNotCompared.inc(notCompared.length);
    for (const { check } of comparisons) this.#compared.set(check, this.#cycle);
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

  /** Drops the findings that this cycle has not seen, unless it could not look for them. */
  #forgetGone(): void {
    for (const [name, { finding, cycle }] of this.#findings) {
      const { check, subject, owner } = finding;
      if (cycle === this.#cycle || this.#isIncomplete || this.#failed.has(owner)) continue;
      if (this.#compared.get(check) !== this.#cycle) continue;
      this.#findings.delete(name);
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
    for (const check of this.#compared.keys()) {
      this.#parts.measures.reconciliationDifferences.set({ check }, counts.get(check) ?? 0);
    }
  }
}

function isStoreUnreachable(error: unknown): boolean {
  return isDatabaseUnreachable(error) || isRedisUnavailable(error);
}
