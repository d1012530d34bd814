import { databaseNowMs } from "@diegetic/database";
import type { MoneyCommands, SliceReports } from "@diegetic/hot-state";
import type { Logger } from "@diegetic/service-kit";
import { walkAllAdvertisers } from "./backstop-walk.ts";
import { runEach } from "./loops/for-each.ts";
import type { BillingMeasures } from "./measures.ts";
import type { BillingPace } from "./pace.ts";
import type { Reconciler } from "./reconciliation/reconciler.ts";
import type { Releaser } from "./release/releaser.ts";
import { Retention } from "./retention/retention.ts";
import type { BillingSettings } from "./settings.ts";
import { Settler } from "./settle/settler.ts";
import { reportSliceSpending } from "./slices/slice-reporter.ts";
import type { Stores } from "./stores.ts";
import type { Sweeper } from "./sweep/sweeper.ts";
import { markFullWebhooks } from "./webhooks/full-webhooks.ts";
import type { HoldOutcomes } from "./webhooks/hold-outcomes.ts";
import { announceDelayedPayouts, announcePayouts } from "./webhooks/payouts.ts";
import { forgetOldDeliveries } from "./webhooks/retention.ts";
import type { WebhookSender } from "./webhooks/webhook-sender.ts";
import type { DayPartitions } from "./write/day-partitions.ts";
import { forgetOldSettlements } from "./write/settlements.ts";

/** A task that billing repeats. Idempotent; ends early when `signal` is aborted. */
export interface Pass {
  /** In logs. */
  name: string;
  /** Pause after a run. */
  everyMs: number;
  run: (signal: AbortSignal) => Promise<void>;
}

export interface PassesParts {
  settings: BillingSettings;
  stores: Pick<Stores, "database" | "slowDatabase">;
  money: MoneyCommands;
  sliceReports: SliceReports;
  sweeper: Sweeper;
  releaser: Releaser;
  sender: WebhookSender;
  outcomes: HoldOutcomes;
  reconciliation: Reconciler;
  partitions: DayPartitions;
  measures: BillingMeasures;
  logger: Logger;
  nowMs: () => number;
  pace: BillingPace;
}

export function createPasses(parts: PassesParts): Pass[] {
  const { settings, stores, money, sliceReports, sweeper, releaser, measures, pace } = parts;
  const { database } = stores;
  const settler = new Settler({ database, money, measures });
  return [
    { name: "sweep", everyMs: pace.passEveryMs, run: (signal) => sweeper.pass(signal) },
    { name: "settle", everyMs: pace.pollEveryMs, run: (signal) => settler.pass(signal) },
    {
      name: "slices",
      everyMs: pace.pollEveryMs,
      run: (signal) => reportSliceSpending({ database, sliceReports }, signal),
    },
    { name: "release", everyMs: pace.passEveryMs, run: (signal) => releaser.pass(signal) },
    { name: "webhooks", everyMs: pace.pollEveryMs, run: (signal) => parts.sender.pass(signal) },
    {
      name: "webhook events",
      everyMs: pace.webhookEventsEveryMs,
      run: async (signal) => {
        const nowMs = await databaseNowMs(database);
        await runEach(
          () => parts.outcomes.pass(nowMs),
          () => announcePayouts({ database, money, nowMs, signal }),
        );
      },
    },
    {
      name: "full webhooks",
      everyMs: pace.webhookEventsEveryMs,
      run: (signal) => markFullWebhooks(database, signal),
    },
    {
      name: "delayed payouts",
      everyMs: pace.delayedPayoutsEveryMs,
      run: (signal) => announceDelayedPayouts({ database, money, signal }),
    },
    {
      name: "webhook retention",
      everyMs: pace.walkEveryMs,
      run: async (signal) =>
        forgetOldDeliveries(database, {
          keptDays: settings.webhookRetentionDays,
          nowMs: await databaseNowMs(database),
          signal,
        }),
    },
    {
      name: "backstop walk",
      everyMs: pace.walkEveryMs,
      run: async (signal) => {
        const { partitions, nowMs } = parts;
        await runEach(
          async () => forgetOldSettlements(database, await databaseNowMs(database), signal),
          () => walkAllAdvertisers({ database, sweeper, releaser, partitions, nowMs }, signal),
        );
      },
    },
    ...retentionPass(parts),
    {
      name: "reconciliation",
      everyMs: pace.reconcileEveryMs,
      run: async (signal) => {
        await parts.reconciliation.cycle(signal);
        measures.reconciliationCycles.inc();
      },
    },
  ];
}

/** Empty: all impressions are kept. */
function retentionPass({ settings, stores, money, measures, logger, pace }: PassesParts): Pass[] {
  const { impressionRetentionDays: retentionDays } = settings;
  if (retentionDays === undefined) return [];
  const { slowDatabase: database } = stores;
  const nowMs = () => databaseNowMs(database);
  const retention = new Retention({ database, money, measures, logger, nowMs, retentionDays });
  return [{ name: "retention", everyMs: pace.retainEveryMs, run: (signal) => retention.pass(signal) }];
}
