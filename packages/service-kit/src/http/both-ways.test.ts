/** Verifies that the fast path and Express give the same responses, byte for byte. */
import { createHash } from "node:crypto";
import { connect } from "node:net";
import { HttpError, InvalidInput } from "@diegetic/contracts";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createLogger } from "../observability/logger.ts";
import { createMetrics, type Metrics } from "../observability/metrics.ts";
import { createApp } from "./app.ts";
import type { Caller, Endpoint } from "./endpoint.ts";
import { type ListeningServer, listen } from "./listen.ts";

class StoreUnavailable extends Error {}

const NOW_MS = Date.UTC(2026, 5, 1);
/** Reached by the request that stops sending; the others have time on a busy machine. */
const TIMEOUTS = { headersMs: 2_000, requestMs: 4_000 };
const HEAD_END = "\r\n\r\n";
const LIMIT = 256 * 1024;

const key = (text: string, wish: Partial<Caller> = {}): [string, Caller] => [
  createHash("sha256").update(text).digest("hex"),
  {
    id: text,
    accountId: "acct_1",
    scopes: ["serving"],
    rateLimitPerMinute: "unlimited",
    rateLimitKeyId: text,
    accountLimits: { maxOwn: null },
    ...wish,
  },
];
const keys = new Map([
  key("igk_game"),
  key("igk_adv", { scopes: ["advertiser"] }),
  key("igk_spent", { rateLimitPerMinute: 0 }),
  key("igk_usual", { rateLimitPerMinute: null }),
]);

function validated(value: unknown): { do: string } {
  if (typeof value !== "object" || value === null) throw new InvalidInput(400, "the body must be an object");
  if (!("do" in value) || typeof value.do !== "string") throw new InvalidInput(422, "do must be text");
  return { do: value.do };
}

const endpoints: Endpoint[] = [
  {
    method: "POST",
    path: "/match",
    group: "match",
    scope: "serving",
    role: "manager",
    body: "json",
    handle: async (context) => {
      const body = context.body(validated);
      if (body.do === "conflict") throw new HttpError(409, "taken");
      if (body.do === "crash") throw new Error("the secret cause");
      if (body.do === "down") throw new StoreUnavailable("connection refused");
      if (body.do === "limited") await context.countAgainst("game", "g", 0);
      if (body.do === "nothing") return { status: 204, headers: { "X-No-Match-Reason": "budget" } };
      if (body.do === "text") return { status: 200, text: { mediaType: "text/csv", content: "ä,b\n" } };
      const { idempotencyKey, operation, accountId, clientAddress } = context;
      const query = context.query.get("q");
      return {
        status: 201,
        body: { echo: "für 🎲", idempotencyKey, operation, accountId, clientAddress, query },
      };
    },
  },
  {
    method: "POST",
    path: "/bodiless",
    group: "impressions",
    scope: "serving",
    role: "manager",
    body: "none",
    handle: async () => ({ status: 204 }),
  },
];

interface Way {
  server: ListeningServer;
  metrics: Metrics;
}
const ways: Way[] = [];

beforeAll(async () => {
  for (const fastPath of [false, true]) {
    const metrics = createMetrics({ service: "test" });
    const app = createApp({
      basePath: "/api",
      trustedProxies: ["loopback"],
      maxConcurrentRequests: 100,
      endpoints,
      fastPath,
      keys: { find: (sha256) => keys.get(sha256), findSession: () => undefined },
      rateLimiter: {
        take: (_kind, _id, limit) => ({
          allowed: limit > 0,
          limit,
          remaining: limit,
          resetUnixSeconds: 1,
          windowLeftMs: 1_000,
        }),
      },
      rateLimits: { match: 1000, impressions: 900, management: 100, analytics: 60, explain: 60 },
      rateLimitAccountFactor: 10,
      logger: createLogger({ service: "test", instance: "test", level: "silent" }),
      metrics,
      readiness: {},
      isStoreUnavailable: (error) => error instanceof StoreUnavailable,
      nowMs: () => NOW_MS,
    });
    const address = { host: "127.0.0.1", port: 0, portVariable: "PORT", timeouts: TIMEOUTS };
    ways.push({ server: await listen(app, address), metrics });
  }
});

afterAll(async () => {
  for (const { server } of ways) await server.close(0);
});

/** Sends the parts in order; `cut` ends the connection at once. Resolves with everything received when it ends. */
function exchange(port: number, parts: readonly string[], cut: boolean): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("utf8")));
    const [first = "", ...rest] = parts;
    socket.write(first, async () => {
      for (const part of rest) {
        await new Promise((soon) => setImmediate(soon));
        socket.write(part);
      }
      if (cut) setTimeout(() => socket.destroy(), 20);
    });
  });
}

