import { createServer } from "node:http";
import { createLogger, type ListeningServer, listen } from "@diegetic/service-kit";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createFront } from "../../../services/standalone/src/front/front.ts";
import { TargetDirectory } from "../../../services/standalone/src/front/targets.ts";
import { rawExchange } from "./raw-exchange.fixture.ts";

const ADDRESS = { host: "127.0.0.1", port: 0, portVariable: "PORT" };
/** In the order of the product: the front's first. */
const SHORT_TIMEOUTS = {
  front: { headersMs: 300, requestMs: 600 },
  service: { headersMs: 300, requestMs: 1_200 },
};

/** The requests that a service behind the front received, one line each. */
const seen: string[] = [];
const closers: (() => unknown)[] = [];
let service: ListeningServer;
let front: ListeningServer;

/** A front and a service behind it. @param timeouts default: those of the product */
async function startServers(timeouts?: typeof SHORT_TIMEOUTS) {
  const behind = await listen(
    (request, response) => {
      const { method, url, headers } = request;
      let length = 0;
      request.on("error", () => undefined);
      request.on("data", (chunk: Buffer) => {
        length += chunk.length;
      });
      request.on("end", () => {
        seen.push(`${method} ${url} ${length} ${headers["x-forwarded-for"]}`);
        response.end("{}");
      });
    },
    { ...ADDRESS, ...(timeouts && { timeouts: timeouts.service }) },
  );
  const targets = new TargetDirectory();
  const origin = `http://127.0.0.1:${behind.port}`;
  targets.replace({ management: origin, match: [origin, origin] });
  const logger = createLogger({ service: "front", instance: "test", level: "silent" });
  const { handler, close } = createFront({ basePath: "/api", targets, logger });
  const before = await listen(handler, { ...ADDRESS, ...(timeouts && { timeouts: timeouts.front }) });
  closers.push(
    () => before.close(100),
    close,
    () => behind.close(100),
  );
  return { front: before, service: behind };
}

beforeAll(async () => {
  ({ front, service } = await startServers());
});
afterAll(async () => {
  for (const close of closers) await close();
});

const SMUGGLED = "GET /api/smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
const post = (path: string, ...headers: string[]) => [`POST ${path} HTTP/1.1`, "Host: x", ...headers, ""];

