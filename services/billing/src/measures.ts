import type { Metrics } from "@diegetic/service-kit";

export type BillingMeasures = ReturnType<typeof createBillingMeasures>;

/** Metrics of billing. A healthy service has no quarantined records and an overdue outbox of zero. */
export function createBillingMeasures(metrics: Metrics) {
  const failedJobs = metrics.counter("billing_jobs_failed_total", "Failed attempts at a job", ["final"]);
  // Prometheus sees no increase in a series whose first value is an event.
  for (const final of ["true", "false"]) failedJobs.inc({ final }, 0);
  return {
    failedJobs,
    written: metrics.counter("billing_records_written_total", "Impressions written to Postgres"),
    duplicates: metrics.counter(
      "billing_records_duplicate_total",
      "Delivered records that Postgres already had",
    ),
    quarantined: metrics.counter(
      "billing_records_quarantined_total",
      "Records that could not be written and were quarantined",
    ),
    late: metrics.counter(
      "billing_records_late_total",
      "Impressions written after their advertiser's wallet was restored without them",
    ),
    unfunded: metrics.counter(
      "billing_records_unfunded_total",
      "Records quarantined because their money was spent again after Redis lost data",
    ),
    pendingSettlements: metrics.gauge(
      "billing_settlements_pending",
      "Late or reversed charges that wait for their advertiser's wallet",
    ),
    batchSeconds: metrics.histogram(
      "billing_batch_seconds",
      "Duration of writing one batch of records to Postgres",
    ),
    requeued: metrics.counter("billing_records_requeued_total", "Overdue outbox records queued again"),
    pastQueue: metrics.counter(
      "billing_records_past_queue_total",
      "Overdue outbox records written without the queue, which was full or silent",
    ),
    overdueRecords: metrics.gauge("billing_outbox_overdue_records", "Overdue records seen by the last sweep"),
    oldestOverdueSeconds: metrics.gauge(
      "billing_outbox_oldest_seconds",
      "Age of the oldest overdue record seen by the last sweep; 0: none",
    ),
    releasedHolds: metrics.counter("billing_holds_released_total", "Lapsed holds released"),
    seatsReturned: metrics.counter("billing_session_seats_returned_total", "Session seats returned"),
    frozenHolds: metrics.counter("billing_frozen_holds_total", "Lapsed holds found in a frozen wallet"),
    webhookAttempts: metrics.counter("webhook_attempts_total", "Requests to webhooks", ["result"]),
    webhooksGivenUp: metrics.counter(
      "webhook_deliveries_given_up_total",
      "Deliveries to webhooks that failed at every attempt",
    ),
    droppedImpressions: metrics.counter(
      "billing_impressions_dropped_total",
      "Impressions dropped because they were older than IMPRESSION_RETENTION_DAYS",
    ),
    overdueDays: metrics.gauge(
      "billing_impression_days_overdue",
      "Days of impressions older than IMPRESSION_RETENTION_DAYS that are not dropped yet",
    ),
    reconciliationDifferences: metrics.gauge(
      "reconciliation_differences",
      "Balances that differed in several reads",
      ["check"],
    ),
    reconciliationCompared: metrics.counter("reconciliation_compared_total", "Values compared"),
    reconciliationNotCompared: metrics.counter(
      "reconciliation_not_compared_total",
      "Advertisers and other parts that could not be compared: they kept changing, are too large or failed",
    ),
    reconciliationCycles: metrics.counter("reconciliation_cycles_total", "Completed reconciliations"),
  };
}
