import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createLogger } from "../observability/logger.ts";
import { createMetrics } from "../observability/metrics.ts";
import { type AppOptions, createApp } from "./app.ts";
import { type ListeningServer, listen } from "./listen.ts";

const AT_A_TIME = 3;
/** More than the buffers of a connection. */
const LARGE_CHARACTERS = 30_000_000;
const KEY = "igk_busy";
const OTHER_KEY = "igk_calm";
/** Account by SHA-256 of its key. */
const ACCOUNTS = new Map(
  [KEY, OTHER_KEY].map((key) => [createHash("sha256").update(key).digest("hex"), `acct of ${key}`]),
);

let server: ListeningServer;
let origin: string;
let finish: () => void;
let begun: number;
/** Counted before their bodies are read. */
let admitted: number;
let answer: string;
/** Answers that handlers have given. */
let sent: number;
/** Statuses of refused requests. */
let failures: number[];

beforeEach(() => start());

async function start(more: Partial<AppOptions> = {}): Promise<void> {
  begun = 0;
  admitted = 0;
  answer = "";
  failures = [];
  sent = 0;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const app = createApp({
    basePath: "/api",
    trustedProxies: ["loopback"],
    maxConcurrentRequests: AT_A_TIME,
    endpoints: ["POST /work", "POST /work/:id", "GET /work"].map((operation) => ({
      method: operation.startsWith("GET") ? ("GET" as const) : ("POST" as const),
      path: operation.slice(operation.indexOf("/")),
      group: "match" as const,
      scope: "serving" as const,
      role: "manager" as const,
      body: operation.startsWith("GET") ? ("none" as const) : ("json" as const),
      handle: async () => {
        begun += 1;
        await finished;
        setImmediate(() => {
          sent += 1;
        });
        return { status: 200, body: { answer } };
      },
    })),
    keys: {
      find: (sha256) => {
        const accountId = ACCOUNTS.get(sha256);
        return accountId === undefined
          ? undefined
          : {
              id: accountId,
              accountId,
              scopes: ["serving"],
              rateLimitPerMinute: null,
              rateLimitKeyId: accountId,
              accountLimits: { maxOwn: null },
            };
      },
      findSession: () => undefined,
    },
    rateLimiter: {
      take: (_kind, _id, limit) => {
        // Of the key; its account has ten times the limit.
        if (limit === 1_000) admitted += 1;
        return {
          allowed: true,
          limit,
          remaining: limit,
          resetUnixSeconds: 60,
          windowLeftMs: 1,
        };
      },
    },
    rateLimits: { match: 1_000, impressions: 1_000, management: 100, analytics: 60, explain: 60 },
    rateLimitAccountFactor: 10,
    logger: createLogger({ service: "test", instance: "test", level: "silent" }),
    metrics: createMetrics({ service: "test" }),
    readiness: {},
    pages: (request, response, next) => {
      if (request.path === "/page") response.send("page");
      else next();
    },
    onFailure: ({ status }) => failures.push(status),
    fastPath: true,
    ...more,
  });
  server = await listen(app, { host: "127.0.0.1", port: 0, portVariable: "PORT" });
  origin = `http://127.0.0.1:${server.port}`;
}
afterEach(async () => {
  finish();
  await server.close(1_000);
});

