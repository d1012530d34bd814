/** The whole topology in one process, as `npm start` arranges it, with everything that it logs at `trace` in memory. */
import { Agent, request as httpRequest } from "node:http";
import { createBillingService } from "@diegetic/billing/service";
import { readBillingSettings } from "@diegetic/billing/settings";
import { newId, type Scope } from "@diegetic/contracts";
import { createAccountWithKey } from "@diegetic/management";
import { createManagement, type Management } from "@diegetic/management/management";
import { readManagementSettings } from "@diegetic/management/settings";
import { createMatchService } from "@diegetic/match/service";
import { readMatchSettings } from "@diegetic/match/settings";
import { createLogger, createMetrics, listen } from "@diegetic/service-kit";
import { createTestDatabase } from "@diegetic/testing/database";
import { sendRepeatedly } from "@diegetic/testing/documented";
import { forgetLostLeases } from "@diegetic/testing/new-redis";
import { PATIENT_MANAGEMENT, PATIENT_MATCH } from "@diegetic/testing/patient";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { createFront } from "../../../services/standalone/src/front/front.ts";
import { TargetDirectory } from "../../../services/standalone/src/front/targets.ts";

export const BASE = "/api";
const FRESH_WITHIN_MS = 60_000;
const LOCAL = { host: "127.0.0.1", port: 0, portVariable: "PORT" };

/** A request exactly as it is sent: nothing is encoded, corrected or added but the length. */
export interface Call {
  method: string;
  /** With the base path. */
  path: string;
  key?: string;
  headers?: Record<string, string | string[]>;
  /** Sent as JSON; a text or bytes as they are. */
  body?: unknown;
  /** Where it goes. Default: the front. */
  port?: number;
}

export interface Reply {
  status: number;
  headers: Record<string, string | undefined>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests examine
  body: any;
}

export interface Account {
  accountId: string;
  keyId: string;
  key: string;
}

/** A matched ad, ready to be billed. */
export interface Matched {
  match_id: string;
  campaign_id: string;
  creative_id: string;
  game_id: string;
}

export interface Platform {
  ports: { front: number; management: number; match: number[] };
  management: Management;
  redis: TestRedis;
  call(call: Call): Promise<Reply>;
  /** Fails unless the status is the expected one; answers the body. */
  expect(status: number, call: Call): Promise<Reply["body"]>;
  account(scopes?: readonly Scope[]): Promise<Account>;
  /** An account with a funded, active campaign whose bid is 1000 cents. */
  advertiser(): Promise<
    Account & { advertiserId: string; campaignId: string; creativeId: string; email: string }
  >;
  enableGame(key: string, gameId: string): Promise<void>;
  match(key: string, gameId: string, more?: object): Promise<Matched>;
  /** Everything that any part has logged. */
  log(): string;
  stop(): Promise<void>;
}

