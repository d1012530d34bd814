import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { apiClient, enableGame, startCampaign } from "@diegetic/testing/api";
import { type CollectedSpan, type Collector, openCollector } from "@diegetic/testing/collector";
import { eventually } from "@diegetic/testing/eventually";
import { freePort } from "@diegetic/testing/free-port";
import { startTestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { startStackOnTestStores } from "@diegetic/testing/stack";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ROOT } from "../deploy/compose-file.ts";
import { start } from "../load/serving/processes.ts";
import { gameName, KEY, makeWorld } from "../load/serving/world.ts";
import { createKey } from "./create-key.ts";

const TIMEOUT_MS = 300_000;
const PATIENCE = { timeoutMs: 60_000, everyMs: 50 };
const GAME = "traced-game";
const PLAYER = "player-who-is-not-traced";
const UNKNOWN_CAMPAIGN = "/campaigns/camp_01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** A stack, a game, a campaign; the processes write the addresses of their modules when they end. */
async function startWorld(environment: Record<string, string>) {
  const dataDir = mkdtempSync(join(tmpdir(), "diegetic-traces-"));
  const coverage = join(dataDir, "coverage");
  const stack = await startStackOnTestStores({
    dataDir,
    environment: { DEMO: "0", LOG_LEVEL: "debug", NODE_V8_COVERAGE: coverage, ...environment },
  });
  const key = await createKey(stack, "traces");
  const api = apiClient(stack.describe().baseUrl, key);
  await enableGame(api, GAME);
  await startCampaign(api, { depositCents: 100_000, budgetCents: 100_000, cpmBidCents: 100 });
  const match = (headers: Record<string, string> = {}) =>
    api.serve("/match", { game_id: GAME, user_id: PLAYER, game_context: {} }, headers);
  await eventually(async () => (await match()).status === 200, PATIENCE);
  return { dataDir, coverage, stack, key, api, match };
}

function logLines(dataDir: string, service: string): Record<string, unknown>[] {
  const lines = readFileSync(join(dataDir, "logs", `${service}.log`), "utf8")
    .trim()
    .split("\n");
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
}

/** The modules of each process whose entry file is the match service's. */
function modulesOfMatch(coverage: string): string[][] {
  return readdirSync(coverage)
    .map((name) => JSON.parse(readFileSync(join(coverage, name), "utf8")))
    .map(({ result }: { result: { url: string }[] }) => result.map(({ url }) => url))
    .filter((urls) => urls.some((url) => url.endsWith("/services/match/bundle/main.js")));
}

/** Except its interfaces, which prom-client loads as well. */
function isOfOpenTelemetry(url: string): boolean {
  return /\/@opentelemetry\/(?!api\/)|\/open-telemetry\.js$/.test(url);
}

