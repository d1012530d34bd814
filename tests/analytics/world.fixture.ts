import { type AffinityContribution, type ImpressionRecord, newId } from "@diegetic/contracts";
import { installationId } from "@diegetic/database";
import { InstallationClaim } from "@diegetic/hot-state";
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { createBillingMeasures } from "../../services/billing/src/measures.ts";
import { DayPartitions } from "../../services/billing/src/write/day-partitions.ts";
import { ImpressionWriter } from "../../services/billing/src/write/impression-writer.ts";
import {
  type Caller,
  campaignBody,
  creativeBody,
  type Harness,
  startHarness,
} from "../../services/management/src/testing/harness.ts";

export const DAY_MS = 86_400_000;
/** Noon of 2026-11-21. */
export const NOON_MS = Date.UTC(2026, 10, 21, 12);

export interface Advertiser extends Caller {
  advertiserId: string;
}

/** What a test decides about an impression; the rest is as usual. */
export interface Seen {
  campaignId: string;
  creativeId: string;
  gameId: string;
  developerAccountId: string;
  user?: string;
  countryCode?: string | null;
  recordedAtMs?: number;
  priceMillicents?: number;
  basisPoints?: number;
  contributions?: readonly AffinityContribution[];
}

/** Management on stores of its own, with billing's writer beside it. */
export class AnalyticsWorld {
  /** What management takes for the time. */
  nowMs = NOON_MS;
  readonly harness: Harness;
  readonly #writer: ImpressionWriter;

  private constructor(harness: Harness) {
    this.harness = harness;
    const { database } = harness.management;
    this.#writer = new ImpressionWriter({
      database,
      pipeline: harness.pipeline,
      money: harness.money,
      claim: new InstallationClaim(harness.redis, () => installationId(database)),
      partitions: new DayPartitions(database),
      measures: createBillingMeasures(createMetrics({ service: "billing" })),
      logger: createLogger({ service: "billing", instance: "test", level: "silent" }),
      nowMs: () => this.nowMs,
    });
  }

  static async open(): Promise<AnalyticsWorld> {
    const clock: { world?: AnalyticsWorld } = {};
    const harness = await startHarness(() => clock.world?.nowMs ?? NOON_MS);
    clock.world = new AnalyticsWorld(harness);
    return clock.world;
  }

  get database() {
    return this.harness.management.database;
  }

  /** A record as it stands in the outbox: of a match that is made now, with the campaign as it is now. */
  async impression(seen: Seen): Promise<ImpressionRecord> {
    const { advertiserId, version } = await this.database.campaign.findUniqueOrThrow({
      where: { id: seen.campaignId },
    });
    const recordedAtMs = seen.recordedAtMs ?? this.nowMs;
    const affinities = seen.contributions ?? [];
    return {
      impression_id: newId("imp"),
      creative_id: seen.creativeId,
      recorded_at_ms: recordedAtMs,
      match: {
        match_id: newId("mat"),
        advertiser_id: advertiserId,
        campaign_id: seen.campaignId,
        campaign_version: version,
        game_id: seen.gameId,
        developer_account_id: seen.developerAccountId,
        user_hash: seen.user ?? "user",
        session_key: "session",
        country_code: seen.countryCode ?? null,
        affinity_score: affinities.reduce((sum, { contribution }) => sum + contribution, 0),
        affinities: [...affinities],
        price_millicents: seen.priceMillicents ?? 500,
        revenue_share_basis_points: seen.basisPoints ?? 7_000,
        matched_at_ms: recordedAtMs,
      },
    };
  }

  /** Writes records as the billing worker does. Fails when one of them is quarantined. */
  async bill(records: readonly ImpressionRecord[]): Promise<void> {
    await this.#writer.write(records);
    const aside = await this.database.quarantinedImpression.findFirst();
    if (aside !== null) throw new Error(`quarantined: ${aside.reason}`);
  }

  /** Impressions that are matched, seen and billed now. */
  async see(...list: Seen[]): Promise<void> {
    const records = [];
    for (const seen of list) records.push(await this.impression(seen));
    await this.bill(records);
  }

  /** A draft with one creative. */
  async draft(owner: Caller, changes: object = {}): Promise<{ campaignId: string; creativeId: string }> {
    const { body: campaign } = await owner.post("/campaigns", { ...campaignBody, ...changes }).expect(201);
    const { body: creative } = await owner
      .post(`/campaigns/${campaign.id}/creatives`, creativeBody)
      .expect(201);
    return { campaignId: campaign.id, creativeId: creative.id };
  }

  stop(): Promise<void> {
    return this.harness.stop();
  }
}