/** Headers that differ between any two responses. */
function comparable(answer: string): string {
  return answer
    .replaceAll(/^Date: .+$/gm, "Date: …")
    .replaceAll(/^X-Request-Id: [0-9a-f-]{36}$/gm, "X-Request-Id: …");
}

async function askBoth(parts: readonly string[], { cut = false } = {}): Promise<string> {
  const answers = await Promise.all(ways.map(({ server }) => exchange(server.port, parts, cut)));
  const [express = "", fast = ""] = answers.map(comparable);
  expect(fast).toBe(express);
  return fast;
}

const CLOSE = "Connection: close";
function request(line: string, headers: readonly string[], body = ""): string[] {
  const length = body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return [[`${line} HTTP/1.1`, "Host: x", CLOSE, ...length, ...headers].join("\r\n") + HEAD_END + body];
}
const bearer = (name: string) => `Authorization: Bearer ${name}`;
const JSON_TYPE = "Content-Type: application/json";
const post = (body: string, ...headers: string[]) =>
  request("POST /api/match", [bearer("igk_game"), JSON_TYPE, ...headers], body);
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const chunked = (...texts: string[]) => [
  request("POST /api/match", [bearer("igk_game"), JSON_TYPE, "Transfer-Encoding: chunked"])[0] ?? "",
  ...texts.map(chunk),
  "0\r\n\r\n",
];
const command = (what: string) => JSON.stringify({ do: what });

