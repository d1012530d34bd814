import { Agent, request as httpRequest } from "node:http";
import { createBillingService } from "@diegetic/billing/service";
import { readBillingSettings } from "@diegetic/billing/settings";
import { createAccountWithKey, type KeyOptions } from "@diegetic/management";
import { createManagement, type Management } from "@diegetic/management/management";
import { readManagementSettings } from "@diegetic/management/settings";
import { createMatchService } from "@diegetic/match/service";
import { readMatchSettings } from "@diegetic/match/settings";
import { createLogger, createMetrics, listen } from "@diegetic/service-kit";
import { createTestDatabase } from "@diegetic/testing/database";
import { type SeenAnswer, sendRepeatedly } from "@diegetic/testing/documented";
import { forgetLostLeases } from "@diegetic/testing/new-redis";
import { PATIENT_MANAGEMENT, PATIENT_MATCH } from "@diegetic/testing/patient";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";

export const BASE_PATH = "/api";
const MATCH_PATHS = new Set([`${BASE_PATH}/match`, `${BASE_PATH}/impressions`]);
const FRESH_WITHIN_MS = 60_000;

/** A request exactly as it is to be sent (again, where `sendRepeatedly` does so): nothing is encoded, corrected or added. */
export interface RawRequest {
  method: string;
  /** With the base path and the query. */
  path: string;
  headers: Record<string, string>;
  /** Undefined: none. */
  body?: string | Buffer;
}

/** Management, match and billing on stores of their own, behind one `send` as behind one address. */
export interface ComposedApi {
  send(request: RawRequest): Promise<SeenAnswer>;
  /** A key of a new account, without limits. */
  newKey(): Promise<string>;
  /** A new account; what its key may do and how often as the options say, all and without limits by default. */
  newAccount(options?: Partial<KeyOptions>): Promise<{ accountId: string; key: string }>;
  /** Where a path below the base path is answered. */
  origin(path: string): string;
  /** Of each match instance. */
  matchOrigins: readonly string[];
  database: Management["database"];
  redis: TestRedis;
  stop(): Promise<void>;
}

/**
 * @param settings of the services, as environment variables
 * @param matchInstances of which `send` uses the first
 */
export async function startComposedApi(
  settings: Record<string, string> = {},
  matchInstances = 1,
): Promise<ComposedApi> {
  const [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  const environment = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    PLAYER_HASH_KEY: "k".repeat(32),
    AUTH_SECRET: "a secret of more than thirty-two characters",
    BASE_PATH,
    ...settings,
  };
  const parts = (service: string) => ({
    logger: createLogger({ service, instance: "test", level: "silent" }),
    metrics: createMetrics({ service }),
  });
  const management = createManagement({
    settings: readManagementSettings(environment),
    ...parts("management"),
    ...PATIENT_MANAGEMENT,
  });
  await management.start();
  await forgetLostLeases(redis.url);
  const matches = Array.from({ length: matchInstances }, (_, index) =>
    createMatchService({
      ...readMatchSettings({ ...environment, INSTANCE_NAME: `match-${index + 1}` }),
      ...parts("match"),
      ...PATIENT_MATCH,
    }),
  );
  const billing = createBillingService({ ...readBillingSettings(environment), ...parts("billing") });
  await Promise.all(matches.map((match) => match.waitUntilFresh(FRESH_WITHIN_MS)));
  const address = { host: "127.0.0.1", port: 0, portVariable: "PORT" };
  const servers = {
    management: await listen(management.app, address),
    match: await Promise.all(matches.map((match) => listen(match.app, address))),
  };
  const agent = new Agent({ keepAlive: true });
  const newAccount = (options: Partial<KeyOptions> = {}) =>
    createAccountWithKey(management, { label: "contract", rateLimitPerMinute: "unlimited", ...options });
  const originOf = ({ port }: { port: number }) => `http://127.0.0.1:${port}${BASE_PATH}`;
  const serverOf = (pathWithBase: string) =>
    (MATCH_PATHS.has(pathWithBase) && servers.match[0]) || servers.management;
  return {
    send: (raw) => sendRepeatedly(() => send(raw, serverOf(raw.path.split("?", 1)[0] ?? "").port, agent)),
    newAccount,
    newKey: async () => (await newAccount()).key,
    origin: (path) => originOf(serverOf(BASE_PATH + path)),
    matchOrigins: servers.match.map(originOf),
    database: management.database,
    redis,
    async stop() {
      agent.destroy();
      await Promise.all([servers.management, ...servers.match].map((server) => server.close(0)));
      await Promise.all(matches.map((match) => match.stop()));
      await billing.stop();
      await management.stop();
      await redis.stop();
      await database.drop();
    },
  };
}

function send(raw: RawRequest, port: number, agent: Agent): Promise<SeenAnswer> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, agent, method: raw.method, path: raw.path };
    const length = raw.body === undefined ? {} : { "Content-Length": Buffer.byteLength(raw.body) };
    const sent = httpRequest({ ...options, headers: { ...length, ...raw.headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({
          method: raw.method,
          path: raw.path.split("?", 1)[0] ?? "",
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(headers),
          text: Buffer.concat(chunks).toString("utf8"),
        });
      });
    });
    sent.on("error", reject);
    sent.end(raw.body);
  });
}
