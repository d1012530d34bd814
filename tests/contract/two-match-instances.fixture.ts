import { createAccountWithKey } from "@diegetic/management";
import { createManagement, type Management } from "@diegetic/management/management";
import { readManagementSettings } from "@diegetic/management/settings";
import { createMatchService } from "@diegetic/match/service";
import { readMatchSettings } from "@diegetic/match/settings";
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { createTestDatabase } from "@diegetic/testing/database";
import { documented } from "@diegetic/testing/documented";
import { forgetLostLeases } from "@diegetic/testing/new-redis";
import { PATIENT_MANAGEMENT, PATIENT_MATCH } from "@diegetic/testing/patient";
import { startTestRedis } from "@diegetic/testing/redis";
import request, { type Test } from "supertest";

const BASE_PATH = "/api";
const FRESH_WITHIN_MS = 60_000;

/** What management and the match tier make of each other: one management, two match instances, stores of their own. */
export interface Market {
  /** Creates an account with a key of all scopes. */
  newKey(): Promise<string>;
  /** Management, by one key. */
  manage(
    key: string,
  ): (method: "get" | "post" | "put" | "patch" | "delete", path: string, body?: object) => Test;
  /** POST /match on each instance, the one after the other. */
  match(key: string, body: object): Promise<MatchAnswer[]>;
  stop(): Promise<void>;
}

export interface MatchAnswer {
  status: number;
  /** `X-No-Match-Reason`. */
  reason: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests examine
  body: any;
}

export async function startMarket(): Promise<Market> {
  const [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  const environment = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    PLAYER_HASH_KEY: "k".repeat(32),
    AUTH_SECRET: "a secret of more than thirty-two characters",
    BASE_PATH,
    RATE_LIMIT_MANAGEMENT: "unlimited",
    RATE_LIMIT_MATCH: "unlimited",
  };
  const observers = (service: string) => ({
    logger: createLogger({ service, instance: "test", level: "silent" }),
    metrics: createMetrics({ service }),
  });
  const management = createManagement({
    settings: readManagementSettings(environment),
    ...observers("management"),
    ...PATIENT_MANAGEMENT,
  });
  await management.start();
  await forgetLostLeases(redis.url);
  const instances = ["match-1", "match-2"].map((name) =>
    createMatchService({
      ...readMatchSettings({ ...environment, INSTANCE_NAME: name }),
      ...observers("match"),
      ...PATIENT_MATCH,
    }),
  );
  await Promise.all(instances.map((instance) => instance.waitUntilFresh(FRESH_WITHIN_MS)));
  const send = (
    app: Management["app"],
    method: "get" | "post" | "put" | "patch" | "delete",
    path: string,
    key: string,
  ) =>
    documented(
      request(app)
        [method](BASE_PATH + path)
        .auth(key, { type: "bearer" }),
    );
  return {
    async newKey() {
      return (await createAccountWithKey(management, { label: "contract" })).key;
    },
    manage: (key) => (method, path, body) => send(management.app, method, path, key).send(body),
    async match(key, body) {
      const answers: MatchAnswer[] = [];
      for (const { app } of instances) {
        const answer = await send(app, "post", "/match", key).send(body);
        const reason = answer.headers["x-no-match-reason"];
        answers.push({ status: answer.status, reason, body: answer.body });
      }
      return answers;
    },
    async stop() {
      await Promise.all(instances.map((instance) => instance.stop()));
      await management.stop();
      await redis.stop();
      await database.drop();
    },
  };
}

/** An active campaign of whoever manages, with one creative. */
export async function startCampaign(
  manage: ReturnType<Market["manage"]>,
  cpmBidCents: number,
): Promise<{ campaignId: string; creativeId: string }> {
  const campaign = { name: "Autumn", budget_cents: 100_000, cpm_bid_cents: cpmBidCents };
  const { id } = (await manage("post", "/campaigns", campaign).expect(201)).body;
  const creative = {
    creative_type: "narrative_hook",
    brand_name: "Ember",
    narrative_hook: "It smells of Ember.",
  };
  const made = await manage("post", `/campaigns/${id}/creatives`, creative).expect(201);
  await manage("post", `/campaigns/${id}/activate`).expect(200);
  return { campaignId: id, creativeId: made.body.id };
}