describe("both ways", () => {
  const cases: [string, string[], number][] = [
    ["fine", post(command("echo")), 201],
    ["with a query", request("POST /api/match?q=a%20b", [bearer("igk_game"), JSON_TYPE], command("x")), 201],
    ["an empty query", request("POST /api/match?", [bearer("igk_game"), JSON_TYPE], command("x")), 201],
    ["behind a proxy", post(command("echo"), "X-Forwarded-For: 203.0.113.9, 10.0.0.1"), 201],
    ["an idempotency key", post(command("echo"), "Idempotency-Key: k1"), 201],
    ["an empty idempotency key", post(command("echo"), "Idempotency-Key:"), 400],
    ["two idempotency keys", post(command("echo"), "Idempotency-Key: a", "Idempotency-Key: b"), 201],
    ["no content", post(command("nothing")), 204],
    ["text", post(command("text")), 200],
    [
      "charset",
      request("POST /api/match", [bearer("igk_game"), `${JSON_TYPE}; Charset="UTF-8"`], command("x")),
      201,
    ],
    [
      "a key in other letters",
      request("POST /api/match", ["authorization: bEARER igk_game", JSON_TYPE], command("x")),
      201,
    ],
    ["a limited key", request("POST /api/match", [bearer("igk_usual"), JSON_TYPE], command("x")), 201],
    ["no key", request("POST /api/match", [JSON_TYPE], command("x")), 401],
    ["malformed key", request("POST /api/match", ["Authorization: Basic abc", JSON_TYPE], command("x")), 401],
    ["unknown key", request("POST /api/match", [bearer("igk_none"), JSON_TYPE], command("x")), 401],
    ["limit used up", request("POST /api/match", [bearer("igk_spent"), JSON_TYPE], "{"), 429],
    ["second limit used up", post(command("limited")), 429],
    ["scope", request("POST /api/match", [bearer("igk_adv"), "Content-Type: text/plain"], "{"), 403],
    ["conflict", post(command("conflict")), 409],
    ["crash", post(command("crash")), 500],
    ["store unavailable", post(command("down")), 503],
    ["wrong field", post("{}"), 422],
    ["no object", post("1"), 400],
    ["malformed", post("{"), 400],
    ["no body", post(""), 400],
    ["nested deeply", post(`${"[".repeat(33)}${"]".repeat(33)}`), 400],
    ["brackets in a text", post(JSON.stringify({ do: "[".repeat(40) })), 201],
    ["media type", request("POST /api/match", [bearer("igk_game"), "Content-Type: text/plain"], "{}"), 415],
    ["no media type", request("POST /api/match", [bearer("igk_game")], "{}"), 415],
    ["compressed", post("{}", "Content-Encoding: gzip"), 415],
    ["identity", post(command("x"), "Content-Encoding: Identity"), 201],
    ["largest body", post(command("x").padEnd(LIMIT)), 201],
    ["too large", post(command("x").padEnd(LIMIT + 1)), 413],
    ["chunked", chunked('{"do":', '"x"}'), 201],
    ["chunked and empty", chunked(), 400],
    ["chunked and too large", chunked(command("x").padEnd(LIMIT - 10), " ".repeat(11)), 413],
    ["a body where none is read", request("POST /api/bodiless", [bearer("igk_game")], "whatever"), 204],
    [
      "in pieces",
      [
        ...post("").map((head) => head.replace(HEAD_END, `\r\nContent-Length: 10${HEAD_END}`)),
        '{"do"',
        ':"x"}',
      ],
      201,
    ],
    ["expects 100-continue", post(command("x"), "Expect: 100-continue"), 201],
    ["another expectation", post(command("x"), "Expect: the-unexpected"), 201],
    ["HEAD", request("HEAD /api/match", [bearer("igk_game")]), 405],
    ["GET", request("GET /api/match", [bearer("igk_game")]), 405],
    ["trailing slash", request("POST /api/match/", [bearer("igk_game"), JSON_TYPE], command("x")), 404],
    ["other letters", request("POST /api/Match", [bearer("igk_game"), JSON_TYPE], command("x")), 404],
    ["two slashes", request("POST //api/match", [bearer("igk_game"), JSON_TYPE], command("x")), 404],
    ["encoded letters", request("POST /api/m%61tch", [bearer("igk_game"), JSON_TYPE], command("x")), 404],
    ["broken encoding", request("POST /api/match%zz", [bearer("igk_game"), JSON_TYPE], command("x")), 404],
    [
      "an address as the target",
      request("POST http://x/api/match", [bearer("igk_game"), JSON_TYPE], command("x")),
      201,
    ],
    ["a fragment", request("POST /api/match#x", [bearer("igk_game"), JSON_TYPE], command("x")), 201],
    ["no such path", request("POST /api/other", [bearer("igk_game"), JSON_TYPE], command("x")), 404],
    ["two lengths", post(command("x"), "Content-Length: 1"), 400],
    ["length and chunks", post(command("x"), "Transfer-Encoding: chunked"), 400],
    ["headers too large", post(command("x"), `X-Long: ${"x".repeat(20_000)}`), 431],
    [
      "less than was announced",
      request("POST /api/match", [bearer("igk_game"), JSON_TYPE, "Content-Length: 50"]),
      408,
    ],
  ];

  it.each(cases)("%s", async (_name, parts, status) => {
    const answer = await askBoth(parts);
    const final = answer.slice(answer.startsWith("HTTP/1.1 100") ? answer.indexOf(HEAD_END) + 4 : 0);
    expect(final).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(final).not.toContain("secret");
  });

  it("several requests on one connection", async () => {
    const open = (what: string) =>
      post(command(what)).map((one) => one.replace(CLOSE, "Connection: keep-alive"));
    const answer = await askBoth([
      ...open("echo"),
      ...open("conflict"),
      ...open("nothing"),
      ...post(command("text")),
    ]);
    expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(
      [201, 409, 204, 200].map((status) => `HTTP/1.1 ${status}`),
    );
    // Without it, Node's fetch closes a connection that was idle for 4 s.
    expect(answer.match(/^keep-alive: .*$/gim)).toEqual(Array(3).fill("Keep-Alive: timeout=65"));
  });

  it("a refused body does not become the next request", async () => {
    const body = `POST /api/match HTTP/1.1\r\nHost: x\r\n\r\n`;
    const refused = request("POST /api/match", [JSON_TYPE], body).map((one) => one.replace(CLOSE, "X: y"));
    const answer = await askBoth([...refused, ...post(command("echo"))]);
    expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 401", "HTTP/1.1 201"]);
  });

  it("clients that leave in the middle of a body", async () => {
    const head = request("POST /api/match", [bearer("igk_game"), JSON_TYPE, "Content-Length: 100"]);
    await askBoth([...head, '{"do":'], { cut: true });
    await eventually(async () => {
      const texts = await Promise.all(ways.map(({ metrics }) => metrics.exposition()));
      return texts.every(({ text }) => text.includes('route="/match",status="aborted"'));
    });
  });

  it("are measured equally", async () => {
    const [express, fast] = await Promise.all(
      ways.map(async ({ metrics }) =>
        (await metrics.exposition()).text.split("\n").filter((line) => line.includes("seconds_count")),
      ),
    );
    expect(fast?.sort()).toEqual(express?.sort());
  });
});
