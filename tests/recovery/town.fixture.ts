/**
 * Management, match and billing in this process, on stores that a test may break; with a developer's and an
 * advertiser's account.
 */

import { type BillingService, createBillingService } from "@diegetic/billing/service";
import { readBillingSettings } from "@diegetic/billing/settings";
import {
  createMoneyCommands,
  describeRedisUnavailable,
  type MoneyCommands,
  type RedisConnection,
} from "@diegetic/hot-state";
import { createMatchService, type MatchService } from "@diegetic/match/service";
import { readMatchSettings } from "@diegetic/match/settings";
import { createLogger, createMetrics, type ListeningServer, listen } from "@diegetic/service-kit";
import { type Api, type ApiAnswer, apiClient, enableGame, startCampaign } from "@diegetic/testing/api";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { forgetLostLeases } from "@diegetic/testing/new-redis";
import { PATIENT_MATCH } from "@diegetic/testing/patient";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { sliceWallet } from "../../services/management/src/core/advertisers/slice-wallet.ts";
import { createAccountWithKey } from "../../services/management/src/features/api-keys/create-account.ts";
import type { Management } from "../../services/management/src/management.ts";
import { createInstance } from "../../services/management/src/testing/harness.ts";

const GAME = "old-town";
export const PLAYER_HASH_KEY = "a key of more than thirty-two characters";
/** Only ends what hangs: on a busy machine, a reply may take longer than the product waits for one. */
const PATIENCE = { timeoutMs: 60_000 };

export interface Served {
  campaign_id: string;
  creative_id: string;
  match_id: string;
}

interface Player {
  user_id: string;
  session_id?: string;
}

export interface TownOptions {
  /** Receives the log lines of management and billing. Default: discarded. */
  logTo?: { write(line: string): void };
  /** Redis address of the services. Default: the server's own. */
  servicesRedisUrl?: string;
  /** A migrated database that outlives the town. Default: its own. */
  databaseUrl?: string;
  /** The town that already owns the database. */
  restored?: Town;
}

export class Town {
  readonly management: Management;
  readonly redis: RedisConnection;
  readonly money: MoneyCommands;
  readonly postgres: TestDatabase;
  readonly billing: BillingService;
  readonly #match: MatchService;
  readonly #servers: ListeningServer[] = [];
  readonly redisUrl: string;
  advertiserId = "";
  campaignId = "";
  key = "";
  #player = 0;
  #billingStopped: Promise<void> | undefined;
  #managementStopped: Promise<void> | undefined;
  #serving: Api | undefined;
  #managing: Api | undefined;

