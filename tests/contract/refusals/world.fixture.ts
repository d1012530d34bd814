import { apiKeyOperations, newId, type Operation } from "@diegetic/contracts";
import { createMoneyCommands } from "@diegetic/hot-state";
import type { KeyOptions } from "@diegetic/management";
import { documented, repeatedly, retryAfterMs } from "@diegetic/testing/documented";
import { lapseHolds } from "@diegetic/testing/lapse-holds";
import { startTestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import request, { type Response, type Test } from "supertest";
import { type ComposedApi, startComposedApi } from "../composed-api.fixture.ts";

/** What the path of an operation can name, by the name of the parameter. */
export type Named = Record<
  | "campaign_id"
  | "creative_id"
  | "geo_target_id"
  | "blocklist_rule_id"
  | "affinity_id"
  | "key_id"
  | "webhook_id"
  | "delivery_id"
  | "game_id",
  string
>;

/** A key, and what its account has. */
export interface Caller {
  key: string;
  accountId: string;
  named: Named;
}

export interface Call {
  by?: Caller;
  /** What the path names instead of what the caller has. */
  named?: Partial<Named>;
  body?: unknown;
  query?: string;
  headers?: Record<string, string>;
}

/** The running API with two advertisers that have a little of everything, and an account that has nothing. */
export interface World {
  api: ComposedApi;
  owner: Caller;
  other: Caller;
  nobody: Caller;
  /** Calls an operation, as the owner and without a body unless it is said. The answer has to be a documented one. */
  call(operation: Pick<Operation, "method" | "path">, call?: Call): Test;
  /** Calls an operation that a test needs to succeed. Repeats a 503 under one Idempotency-Key, as a client does. */
  setUp(operationId: string, call: Call): Promise<Response>;
  /** A new account, which has registered and deposited, but has nothing else. */
  advertiser(depositCents?: number): Promise<Caller>;
  account(options?: Partial<KeyOptions>): Promise<Caller>;
  /** A campaign of the caller; active ones have a creative. */
  campaign(by: Caller, fields?: object, state?: "empty" | "draft" | "active"): Promise<Partial<Named>>;
  /** Ends the open holds of an advertiser before their time. */
  lapseHolds(advertiserId: string): Promise<void>;
  stop(): Promise<void>;
}

export const campaignBody = { name: "Winter", budget_cents: 100_000, cpm_bid_cents: 1_200 };
export const creativeBody = {
  creative_type: "narrative_hook",
  brand_name: "Emberroast",
  narrative_hook: "It smells of Emberroast.",
};
export const placementBody = { creator_id: "studio-42", placement_types: ["narrative_hook"] };
export const webhookBody = { url: "https://studio.example/events", events: ["campaign.exhausted"] };
const DEPOSIT_CENTS = 1_000_000;

const nobodys = (): Named => ({
  campaign_id: newId("camp"),
  creative_id: newId("crt"),
  geo_target_id: newId("geo"),
  blocklist_rule_id: newId("blk"),
  affinity_id: newId("aff"),
  key_id: newId("key"),
  webhook_id: newId("whk"),
  delivery_id: newId("whd"),
  game_id: `game-${newId("acct")}`,
});

export function operationNamed(operationId: string): Operation {
  const found = apiKeyOperations().find((operation) => operation.operationId === operationId);
  if (found === undefined) throw new Error(`there is no operation ${operationId}`);
  return found;
}

export async function startWorld(): Promise<World> {
  const api = await startComposedApi({ RATE_LIMIT_MATCH_PER_GAME: "1000" });
  const redis = connectTestRedis(api.redis.url);
  redis.on("error", () => {});
  const money = createMoneyCommands(redis);

  const account: World["account"] = async (options) => ({
    ...(await api.newAccount(options)),
    named: nobodys(),
  });
  const nobody = await account();
  const call = (operation: Pick<Operation, "method" | "path">, given: Call, byDefault: Caller): Test => {
    const by = given.by ?? byDefault;
    const named: Record<string, string> = { ...by.named, ...given.named };
    const path = operation.path.replace(/\{(\w+)\}/g, (_braces, name: string) => named[name] ?? "");
    const method = operation.method.toLowerCase() as "get" | "post" | "put" | "patch" | "delete";
    const test = request(api.origin(path))
      [method](path + (given.query ?? ""))
      .set({ Authorization: `Bearer ${by.key}`, ...given.headers });
    if (given.body === undefined) return documented(test);
    if (given.headers?.["Content-Type"] === undefined) test.set("Content-Type", "application/json");
    return documented(test.send(given.body as object));
  };
  const setUp: World["setUp"] = async (operationId, given) => {
    const headers = { "Idempotency-Key": newId("acct"), ...given.headers };
    const answer = await repeatedly(
      () => call(operationNamed(operationId), { ...given, headers }, nobody),
      (refused) => retryAfterMs(refused.status, refused.headers["retry-after"]),
    );
    if (answer.status >= 300) throw new Error(`${operationId}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const made = async (by: Caller, operationId: string, body: unknown, named: Partial<Named> = {}) =>
    (await setUp(operationId, { by, body, named })).body.id as string;
  const advertiser: World["advertiser"] = async (depositCents = DEPOSIT_CENTS) => {
    const by = await account();
    const contact_email = `${by.accountId}@example.com`;
    await made(by, "registerAdvertiser", { company_name: "Ember", contact_email });
    if (depositCents > 0) await made(by, "depositFunds", { amount_cents: depositCents });
    return by;
  };
  const campaign: World["campaign"] = async (by, fields = {}, state = "active") => {
    const named: Partial<Named> = {
      campaign_id: await made(by, "createCampaign", {
        ...campaignBody,
        target_categories: ["elsewhere"],
        ...fields,
      }),
    };
    if (state === "empty") return named;
    named.creative_id = await made(by, "createCreative", creativeBody, named);
    if (state === "active") await made(by, "activateCampaign", undefined, named);
    return named;
  };
  const furnished = async (): Promise<Caller> => {
    const by = await advertiser();
    const named = { ...by.named, ...(await campaign(by, {}, "draft")) };
    named.geo_target_id = await made(by, "createGeoTarget", place, named);
    named.blocklist_rule_id = await made(by, "createBlocklistRule", rule, named);
    named.affinity_id = await made(by, "createAffinity", affinity, named);
    named.key_id = await made(by, "createApiKey", { label: "spare" });
    named.webhook_id = await made(by, "createWebhook", webhookBody);
    named.delivery_id = await made(by, "testWebhook", undefined, named);
    await made(by, "enablePlacement", placementBody, named);
    return { ...by, named };
  };
  const owner = await furnished();
  return {
    api,
    owner,
    other: await furnished(),
    nobody,
    call: (operation, given = {}) => call(operation, given, owner),
    setUp,
    advertiser,
    account,
    campaign,
    async lapseHolds(advertiserId) {
      await lapseHolds(redis, advertiserId);
      const { holds } = await money.listLapsed(advertiserId, 100);
      for (const hold of holds) await money.release(hold, "lapsed");
    },
    async stop() {
      redis.disconnect();
      // The services let go of a Redis that answers.
      const port = Number(new URL(api.redis.url).port);
      const again = await startTestRedis({ port }).catch(() => undefined);
      await api.stop();
      await again?.stop();
    },
  };
}

const place = { target_type: "city", country_code: "DE", city_name: "Berlin" };
const rule = { rule_type: "keyword", value: "storm" };
const affinity = { affinity_type: "mood", affinity_value: "calm" };

/** What the first answers of an account showed cannot be derived again: the stored seeds are others. */
export async function changeStoredSeeds(world: World, accountId: string): Promise<void> {
  await world.api.database.$executeRaw`
    UPDATE idempotency_keys SET response = jsonb_set(response::jsonb, '{seed}', '"other"')
    WHERE account_id = ${accountId}`;
}