describe("with a collector", () => {
  let world: Awaited<ReturnType<typeof startWorld>>;
  let collector: Collector;
  let port: number;

  beforeAll(async () => {
    // The stack starts while nobody listens.
    port = await freePort();
    world = await startWorld({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: "2500",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    });
  }, TIMEOUT_MS);
  afterAll(async () => {
    await world?.stack.pressCtrlC();
    collector?.close();
    rmSync(world.dataDir, { recursive: true, force: true });
  }, TIMEOUT_MS);

  const ofTrace = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);
  const parentOf = (span: CollectedSpan | undefined) =>
    collector.spans.find(({ spanId }) => spanId === span?.parentSpanId)?.name;

  it(
    "serves while the collector is unreachable, and logs that",
    async () => {
      const lines = () =>
        logLines(world.dataDir, "match-1").filter(({ msg }) => msg === "trace export unavailable");
      await eventually(() => lines().length > 0, PATIENCE);
      expect(lines()[0]).toMatchObject({
        level: 40,
        failures: 1,
        reason: expect.stringContaining("ECONNREFUSED"),
      });
      expect(lines()[0]).not.toHaveProperty("trace_id");
      expect((await world.match()).status).toBe(200);
    },
    TIMEOUT_MS,
  );

  it(
    "records one trace from a request to the transaction that bills it",
    async () => {
      collector = await openCollector(port);
      const traceId = "5b8aa5a2d2c872e8321cf37308d69df2";
      const caller = "051581bf3cb55c13";
      const traceparent = `00-${traceId}-${caller}-01`;
      const matched = await world.match({ traceparent });
      expect(matched.status).toBe(200);
      const { match_id, campaign_id, creative_id } = matched.body;
      const impression = { match_id, campaign_id, creative_id, game_id: GAME };
      const recorded = await world.api.serve("/impressions", impression, { traceparent });
      expect(recorded.status).toBe(201);
      // For the next test: services send their spans every five seconds.
      expect((await world.api.request("GET", UNKNOWN_CAMPAIGN)).status).toBe(404);
      const spans = () => ofTrace(traceId);
      const one = (name: string) => spans().find((span) => span.name === name);
      const awaited = ["POST /match", "POST /impressions", "billing job", "transaction"];
      await eventually(() => awaited.every((name) => one(name) !== undefined), PATIENCE);

      expect(one("POST /match")).toMatchObject({
        service: "diegetic-match",
        parentSpanId: caller,
        attributes: {
          "http.request.method": "POST",
          "http.route": "/match",
          "http.response.status_code": 200,
          "diegetic.game_id": GAME,
          "diegetic.request_id": matched.headers.get("x-request-id"),
        },
      });
      expect(String(one("POST /match")?.attributes["diegetic.account_id"])).toMatch(/^acct_/);
      expect(one("POST /impressions")).toMatchObject({ service: "diegetic-match", parentSpanId: caller });
      expect(parentOf(one("script reserve and admit"))).toBe("POST /match");
      expect(parentOf(one("script commit"))).toBe("POST /impressions");
      expect(one("billing job")).toMatchObject({
        service: "diegetic-billing",
        parentSpanId: one("POST /impressions")?.spanId,
        attributes: { "messaging.batch.message_count": 1 },
      });
      expect(one("transaction")?.service).toBe("diegetic-billing");
      expect(parentOf(one("transaction"))).toBe("billing job");
      expect(spans().filter(({ isFailed }) => isFailed)).toEqual([]);

      const ofRequests = () =>
        logLines(world.dataDir, "match-1").filter(({ trace_id }) => trace_id === traceId);
      await eventually(() => ofRequests().length >= 2, PATIENCE);
      const answered = ofRequests();
      expect(answered.map(({ msg, route }) => [msg, route])).toEqual([
        ["answered", "/match"],
        ["answered", "/impressions"],
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    "names routes by their template, and neither players nor keys",
    async () => {
      const find = () => collector.spans.find(({ name }) => name === "GET /campaigns/:campaignId");
      const span = await eventually(find, PATIENCE);
      expect(span).toMatchObject({ service: "diegetic-management", isFailed: false });
      const text = collector.received.join("\n");
      expect(text).toContain("deployment.environment.name");
      for (const secret of [PLAYER, world.key, basename(UNKNOWN_CAMPAIGN)]) {
        expect(text).not.toContain(secret);
      }
    },
    TIMEOUT_MS,
  );

  it(
    "ends in order although the collector no longer answers",
    async () => {
      collector.fallSilent();
      expect((await world.match()).status).toBe(200);
      expect(await world.stack.pressCtrlC()).toBe(0);
      expect(logLines(world.dataDir, "match-1").at(-1)).toMatchObject({ msg: "stopped" });
      const [modules = []] = modulesOfMatch(world.coverage);
      expect(modules.filter(isOfOpenTelemetry)).not.toEqual([]);
    },
    TIMEOUT_MS,
  );
});

describe("without a collector", () => {
  const coverage = mkdtempSync(join(tmpdir(), "diegetic-untraced-"));
  afterAll(() => rmSync(coverage, { recursive: true, force: true }));

  it(
    "loads nothing of OpenTelemetry into a match instance",
    async () => {
      const store = await startTestRedis();
      const redis = connectTestRedis(store.url);
      await makeWorld(redis, 10);
      const instance = await start(`${ROOT}services/match/bundle/main.js`, [], {
        REDIS_URL: store.url,
        PORT: "0",
        METRICS_PORT: "0",
        PLAYER_HASH_KEY: "k".repeat(32),
        AUTH_SECRET: "a".repeat(32),
        LOG_LEVEL: "warn",
        NODE_V8_COVERAGE: coverage,
      });
      const api = apiClient(`http://127.0.0.1:${instance.port}/api`, KEY);
      const scene = { game_id: gameName(1), user_id: PLAYER, game_context: {} };
      await eventually(async () => (await api.request("POST", "/match", scene)).status === 200, PATIENCE);
      await instance.stop();
      redis.disconnect();
      await store.stop();
      const processes = modulesOfMatch(coverage);
      expect(processes).toHaveLength(1);
      expect(processes[0]?.filter(isOfOpenTelemetry)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