  private constructor(
    postgres: TestDatabase,
    redisUrl: string,
    { logTo, servicesRedisUrl = redisUrl }: TownOptions,
  ) {
    const level = logTo ? "info" : "silent";
    const logger = createLogger(
      { service: "recovery", instance: "test", level, describeUnavailable: describeRedisUnavailable },
      logTo,
    );
    const environment = {
      DATABASE_URL: postgres.url,
      REDIS_URL: servicesRedisUrl,
      PLAYER_HASH_KEY,
      AUTH_SECRET: "a secret of more than thirty-two characters",
      LOG_LEVEL: "silent",
      RATE_LIMIT_MATCH: "unlimited",
      RATE_LIMIT_IMPRESSIONS: "unlimited",
    };
    this.postgres = postgres;
    this.redisUrl = redisUrl;
    const urls = { databaseUrl: postgres.url, redisUrl: servicesRedisUrl };
    this.management = createInstance(urls, undefined, undefined, {
      ...(logTo && { logTo }),
      environment: { PLAYER_HASH_KEY },
    });
    this.redis = connectTestRedis(redisUrl);
    this.redis.on("error", () => undefined);
    this.money = createMoneyCommands(this.redis);
    this.#match = createMatchService({
      ...readMatchSettings(environment),
      logger: createLogger({ service: "match", instance: "test", level: "silent" }),
      metrics: createMetrics({ service: "match" }),
      ...PATIENT_MATCH,
    });
    this.billing = createBillingService({
      ...readBillingSettings(environment),
      logger,
      metrics: createMetrics({ service: "billing" }),
      pace: { passEveryMs: 50, pollEveryMs: 50, overdueAfterMs: 500 },
    });
  }

  static async open(
    redisUrl: string,
    plan: { depositCents: number; budgetCents: number },
    options: TownOptions = {},
  ): Promise<Town> {
    const { databaseUrl, restored } = options;
    const database =
      databaseUrl === undefined
        ? await createTestDatabase()
        : { url: databaseUrl, drop: async () => undefined };
    const town = new Town(database, redisUrl, options);
    const { management } = town;
    await management.start();
    await forgetLostLeases(redisUrl);
    await town.#match.waitUntilFresh(PATIENCE.timeoutMs);
    const parts = { database: management.database, publishing: management.publishing };
    const account = { label: "town", rateLimitPerMinute: "unlimited" as const };
    town.key = restored?.key ?? (await createAccountWithKey(parts, account)).key;
    const key = town.key;
    const managementUrl = await town.#listen(management.app);
    const matchUrl = await town.#listen(town.#match.app);
    const api = apiClient(managementUrl, key);
    town.#managing = api;
    town.#serving = apiClient(matchUrl, key);
    if (restored !== undefined) {
      town.campaignId = restored.campaignId;
      town.advertiserId = restored.advertiserId;
      return town;
    }
    town.campaignId = (await startCampaign(api, { ...plan, cpmBidCents: 1_000 })).campaignId;
    await enableGame(api, GAME);
    const advertiser = await management.database.advertiser.findFirstOrThrow();
    town.advertiserId = advertiser.id;
    return town;
  }

  async #listen(app: Parameters<typeof listen>[0]): Promise<string> {
    const server = await listen(app, { host: "127.0.0.1", port: 0, portVariable: "PORT" });
    this.#servers.push(server);
    return `http://127.0.0.1:${server.port}/api`;
  }

  /** By default a match of a new player. */
  match(player?: Player): Promise<ApiAnswer> {
    return this.#api().serve("/match", this.#scene(player));
  }

  /** The first answer to a match of a new player, also of an instance that is not up to date. */
  matchAtOnce(): Promise<ApiAnswer> {
    return this.#api().request("POST", "/match", this.#scene());
  }

  #scene(player?: Player): object {
    this.#player += 1;
    return { game_id: GAME, user_id: `player-${this.#player}`, ...player, game_context: {} };
  }

  /** Changes the campaign. */
  rename(name: string): Promise<ApiAnswer> {
    if (this.#managing === undefined) throw new Error("management does not listen yet");
    return this.#managing.request("PATCH", `/campaigns/${this.campaignId}`, { name });
  }

  async setBudget(budgetCents: number): Promise<void> {
    if (this.#managing === undefined) throw new Error("management does not listen yet");
    const body = { budget_cents: budgetCents };
    const { status } = await this.#managing.request("PATCH", `/campaigns/${this.campaignId}`, body);
    if (status !== 200) throw new Error(`the budget was not set: ${status}`);
  }

  /** Divides the wallet; every match instance knows it when this resolves. */
  async divide(slices: number): Promise<void> {
    const { database, publishing } = this.management;
    const result = await sliceWallet(database, this.advertiserId, slices);
    if (result !== "sliced") throw new Error(`the wallet was not divided: ${result}`);
    await publishing.publishAndWait("advertiser", this.advertiserId);
  }

  impression(match: Served): Promise<ApiAnswer> {
    return this.#api().serve("/impressions", impressionOf(match));
  }

  /** The first answer, also of an instance that is not up to date. */
  impressionAtOnce(match: Served): Promise<ApiAnswer> {
    return this.#api().request("POST", "/impressions", impressionOf(match));
  }

  /** An impression with an Idempotency-Key and without a match id; retried while the town recovers. */
  keyedImpression({ campaign_id, creative_id }: Served, key: string): Promise<ApiAnswer> {
    const body = { campaign_id, creative_id, game_id: GAME };
    return eventually(async () => {
      const answer = await this.#api().request("POST", "/impressions", body, { "Idempotency-Key": key });
      return answer.status === 503 ? undefined : answer;
    }, PATIENCE);
  }

  /** A match; retried while the town recovers. */
  served(): Promise<Served> {
    return eventually(async () => {
      const { status, body } = await this.match();
      return status === 200 ? (body as Served) : undefined;
    }, PATIENCE);
  }

  /** Status of an impression; retried while the town recovers. */
  statusOf(match: Served): Promise<number> {
    return eventually(async () => {
      const { status } = await this.impression(match);
      return status === 503 ? undefined : status;
    }, PATIENCE);
  }

  /** Impressions answered 201, with their matches. */
  async play(count: number): Promise<Served[]> {
    const seen: Served[] = [];
    for (let n = 0; n < count; n++) {
      const match = await this.served();
      const status = await this.statusOf(match);
      if (status !== 201) throw new Error(`impression: ${status}`);
      seen.push(match);
    }
    return seen;
  }

  async written(): Promise<number> {
    return this.management.database.impression.count({ where: { advertiserId: this.advertiserId } });
  }

  /** Spent and impressions of the wallet, its campaign, Postgres' totals and its rows: four equal values once quiet. */
  async totals(): Promise<{ spent: number; impressions: number }[]> {
    const { database } = this.management;
    const account = await this.money.readAccount(this.advertiserId);
    const campaign = await this.money.readCampaign(this.advertiserId, this.campaignId);
    const row = await database.advertiser.findUniqueOrThrow({ where: { id: this.advertiserId } });
    const rows = await database.impression.aggregate({
      where: { advertiserId: this.advertiserId },
      _count: { impressionId: true },
      _sum: { priceMillicents: true },
    });
    return [
      { spent: account?.spentMillicents ?? -1, impressions: account?.impressions ?? -1 },
      { spent: campaign?.spentMillicents ?? -1, impressions: campaign?.impressions ?? -1 },
      { spent: Number(row.spentMillicents), impressions: Number(row.impressions) },
      { spent: Number(rows._sum.priceMillicents ?? 0n), impressions: rows._count.impressionId },
    ];
  }

  /** Waits until all four agree, on this many impressions if given. Returns the number. */
  async agree(impressions?: number): Promise<number> {
    let totals: { spent: number; impressions: number }[] = [];
    const agreed = async () => {
      totals = await this.totals();
      const counts = new Set(totals.map((book) => book.impressions));
      const amounts = new Set(totals.map((book) => book.spent));
      return (
        counts.size === 1 && amounts.size === 1 && counts.has(impressions ?? totals[0]?.impressions ?? -1)
      );
    };
    await eventually(agreed, PATIENCE).catch(() => {
      throw new Error(`the totals do not agree on ${impressions}: ${JSON.stringify(totals)}`);
    });
    return totals[0]?.impressions ?? -1;
  }

  /** Permanently: later charges stay in the outbox. */
  stopBilling(): Promise<void> {
    this.#billingStopped ??= this.billing.stop();
    return this.#billingStopped;
  }

  /** Permanently: the match tier goes on. */
  stopManagement(): Promise<void> {
    this.#managementStopped ??= this.management.stop();
    return this.#managementStopped;
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close(0)));
    await this.#match.stop();
    await this.stopBilling();
    await this.stopManagement();
    this.redis.disconnect();
    await this.postgres.drop();
  }

  #api(): Api {
    if (this.#serving === undefined) throw new Error(`nothing listens yet on ${this.redisUrl}`);
    return this.#serving;
  }
}

/** The request that records it. */
function impressionOf({ campaign_id, creative_id, match_id }: Served): object {
  return { campaign_id, creative_id, match_id, game_id: GAME };
}
