import { randomBytes } from "node:crypto";
import type { BillingPace } from "@diegetic/billing";
import { type BillingService, createBillingService } from "@diegetic/billing/service";
import { readBillingSettings } from "@diegetic/billing/settings";
import { type ImpressionRecord, newId } from "@diegetic/contracts";
import { type Database, inTransaction } from "@diegetic/database";
import {
  createMoneyCommands,
  createSliceGrants,
  DueIndex,
  type MoneyCommands,
  type RedisConnection,
  type SliceGrants,
  walletIdOf,
} from "@diegetic/hot-state";
import { createAccountWithKey } from "@diegetic/management";
import { createManagement, type Management } from "@diegetic/management/management";
import { readManagementSettings } from "@diegetic/management/settings";
import { createLogger, createMetrics, type Metrics } from "@diegetic/service-kit";
import { createTestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { forgetLostLeases } from "@diegetic/testing/new-redis";
import { PATIENT_MANAGEMENT } from "@diegetic/testing/patient";
import { startTestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import request, { type Test } from "supertest";
import { sliceWallet } from "../../services/management/src/core/advertisers/slice-wallet.ts";
import { addDeposit } from "../../services/management/src/features/deposit/endpoints.ts";

export interface Advertiser {
  advertiserId: string;
  accountId: string;
  get(path: string): Test;
  post(path: string, body?: object): Test;
  patch(path: string, body: object): Test;
}

interface HoldChoice {
  user?: string;
  game?: string;
  developer?: string;
  slice?: number;
}

export interface Campaign {
  advertiserId: string;
  campaignId: string;
  creativeId: string;
  priceMillicents: number;
}

const QUICK = {
  passEveryMs: 20,
  pollEveryMs: 20,
  overdueAfterMs: 100,
  reconcileEveryMs: 600_000,
} satisfies Partial<BillingPace>;

/** Management and billing as in production, on their own stores; matches and impressions like those of the match tier. */
export class World {
  readonly urls: { databaseUrl: string; redisUrl: string };
  readonly redis: RedisConnection;
  readonly money: MoneyCommands;
  readonly management: Management;
  readonly database: Database;
  readonly #due: DueIndex;
  readonly #grants: SliceGrants;
  readonly #closing: (() => Promise<unknown>)[];
  readonly #billing: BillingService[] = [];

  private constructor(urls: World["urls"], closing: (() => Promise<unknown>)[]) {
    this.urls = urls;
    this.#closing = closing;
    this.redis = connectTestRedis(urls.redisUrl);
    this.money = createMoneyCommands(this.redis);
    this.#due = new DueIndex(this.redis);
    this.#grants = createSliceGrants(this.redis);
    const logger = createLogger({ service: "management", instance: "test", level: "silent" });
    const settings = readManagementSettings({
      DATABASE_URL: urls.databaseUrl,
      REDIS_URL: urls.redisUrl,
      PLAYER_HASH_KEY: "k".repeat(32),
      AUTH_SECRET: "a secret of more than thirty-two characters",
      RATE_LIMIT_MANAGEMENT: "unlimited",
      RATE_LIMIT_ANALYTICS: "unlimited",
    });
    this.management = createManagement({
      settings,
      logger,
      metrics: createMetrics({ service: "management" }),
      clock: Date.now,
      ...PATIENT_MANAGEMENT,
    });
    this.database = this.management.database;
  }

  static async open(): Promise<World> {
    const [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
    const urls = { databaseUrl: database.url, redisUrl: redis.url };
    const world = new World(urls, [() => redis.stop(), () => database.drop()]);
    await world.management.start();
    await forgetLostLeases(redis.url);
    return world;
  }

  async close(): Promise<void> {
    await this.stopBilling();
    await this.management.stop();
    this.redis.disconnect();
    for (const close of this.#closing) await close();
  }

  startBilling(
    pace: Partial<BillingPace> = {},
    parts: { metrics?: Metrics; log?: (line: string) => void; settings?: Record<string, string> } = {},
  ): void {
    const { log } = parts;
    const options = { service: "billing", instance: "test", level: log ? "info" : "silent" };
    const service = createBillingService({
      ...readBillingSettings({
        DATABASE_URL: this.urls.databaseUrl,
        REDIS_URL: this.urls.redisUrl,
        ...parts.settings,
      }),
      logger: createLogger(options, log && { write: log }),
      metrics: parts.metrics ?? createMetrics({ service: "billing" }),
      pace: { ...QUICK, ...pace },
    });
    this.#billing.push(service);
  }

  async stopBilling(): Promise<void> {
    await Promise.all(this.#billing.splice(0).map((service) => service.stop()));
  }

  async advertiser(depositCents: number): Promise<Advertiser> {
    const { database, publishing, app } = this.management;
    const { accountId, key } = await createAccountWithKey({ database, publishing }, { label: "test" });
    const authorized = (test: Test) => test.set("Authorization", `Bearer ${key}`);
    const calls = {
      get: (path: string) => authorized(request(app).get(`/api${path}`)),
      post: (path: string, body?: object) => authorized(request(app).post(`/api${path}`)).send(body),
      patch: (path: string, body: object) => authorized(request(app).patch(`/api${path}`)).send(body),
    };
    const profile = { company_name: "Ember", contact_email: `${accountId}@example.com` };
    const registered = await calls.post("/register", profile).expect(201);
    if (depositCents > 0) await calls.post("/deposit", { amount_cents: depositCents }).expect(200);
    return { advertiserId: registered.body.id, accountId, ...calls };
  }

  /** A deposit of a given time. */
  async deposit({ advertiserId, accountId }: Advertiser, amountCents: number, atMs: number): Promise<void> {
    const { database, publishing } = this.management;
    await inTransaction(database, (transaction) =>
      addDeposit(transaction, { id: advertiserId, accountId }, amountCents, atMs),
    );
    await publishing.publishEventually("advertiser", advertiserId);
  }

  async campaign(advertiser: Advertiser, settings: object = {}): Promise<Campaign> {
    const body = { name: "Autumn", budget_cents: 10_000, cpm_bid_cents: 500, ...settings };
    const campaign = await advertiser.post("/campaigns", body).expect(201);
    const campaignId: string = campaign.body.id;
    const creativeId = await this.creative(advertiser, campaignId);
    await advertiser.post(`/campaigns/${campaignId}/activate`).expect(200);
    const priceMillicents: number = campaign.body.cpm_bid_cents;
    const { advertiserId } = advertiser;
    return { advertiserId, campaignId, creativeId, priceMillicents };
  }

  /** Divides the wallet of an advertiser. */
  async slice({ advertiserId }: Advertiser, slices: number): Promise<void> {
    await sliceWallet(this.database, advertiserId, slices);
    await this.management.publishing.publishAndWait("advertiser", advertiserId);
  }

  /** Returns the id of a new creative. */
  async creative(advertiser: Advertiser, campaignId: string): Promise<string> {
    const creative = await advertiser
      .post(`/campaigns/${campaignId}/creatives`, { creative_type: "product_mention", brand_name: "Ember" })
      .expect(201);
    return creative.body.id;
  }

  /** A match of the campaign's current version. Returns its id. */
  async hold(campaign: Campaign, choice: HoldChoice = {}): Promise<string> {
    const { slice = 0 } = choice;
    if (slice === 0) return this.#reserve(campaign, choice);
    const needed = { priceMillicents: campaign.priceMillicents, isHeld: false };
    // Billing takes idle money back from slices, sometimes just what was granted.
    return eventually(async () => {
      const refusal = await this.#grants.extend(campaign, slice, needed);
      if (refusal !== null) throw new Error(`slice ${slice} got no money`);
      return this.#reserve(campaign, choice);
    });
  }

  async #reserve(
    campaign: Campaign,
    { user = "user", game = "game", developer = "acct_dev", slice = 0 }: HoldChoice,
  ): Promise<string> {
    const row = await this.database.campaign.findUniqueOrThrow({ where: { id: campaign.campaignId } });
    const matchId = newId("mat");
    const held = await this.money.reserve({
      match: {
        match_id: matchId,
        advertiser_id: campaign.advertiserId,
        wallet_slice: slice,
        campaign_id: campaign.campaignId,
        campaign_version: row.version,
        game_id: game,
        developer_account_id: developer,
        user_hash: user,
        session_key: randomBytes(8).toString("hex"),
        country_code: user.length % 2 === 0 ? "DE" : null,
        affinity_score: 0.25,
        affinities: [],
        price_millicents: campaign.priceMillicents,
        revenue_share_basis_points: 7_000,
        matched_at_ms: Date.now(),
      },
      campaignVersion: row.version,
      holdTtlMs: 600_000,
      sessionStartedMs: null,
      sessionIdleMs: 600_000,
      creatives: [{ creativeId: campaign.creativeId, maxUses: 20 }],
    });
    if (held.outcome !== "held") throw new Error(`refused: ${held.reason}`);
    return matchId;
  }

  /** The impression of a match; it waits in the outbox for billing. */
  async see(
    campaign: Campaign,
    matchId: string,
    { game = "game", slice = 0 } = {},
  ): Promise<ImpressionRecord> {
    const { advertiserId, campaignId, creativeId } = campaign;
    await this.#due.register("outbox", walletIdOf(advertiserId, slice), Date.now() + 50);
    const charged = await this.money.commit({
      advertiserId,
      slice,
      campaignId,
      gameId: game,
      creativeId,
      operationId: newId("op"),
      matchId,
      nowMs: Date.now(),
    });
    if (charged.outcome !== "charged" || charged.replay) throw new Error("not charged now");
    return charged.record;
  }

  async impress(campaign: Campaign, choice: HoldChoice = {}) {
    return this.see(campaign, await this.hold(campaign, choice), choice);
  }

  /** Waits until the outbox of the advertiser's wallet, or of a slice of it, is empty. */
  async written(walletId: string): Promise<void> {
    await eventually(async () => (await this.money.listOutbox(walletId, 1)).items.length === 0);
  }
}
