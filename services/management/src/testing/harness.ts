import { newId } from "@diegetic/contracts";
import { createPipeline, type Pipeline } from "@diegetic/database";
import {
  createMoneyCommands,
  describeRedisUnavailable,
  type MoneyCommands,
  type RedisConnection,
} from "@diegetic/hot-state";
import { createLogger, createMetrics, type Metrics } from "@diegetic/service-kit";
import { createTestDatabase } from "@diegetic/testing/database";
import { documented } from "@diegetic/testing/documented";
import { forgetLostLeases } from "@diegetic/testing/new-redis";
import { PATIENT_MANAGEMENT } from "@diegetic/testing/patient";
import { startTestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import request, { type Test } from "supertest";
import type { Clock } from "../core/shared/time.ts";
import { createAccountWithKey, type KeyOptions } from "../features/api-keys/create-account.ts";
import { createManagement, type Management, type ManagementOptions } from "../management.ts";
import { readManagementSettings } from "../settings.ts";

/** Management on its own stores; checks every answer against the API document. */
export interface Harness {
  management: Management;
  metrics: Metrics;
  databaseUrl: string;
  redisUrl: string;
  redis: RedisConnection;
  money: MoneyCommands;
  /** For billing's writes; connects on first use. */
  pipeline: Pipeline;
  /** A client with a key of a new account; the options set scopes and limits. */
  caller(options?: Partial<KeyOptions>): Promise<Caller>;
  /** A client with an existing key. */
  callerWith(accountId: string, key: string): Caller;
  /** A registered caller with this deposit. */
  advertiser(depositCents?: number): Promise<Caller & { advertiserId: string }>;
  stop(): Promise<void>;
}

export interface Caller {
  accountId: string;
  key: string;
  get(path: string): Test;
  post(path: string, body?: unknown): Test;
  put(path: string, body: unknown): Test;
  patch(path: string, body: unknown): Test;
  delete(path: string): Test;
}

export const BASE = "/api";
const TEST_AUTH_SECRET = "secret of the tests, long enough";
/** A campaign body with only required fields. */
export const campaignBody = { name: "Autumn", budget_cents: 10_000, cpm_bid_cents: 500 };
/** A creative body with only required fields. */
export const creativeBody = {
  creative_type: "narrative_hook",
  brand_name: "Ember",
  narrative_hook: "It smells of Ember.",
};

/** By default, limits of waiting for locks are those of production, others longer; old rows are looked for more often. */
export interface InstanceOptions
  extends Pick<
    ManagementOptions,
    "leaseMs" | "propagationTimeoutMs" | "publishingLockWaitMs" | "redisTimeoutMs" | "walletClaimMs"
  > {
  /** Receives the log lines. Default: discarded. */
  logTo?: { write(line: string): void };
  /** Key of the demo game. Default: no demo. */
  demoGameKey?: string;
  /** Settings as environment variables, overriding the tests' defaults. */
  environment?: Record<string, string>;
}

/** Another management process on the same stores. */
export function createInstance(
  secrets: { databaseUrl: string; redisUrl: string },
  clock: Clock = Date.now,
  metrics: Metrics = createMetrics({ service: "management" }),
  { logTo, demoGameKey = "", environment = {}, ...limits }: InstanceOptions = {},
): Management {
  const settings = readManagementSettings({
    DATABASE_URL: secrets.databaseUrl,
    REDIS_URL: secrets.redisUrl,
    PLAYER_HASH_KEY: "k".repeat(32),
    AUTH_SECRET: TEST_AUTH_SECRET,
    DEMO_GAME_KEY: demoGameKey,
    RATE_LIMIT_SIGN_IN: "unlimited",
    RATE_LIMIT_MANAGEMENT: "unlimited",
    RATE_LIMIT_ANALYTICS: "unlimited",
    RATE_LIMIT_EXPLAIN: "unlimited",
    ...environment,
  });
  const logger = createLogger(
    {
      service: "management",
      instance: "test",
      level: logTo ? "info" : "silent",
      describeUnavailable: describeRedisUnavailable,
    },
    logTo,
  );
  return createManagement({
    settings,
    logger,
    metrics,
    clock,
    deletionEveryMs: 1_000,
    ...PATIENT_MANAGEMENT,
    ...limits,
  });
}

/** @param clock the service's time; default: the system clock */
export async function startHarness(clock?: Clock, options?: InstanceOptions): Promise<Harness> {
  const [database, server] = await Promise.all([createTestDatabase(), startTestRedis()]);
  const metrics = createMetrics({ service: "management" });
  const management = createInstance(
    { databaseUrl: database.url, redisUrl: server.url },
    clock,
    metrics,
    options,
  );
  const redis = connectTestRedis(server.url);
  const pipeline = createPipeline(database.url);
  await management.start();
  await forgetLostLeases(server.url);
  const { app } = management;

  const callerWith = (accountId: string, key: string): Caller => {
    const authorized = (test: Test) => documented(test.set("Authorization", `Bearer ${key}`));
    return {
      accountId,
      key,
      get: (path) => authorized(request(app).get(BASE + path)),
      post: (path, body) => {
        const test = authorized(request(app).post(BASE + path));
        return body === undefined ? test : test.send(body as object);
      },
      put: (path, body) => authorized(request(app).put(BASE + path)).send(body as object),
      patch: (path, body) => authorized(request(app).patch(BASE + path)).send(body as object),
      delete: (path) => authorized(request(app).delete(BASE + path)),
    };
  };
  const caller = async (options: Partial<KeyOptions> = {}): Promise<Caller> => {
    const parts = { database: management.database, publishing: management.publishing };
    const { accountId, key } = await createAccountWithKey(parts, { label: "test", ...options });
    return callerWith(accountId, key);
  };
  return {
    management,
    metrics,
    databaseUrl: database.url,
    redisUrl: server.url,
    redis,
    money: createMoneyCommands(redis),
    pipeline,
    caller,
    callerWith,
    async advertiser(depositCents = 0) {
      const made = await caller();
      const profile = { company_name: "Ember", contact_email: `${newId("acct")}@example.com` };
      const registered = await made.post("/register", profile).expect(201);
      if (depositCents > 0) await made.post("/deposit", { amount_cents: depositCents }).expect(200);
      return { ...made, advertiserId: registered.body.id };
    },
    async stop() {
      await Promise.all([management.stop(), pipeline.close()]);
      redis.disconnect();
      await server.stop();
      await database.drop();
    },
  };
}

/** An active campaign of the caller with one creative. */
export async function activeCampaign(
  caller: Caller,
  changes: object = {},
): Promise<{ campaignId: string; creativeId: string }> {
  const campaign = await caller.post("/campaigns", { ...campaignBody, ...changes }).expect(201);
  const campaignId: string = campaign.body.id;
  const creative = await caller.post(`/campaigns/${campaignId}/creatives`, creativeBody).expect(201);
  await caller.post(`/campaigns/${campaignId}/activate`).expect(200);
  return { campaignId, creativeId: creative.body.id };
}
