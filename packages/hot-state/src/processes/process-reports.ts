import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { RedisConnection } from "../connection.ts";
import { MAX_WALLET_SLICES, processKeys } from "../keys.ts";
import type { RecentCounts } from "../traffic/recent-calls.ts";

const REPORT_EVERY_MS = 2_000;
/** How long reports of crashed processes stay visible. */
const KEPT_MS = 3_600_000;
const SILENT_AFTER_MS = 10_000;

/** A difference between two balances that should agree. Amounts are texts: they may exceed JSON numbers. */
export interface ReportedDifference {
  check: string;
  /** What was compared, for people. */
  what: string;
  /** `late`: work is overdue. `money`: balances that must always agree. */
  kind: "money" | "late";
  subject: string;
  expected: string;
  found: string;
}

export interface ReconciliationReport {
  /** End of the last complete reconciliation, Unix milliseconds; null: none yet. */
  finishedAtMs: number | null;
  differences: number;
  /** The first differences. */
  listed: ReportedDifference[];
}

export interface ProcessState {
  /** Names of the failing readiness checks. */
  failing: string[];
  reconciliation?: ReconciliationReport;
  /** Calls of the last five minutes, of a process that serves games. */
  calls?: RecentCounts;
}

export interface ProcessReport extends ProcessState {
  service: string;
  instance: string;
  /** Slices of a wallet that its version can use; missing from versions that know none. */
  maxWalletSlices?: number;
  /** By the process' clock, Unix milliseconds. */
  reportedAtMs: number;
  /** Likewise; missing from versions that do not tell. */
  startedAtMs?: number;
}

export interface ProcessReporterOptions {
  service: string;
  instance: string;
  /** Rejects when there is nothing to report yet. */
  state: () => Promise<ProcessState>;
  /** Asked just before a report is written. Rejects where Redis belongs to another installation, which is left as it is. */
  checkOwner?: () => Promise<void>;
  nowMs: () => number;
}

/** Writes the state of a process every two seconds, for the operator's page. Losing reports costs nothing. */
export class ProcessReporter {
  readonly #redis: RedisConnection;
  readonly #options: ProcessReporterOptions;
  /** Tells its report from those of processes with the same names. */
  readonly id = randomUUID();
  readonly #startedAtMs: number;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(redis: RedisConnection, options: ProcessReporterOptions) {
    this.#redis = redis;
    this.#options = options;
    this.#startedAtMs = options.nowMs();
  }

  start(): void {
    this.#running ??= this.#loop();
  }

  /** Withdraws the report of a process that stops normally. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#redis.hdel(processKeys.reports, this.id).catch(() => undefined);
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // Components that depend on the store log its outages.
      await this.#report().catch(() => undefined);
      await sleep(REPORT_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #report(): Promise<void> {
    const { service, instance, state, checkOwner, nowMs } = this.#options;
    const report: ProcessReport = {
      service,
      instance,
      ...(await state()),
      maxWalletSlices: MAX_WALLET_SLICES,
      reportedAtMs: nowMs(),
      startedAtMs: this.#startedAtMs,
    };
    await checkOwner?.();
    await this.#redis.hset(processKeys.reports, this.id, JSON.stringify(report));
    await this.#redis.pexpire(processKeys.reports, KEPT_MS);
  }
}

/** The latest report of each process with the id of its reporter, by service and instance. Deletes reports older than an hour. */
export async function readProcessReports(
  redis: RedisConnection,
  nowMs: number,
): Promise<(ProcessReport & { id: string })[]> {
  const entries = Object.entries(await redis.hgetall(processKeys.reports)).map(
    ([field, text]) => [field, JSON.parse(text) as ProcessReport] as const,
  );
  const old = entries.filter(([, { reportedAtMs }]) => reportedAtMs < nowMs - KEPT_MS);
  if (old.length > 0) await redis.hdel(processKeys.reports, ...old.map(([field]) => field));
  return entries
    .filter((entry) => !old.includes(entry))
    .map(([id, report]) => ({ ...report, id }))
    .sort(
      (one, other) => compareTexts(one.service, other.service) || compareTexts(one.instance, other.instance),
    );
}

/** Whether the process has not reported for longer than a running one takes. */
export function isSilent({ reportedAtMs }: ProcessReport, nowMs: number): boolean {
  return nowMs - reportedAtMs >= SILENT_AFTER_MS;
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
