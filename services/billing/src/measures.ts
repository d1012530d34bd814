import type { Metrics } from "@diegetic/service-kit";

export type BillingMeasures = ReturnType<typeof createBillingMeasures>;

/** What billing counts. A healthy service has no quarantined record and an overdue outbox of zero. */
export function createBillingMeasures(metrics: Metrics) {
  const failedJobs = metrics.counter("billing_jobs_failed_total", "Failed attempts at a job", ["final"]);
  // Prometheus sees no increase in a series that begins with its first event.
  for (const final of ["true", "false"]) failedJobs.inc({ final }, 0);
  return {
    failedJobs,
    written: metrics.counter("billing_records_written_total", "Impressions written to Postgres"),
    duplicates: metrics.counter(
      "billing_records_duplicate_total",
      "Delivered records that were in Postgres already",
    ),
    quarantined: metrics.counter(
      "billing_records_quarantined_total",
      "Records that could not be written and were quarantined",
    ),
    late: metrics.counter(
      "billing_records_late_total",
      "Impressions that were written after their advertiser's wallet had been restored without them",
    ),
    unfunded: metrics.counter(
      "billing_records_unfunded_total",
      "Records that were quarantined because their money had been spent again after Redis had lost data",
    ),
    pendingSettlements: metrics.gauge(
      "billing_settlements_pending",
      "Late or reversed charges that are not in their advertiser's wallet yet",
    ),
    batchSeconds: metrics.histogram("billing_batch_seconds", "Duration of writing one job"),
    requeued: metrics.counter(
      "billing_records_requeued_total",
      "Overdue outbox records that were queued again",
    ),
    pastQueue: metrics.counter(
      "billing_records_past_queue_total",
      "Overdue outbox records that were written without the queue, which was full or delivered nothing",
    ),
    overdueRecords: metrics.gauge("billing_outbox_overdue_records", "Overdue records seen by the last sweep"),
    oldestOverdueSeconds: metrics.gauge(
      "billing_outbox_oldest_seconds",
      "Age of the oldest overdue record seen by the last sweep; 0: none",
    ),
    releasedHolds: metrics.counter("billing_holds_released_total", "Lapsed holds whose money was given back"),
    givenBack: metrics.counter(
      "billing_session_places_given_back_total",
      "Places in player sessions given back",
    ),
    frozenWallets: metrics.counter(
      "billing_frozen_wallets_total",
      "Lapsed holds found in a wallet that has to be rebuilt first",
    ),
    reconciliationDifferences: metrics.gauge(
      "reconciliation_differences",
      "Figures that ought to agree, and did not in several looks",
      ["check"],
    ),
    reconciliationCompared: metrics.counter("reconciliation_compared_total", "Values that were compared"),
    reconciliationNotCompared: metrics.counter(
      "reconciliation_not_compared_total",
      "Advertisers whose wallet could not be compared, because it did not stand still or is too large",
    ),
    reconciliationCycles: metrics.counter("reconciliation_cycles_total", "Completed reconciliations"),
  };
}