export async function startPlatform(environment: Record<string, string> = {}): Promise<Platform> {
  const [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  const lines: string[] = [];
  const parts = (service: string) => ({
    logger: createLogger(
      { service, instance: "test", level: "trace" },
      { write: (line) => void lines.push(line) },
    ),
    metrics: createMetrics({ service }),
  });
  const variables = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    PLAYER_HASH_KEY: "k".repeat(32),
    AUTH_SECRET: "a secret of more than thirty-two characters",
    BASE_PATH: BASE,
    ...Object.fromEntries(
      ["MATCH", "IMPRESSIONS", "MANAGEMENT", "ANALYTICS", "EXPLAIN"].map((name) => [
        `RATE_LIMIT_${name}`,
        "unlimited",
      ]),
    ),
    ...environment,
  };
  const management = createManagement({
    settings: readManagementSettings(variables),
    ...parts("management"),
    ...PATIENT_MANAGEMENT,
  });
  await management.start();
  await forgetLostLeases(redis.url);
  const matches = ["match-1", "match-2"].map((name) =>
    createMatchService({
      ...readMatchSettings({ ...variables, INSTANCE_NAME: name }),
      ...parts(name),
      ...PATIENT_MATCH,
    }),
  );
  const billing = createBillingService({ ...readBillingSettings(variables), ...parts("billing") });
  await Promise.all(matches.map((match) => match.waitUntilFresh(FRESH_WITHIN_MS)));
  const managementServer = await listen(management.app, LOCAL);
  const matchServers = await Promise.all(matches.map((match) => listen(match.app, LOCAL)));
  const targets = new TargetDirectory();
  const originOf = (server: { port: number }) => `http://127.0.0.1:${server.port}`;
  targets.replace({ management: originOf(managementServer), match: matchServers.map(originOf) });
  const front = createFront({ basePath: BASE, targets, logger: parts("front").logger });
  const frontServer = await listen(front.handler, LOCAL);
  const agent = new Agent({ keepAlive: true });

  const call = (wanted: Call) => {
    const { method } = wanted;
    const path = wanted.path.split("?", 1)[0] ?? "";
    return sendRepeatedly(async () => ({
      ...(await send({ port: frontServer.port, ...wanted }, agent)),
      method,
      path,
    }));
  };
  const expectStatus: Platform["expect"] = async (status, wanted) => {
    const reply = await call(wanted);
    if (reply.status !== status) {
      throw new Error(`${wanted.method} ${wanted.path}: ${reply.status} ${reply.text}, not ${status}`);
    }
    return reply.body;
  };
  const account: Platform["account"] = (scopes) =>
    createAccountWithKey(management, { label: "security", ...(scopes && { scopes }) });

  return {
    ports: {
      front: frontServer.port,
      management: managementServer.port,
      match: matchServers.map((server) => server.port),
    },
    management,
    redis,
    call,
    expect: expectStatus,
    account,
    async advertiser() {
      const made = await account();
      const { key } = made;
      const post = (path: string, body?: unknown, status = 201) =>
        expectStatus(status, { method: "POST", path: `${BASE}${path}`, key, body });
      const email = `${newId("acct")}@studio.example`;
      const { id: advertiserId } = await post("/register", { company_name: "Ember", contact_email: email });
      await post("/deposit", { amount_cents: 100_000 }, 200);
      const campaign = { name: "Autumn", budget_cents: 10_000, cpm_bid_cents: 1_000 };
      const { id: campaignId } = await post("/campaigns", campaign);
      const { id: creativeId } = await post(`/campaigns/${campaignId}/creatives`, {
        creative_type: "narrative_hook",
        brand_name: "Ember",
        narrative_hook: "It smells of Ember.",
        max_uses_per_game: 20,
      });
      await post(`/campaigns/${campaignId}/activate`, undefined, 200);
      return { ...made, advertiserId, campaignId, creativeId, email };
    },
    async enableGame(key, gameId) {
      await expectStatus(201, {
        method: "POST",
        path: `${BASE}/placements/${encodeURIComponent(gameId)}`,
        key,
        body: { creator_id: "studio", placement_types: ["narrative_hook"], max_ads_per_session: 50 },
      });
    },
    async match(key, gameId, more = {}) {
      const body = { game_id: gameId, user_id: newId("key"), game_context: {}, ...more };
      const answer = await expectStatus(200, { method: "POST", path: `${BASE}/match`, key, body });
      const { match_id, campaign_id, creative_id } = answer;
      return { match_id, campaign_id, creative_id, game_id: gameId };
    },
    log: () => lines.join(""),
    async stop() {
      agent.destroy();
      const servers = [frontServer, managementServer, ...matchServers];
      await Promise.all(servers.map((server) => server.close(0)));
      front.close();
      await Promise.all(matches.map((match) => match.stop()));
      await billing.stop();
      await management.stop();
      await redis.stop();
      await database.drop();
    },
  };
}

function send(call: Call & { port: number }, agent: Agent): Promise<Reply> {
  const { method, path, key, port } = call;
  const isRaw = typeof call.body === "string" || Buffer.isBuffer(call.body);
  const body = call.body === undefined || isRaw ? call.body : JSON.stringify(call.body);
  const headers = {
    ...(body === undefined
      ? {}
      : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body as string | Buffer) }),
    ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
    ...call.headers,
  };
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: "127.0.0.1", port, agent, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const isJson = /^application\/json/.test(response.headers["content-type"] ?? "");
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as Reply["headers"],
          text,
          body: isJson && text !== "" ? JSON.parse(text) : undefined,
        });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** The headers and the body of an error: what a stranger learns from it. */
export function isPlainError(reply: Reply): boolean {
  const names = reply.body === undefined ? [] : Object.keys(reply.body);
  return names.length === 1 && typeof reply.body.detail === "string";
}