describe("requests that two parsers could read differently", () => {
  const length = `Content-Length: ${SMUGGLED.length + 5}`;
  const conflicts: [string, string[]][] = [
    ["length and chunks", [length, "Transfer-Encoding: chunked"]],
    ["chunks and length", ["Transfer-Encoding: chunked", "Content-Length: 4"]],
    ["two lengths", ["Content-Length: 4", length]],
    ["two lengths in one header", [`Content-Length: 4, ${SMUGGLED.length}`]],
    ["a length with a sign", ["Content-Length: +4"]],
    ["a negative length", ["Content-Length: -1"]],
    ["a length in hexadecimal", ["Content-Length: 0x4"]],
    ["a length beyond all numbers", ["Content-Length: 99999999999999999999"]],
    ["chunks in unknown letters", ["Transfer-Encoding: xchunked"]],
    ["chunks that are not the last coding", ["Transfer-Encoding: chunked, identity"]],
    ["two codings", ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"]],
    ["a space before the colon", ["Transfer-Encoding : chunked"]],
    ["a folded header", ["X-Folded: a", " Transfer-Encoding: chunked"]],
    ["a bare line feed", ["X-A: b\nTransfer-Encoding: chunked"]],
    ["a bare carriage return", ["X-A: b\rTransfer-Encoding: chunked"]],
    ["a NUL in a header", ["X-A: b\0"]],
    ["a header without a name", [": x"]],
  ];

  it.each(conflicts)("are refused: %s", async (_case, headers) => {
    for (const path of ["/api/match", "/api/campaigns"]) {
      seen.length = 0;
      const answer = await rawExchange(front.port, [...post(path, ...headers), `0\r\n\r\n${SMUGGLED}`]);
      expect(answer).toMatch(/^HTTP\/1.1 4\d\d [\s\S]*\{"detail":"[^"]+"\}$/);
      expect(seen.filter((line) => line.includes("smuggled"))).toEqual([]);
    }
  });

  it.each([
    ["chunk sizes with rubbish", "Transfer-Encoding: chunked", "4x\r\nabcd\r\n0\r\n\r\n"],
    ["a chunk longer than it says", "Transfer-Encoding: chunked", "1\r\nabcd\r\n0\r\n\r\n"],
    ["an endless chunk size", "Transfer-Encoding: chunked", `${"f".repeat(40)}\r\n`],
  ])("do not become another request behind the front: %s", async (_case, header, body) => {
    for (const path of ["/api/match", "/api/campaigns"]) {
      seen.length = 0;
      const answer = await rawExchange(front.port, [
        ...post(path, header, "Connection: close"),
        body + SMUGGLED,
      ]);
      expect(answer).not.toMatch(/^HTTP\/1.1 200 /);
      expect(seen).toEqual([]);
    }
  });

  it("a body that looks like a request stays a body, and the next request is its own", async () => {
    seen.length = 0;
    const lines = [
      ...post("/api/match", `Content-Length: ${SMUGGLED.length}`),
      `${SMUGGLED}GET /api/next HTTP/1.1`,
      "Host: x",
      "Connection: close",
      "",
      "",
    ];
    await rawExchange(front.port, lines);
    // Pipelined requests go to different services: only the answers come in order.
    expect(seen.sort()).toEqual([
      "GET /api/next 0 127.0.0.1",
      `POST /api/match ${SMUGGLED.length} 127.0.0.1`,
    ]);
  });

  it("an address as the target, or another scheme, does not lead anywhere else", async () => {
    let strangers = 0;
    const stranger = createServer((_request, response) => {
      strangers += 1;
      response.end();
    });
    await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
    const { port } = stranger.address() as { port: number };
    for (const target of [
      `http://127.0.0.1:${port}/x`,
      `//127.0.0.1:${port}/x`,
      `@127.0.0.1:${port}/`,
      "*",
    ]) {
      const lines = [`GET ${target} HTTP/1.1`, `Host: 127.0.0.1:${port}`, "Connection: close", "", ""];
      await rawExchange(front.port, lines);
    }
    await rawExchange(front.port, [`CONNECT 127.0.0.1:${port} HTTP/1.1`, `Host: 127.0.0.1:${port}`, "", ""]);
    stranger.close();
    expect(strangers).toBe(0);
  });

  it("the front determines the client address, whatever the client claims", async () => {
    seen.length = 0;
    const claims = [
      "X-Forwarded-For: 203.0.113.9",
      "x-forwarded-for: 203.0.113.10",
      "X-Forwarded-For : 203.0.113.11",
    ];
    for (const claimed of [
      [claims[0]],
      [claims[0], claims[1]],
      [claims[0], "Connection: close, X-Forwarded-For"],
    ]) {
      const headers = claimed.filter((line) => line !== undefined);
      await rawExchange(front.port, [
        "GET /api/x HTTP/1.1",
        "Host: x",
        "Connection: close",
        ...headers,
        "",
        "",
      ]);
    }
    expect(seen).toEqual(Array(3).fill("GET /api/x 0 127.0.0.1"));
  });
});

it("an unknown expectation is ignored", async () => {
  const lines = ["GET /api/x HTTP/1.1", "Host: x", "Expect: nothing", "Connection: close", "", ""];
  expect(await rawExchange(service.port, lines)).toMatch(/^HTTP\/1.1 200 /);
});

const REQUEST_ID = /\r\nX-Request-Id: [0-9a-f-]{36}\r\n/;

it("a request without Host is refused like any other, at every part alike", async () => {
  for (const port of [front.port, service.port]) {
    const answer = await rawExchange(port, ["GET /api/x HTTP/1.1", "", ""]);
    expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*\{"detail":"The header Host is missing/);
    for (const header of ["Limit: 100", "Remaining: \\d+", "Reset: \\d{10}"]) {
      expect(answer).toMatch(new RegExp(`\r\nX-RateLimit-${header}\r\n`));
    }
    expect(answer).toMatch(REQUEST_ID);
    expect(await rawExchange(port, ["GET /api/x HTTP/1.0", "", ""])).toMatch(/^HTTP\/1.[01] 200 /);
  }
});

describe("clients that hold on to connections", () => {
  it.each([
    ["headers that never end", ["GET /api/x HTTP/1.1", "Host: x", "X-Slow: a"]],
    ["a body that never comes", [...post("/api/match", "Content-Length: 100"), "abc"]],
    [
      "a body that never comes, of unknown length",
      [...post("/api/campaigns", "Transfer-Encoding: chunked"), "5\r\nab"],
    ],
  ])("are let go: %s", async (_case, lines) => {
    const hasty = await startServers(SHORT_TIMEOUTS);
    const startedMs = performance.now();
    for (const { port } of [hasty.front, hasty.service]) {
      expect(await rawExchange(port, lines)).toMatch(/^(HTTP\/1.1 408 |$)/);
    }
    expect(performance.now() - startedMs).toBeLessThan(30_000);
  });

  it("headers over 16 KiB are refused, many small ones are not believed in part", async () => {
    const large = await rawExchange(service.port, [
      "GET / HTTP/1.1",
      "Host: x",
      `X-Large: ${"a".repeat(20_000)}`,
      "",
      "",
    ]);
    expect(large).toMatch(/^HTTP\/1.1 431 [\s\S]*\{"detail":"The headers are too large/);
    for (const header of ["Limit: 100", "Remaining: \\d+", "Reset: \\d{10}"]) {
      expect(large).toMatch(new RegExp(`\r\nX-RateLimit-${header}\r\n`));
    }
    expect(large).toMatch(REQUEST_ID);
    const many = Array.from({ length: 5_000 }, (_, index) => `a${index}: `);
    const answer = await rawExchange(service.port, ["GET / HTTP/1.1", "Host: x", ...many, "", ""]);
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
  });
});