function work(path: string, key = KEY, signal?: AbortSignal): Promise<Response> {
  return fetch(`${origin}/api${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: "{}",
    ...(signal && { signal }),
  });
}

it.each(["/api", ""])("answers a page and the API, with the prefix %j", async (basePath) => {
  await start({ basePath });
  finish();
  expect(await (await fetch(`${origin}/page`)).text()).toBe("page");
  const [answer, missing] = await Promise.all(
    ["/work", "/none"].map((path) =>
      fetch(origin + basePath + path, { headers: { Authorization: `Bearer ${KEY}` } }),
    ),
  );
  expect(await answer?.json()).toEqual({ answer: "" });
  expect(await missing?.json()).toEqual({ detail: expect.stringContaining("Path not found") });
});

it("leaves the API and the probes to no page, whatever it would answer", async () => {
  await start({ pages: (_request, response) => response.send("page") });
  finish();
  for (const path of ["/api", "/api/none", "/api/work", "/healthz", "/readyz"]) {
    const headers = { Authorization: `Bearer ${KEY}`, Accept: "text/html" };
    expect((await fetch(origin + path, { headers })).headers.get("content-type")).toMatch(/json/);
  }
  expect(await (await fetch(`${origin}/other`)).text()).toBe("page");
});

describe.each([
  ["in the fast path", "/work"],
  ["behind Express", "/work/1"],
])("more requests at a time than may be, %s", (_where, path) => {
  it("are answered 503 at once, and those that run go on", async () => {
    const running = Array.from({ length: AT_A_TIME }, () => work(path));
    while (begun < AT_A_TIME) await new Promise((resolve) => setImmediate(resolve));

    const refused = await work(path);
    expect(refused.status).toBe(503);
    expect(await refused.json()).toEqual({ detail: expect.stringContaining("try again") });
    expect(refused.headers.get("Retry-After")).toBe("1");
    expect(refused.headers.get("X-RateLimit-Limit")).toBe("1000");
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    const others = work(path, OTHER_KEY);
    while (begun < AT_A_TIME + 1) await new Promise((resolve) => setImmediate(resolve));
    const page = await fetch(`${origin}/page`);
    expect([page.status, page.headers.get("Retry-After")]).toEqual([503, "1"]);

    finish();
    expect((await Promise.all([...running, others])).map(({ status }) => status)).toEqual([
      200, 200, 200, 200,
    ]);
    expect((await work(path)).status).toBe(200);
    expect((await fetch(`${origin}/page`)).status).toBe(200);
    expect(begun).toBe(AT_A_TIME + 2);
  });

  it("do not count when their clients read no answers", async () => {
    finish();
    answer = "x".repeat(LARGE_CHARACTERS);
    const request = `POST /api${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
    const sockets = Array.from({ length: AT_A_TIME }, () => connect(server.port, "127.0.0.1").pause());
    try {
      for (const socket of sockets) socket.write(request);
      while (begun < AT_A_TIME) await new Promise((resolve) => setImmediate(resolve));
      answer = "";
      expect((await work(path)).status).toBe(200);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  it("are refused to an account that leaves long answers unread, until their connections end", async () => {
    finish();
    answer = "x".repeat(LARGE_CHARACTERS);
    const request = `POST /api${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
    const sockets: Socket[] = [];
    try {
      for (let number = 1; number <= AT_A_TIME + 1; number += 1) {
        const socket = connect(server.port, "127.0.0.1").pause();
        sockets.push(socket);
        // The last one has its requests in one connection, whose second answer waits for the first.
        socket.write(number > AT_A_TIME ? request.repeat(2) : request);
        while (begun < number) await new Promise((resolve) => setImmediate(resolve));
      }
      answer = "";
      const refused = await work(path);
      expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "1"]);
      expect((await work(path, OTHER_KEY)).status).toBe(200);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    for (let status = 503; status !== 200; ) status = (await work(path)).status;
  });

  it("are not refused for answers to connections that had ended before", async () => {
    const request = `POST /api${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
    await server.close(1_000);
    await start({ maxConcurrentRequests: 100 });
    const socket = connect(server.port, "127.0.0.1");
    socket.write(request.repeat(5));
    while (begun < 5) await new Promise((resolve) => setImmediate(resolve));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.destroy();
    await closed;
    // Answered after the server has seen it close.
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    answer = "x".repeat(LARGE_CHARACTERS);
    finish();
    // In the order in which they began.
    while (sent < 5) await new Promise((resolve) => setImmediate(resolve));
    answer = "";
    expect((await work(path)).status).toBe(200);
  });

  it("do not count when their clients have gone", async () => {
    const gone = new AbortController();
    const running = Array.from({ length: AT_A_TIME }, () =>
      fetch(`${origin}/api${path}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" },
        body: "{}",
        signal: gone.signal,
      }).catch(() => undefined),
    );
    while (begun < AT_A_TIME) await new Promise((resolve) => setImmediate(resolve));
    gone.abort();
    await Promise.all(running);
    finish();
    for (let status = 503; status !== 200; ) status = (await work(path)).status;
  });
});

describe("requests of one account", () => {
  const later = () => new Promise((resolve) => setImmediate(resolve));

  it("run a few at a time, and leave room for those of others", async () => {
    await server.close(1_000);
    await start({ maxConcurrentRequests: 100, maxRunningPerAccount: { reads: 1, others: 2 } });
    const own = Array.from({ length: 5 }, () => work("/work"));
    while (admitted < 5) await later();
    const other = work("/work", OTHER_KEY);
    while (begun < 3) await later();
    expect(begun).toBe(3);
    finish();
    expect((await Promise.all([...own, other])).map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(begun).toBe(6);
  });

  it("run in other numbers when they only read", async () => {
    await server.close(1_000);
    await start({ maxConcurrentRequests: 100, maxRunningPerAccount: { reads: 1, others: 2 } });
    const headers = { Authorization: `Bearer ${KEY}` };
    const reads = Array.from({ length: 3 }, () => fetch(`${origin}/api/work`, { headers }));
    while (admitted < 3) await later();
    const change = work("/work");
    while (begun < 2) await later();
    expect(begun).toBe(2);
    finish();
    expect((await Promise.all([...reads, change])).map(({ status }) => status)).toEqual(Array(4).fill(200));
  });

  it("do not wait on when their clients have gone", async () => {
    await server.close(1_000);
    await start({ maxConcurrentRequests: 100, maxRunningPerAccount: { reads: 1, others: 2 } });
    const running = Array.from({ length: 2 }, () => work("/work"));
    while (begun < 2) await later();
    const gone = new AbortController();
    const waiting = Array.from({ length: 5 }, () => work("/work", KEY, gone.signal).catch(() => undefined));
    while (admitted < 7) await later();
    gone.abort();
    await Promise.all(waiting);
    // Forgotten while the others still run.
    while (failures.length < 5) await later();
    expect(failures).toEqual(Array(5).fill(503));
    finish();
    await Promise.all(running);
    expect((await work("/work")).status).toBe(200);
    expect(begun).toBe(3);
  });

  it("are refused when they have waited too long", async () => {
    await server.close(1_000);
    await start({ maxRunningPerAccount: { reads: 1, others: 1, maxWaitMs: 1 } });
    const running = work("/work");
    while (begun < 1) await later();
    const refused = await work("/work");
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "1"]);
    expect(await refused.json()).toEqual({ detail: expect.stringContaining("try again") });
    finish();
    expect((await running).status).toBe(200);
    expect((await work("/work")).status).toBe(200);
    expect(begun).toBe(2);
  });
});
