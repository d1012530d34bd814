import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import request from "supertest";
import { apiClient } from "./api.ts";
import { documented, type SeenAnswer, sendRepeatedly, undocumented } from "./documented.ts";

const limits = {
  "x-ratelimit-limit": "100",
  "x-ratelimit-remaining": "99",
  "x-ratelimit-reset": "1796117460",
};
const json = { "content-type": "application/json; charset=utf-8" };
const deposit: SeenAnswer = {
  method: "POST",
  path: "/api/deposit",
  status: 200,
  headers: { ...limits, ...json },
  text: '{"balance_cents":5,"deposited_cents":5}',
};
const noMatch: SeenAnswer = {
  method: "POST",
  path: "/api/match",
  status: 204,
  headers: { ...limits, "x-no-match-reason": "budget" },
  text: "",
};
const error = (path: string, status: number, headers: object = {}): SeenAnswer => ({
  ...deposit,
  path,
  status,
  headers: { ...limits, ...json, ...headers },
  text: '{"detail":"no"}',
});

describe("checking an answer against the API document", () => {
  it.each<[string, SeenAnswer]>([
    ["an answer", deposit],
    ["no match", noMatch],
    ["a list", { ...deposit, method: "GET", path: "/api/campaigns", text: "[]" }],
    ["the head of a list", { ...deposit, method: "HEAD", path: "/api/campaigns", text: "" }],
    ["an error", error("/api/deposit", 422)],
    ["an unknown path", error("/api/nothing", 404)],
    ["another method", { ...error("/api/deposit", 405, { allow: "POST" }), method: "PUT" }],
    ["a page outside the API", { ...deposit, path: "/docs", text: "<html>" }],
  ])("accepts %s", (_name, answer) => {
    expect(undocumented(answer)).toBeUndefined();
  });

  it.each<[string, SeenAnswer, RegExp]>([
    ["a status that is not listed", error("/api/deposit", 418), /418 is not listed/],
    ["another success", { ...deposit, status: 201 }, /201 is not listed/],
    ["a field too many", { ...deposit, text: '{"balance_cents":5,"deposited_cents":5,"x":1}' }, /additional/],
    ["a field too few", { ...deposit, text: '{"balance_cents":5}' }, /required property/],
    ["a fraction", { ...deposit, text: '{"balance_cents":5.5,"deposited_cents":5}' }, /integer/],
    [
      "an error with more than a detail",
      { ...error("/api/deposit", 422), text: '{"detail":"a","code":1}' },
      /additional/,
    ],
    ["no rate limit", { ...deposit, headers: json }, /lacks the header X-RateLimit-Limit/],
    [
      "a rate limit that is no number",
      { ...deposit, headers: { ...deposit.headers, "x-ratelimit-limit": "many" } },
      /X-RateLimit-Limit is many/,
    ],
    [
      "another media type",
      { ...deposit, headers: { ...limits, "content-type": "text/html" } },
      /Content-Type/,
    ],
    ["no match without a reason", { ...noMatch, headers: limits }, /lacks the header X-No-Match-Reason/],
    [
      "no match with an unknown reason",
      { ...noMatch, headers: { ...limits, "x-no-match-reason": "why" } },
      /is why/,
    ],
    ["no match with a body", { ...noMatch, text: "{}" }, /has a body/],
    ["401 that does not say how", error("/api/deposit", 401), /lacks the header WWW-Authenticate/],
    ["429 that does not say when", error("/api/deposit", 429), /lacks the header Retry-After/],
    ["success at an unknown path", { ...deposit, path: "/api/nothing" }, /200 instead of 404/],
    [
      "405 with the wrong methods",
      { ...error("/api/deposit", 405, { allow: "GET, POST" }), method: "PUT" },
      /Allow is GET, POST/,
    ],
  ])("refuses %s", (_name, answer, problem) => {
    expect(undocumented(answer)).toMatch(problem);
  });
});

describe("a request that cannot be served now", () => {
  const closers: (() => void)[] = [];
  afterEach(() => {
    for (const close of closers.splice(0)) close();
  });

  /** Answers 503 at first, then as given. */
  async function busyAtFirst({ status, headers, text }: SeenAnswer, { times = 1, detail = STALE } = {}) {
    const keys: unknown[] = [];
    const server = createServer((incoming, response) => {
      keys.push(incoming.headers["idempotency-key"]);
      const answer =
        keys.length <= times
          ? { status: 503, text: JSON.stringify({ detail }), headers: busy.headers }
          : undefined;
      response.writeHead(answer?.status ?? status, (answer?.headers ?? headers) as Record<string, string>);
      response.end(answer?.text ?? text);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
  }
  const STALE = "The match tier is not up to date: try again.";
  const busy: SeenAnswer = {
    ...error("/api/match", 503, { "retry-after": "1" }),
    text: JSON.stringify({ detail: STALE }),
  };

  it("is repeated where the lease of a match instance has run out", async () => {
    const { origin, keys } = await busyAtFirst(noMatch);
    await documented(request(origin).post("/api/match").send({})).expect(204);
    expect(keys).toHaveLength(2);
    const answers = [busy, noMatch];
    expect(await sendRepeatedly(async () => answers.shift() ?? busy)).toBe(noMatch);
    const again = await busyAtFirst(noMatch);
    await apiClient(`${again.origin}/api`, "igk_any").expect(204, "POST", "/match", {});
    expect(again.keys).toHaveLength(2);
  });

  it("is repeated three times at most, after the time that it asks for", async () => {
    const startedMs = performance.now();
    const { origin, keys } = await busyAtFirst(noMatch, { times: 5 });
    await documented(request(origin).post("/api/match").send({})).expect(503);
    expect(keys).toHaveLength(4);
    expect(performance.now() - startedMs).toBeGreaterThan(2_900);
  });

  it("is not repeated where a match instance refuses it for another reason", async () => {
    const { origin, keys } = await busyAtFirst(noMatch, { detail: "Too many requests." });
    await documented(request(origin).post("/api/match").send({})).expect(503);
    expect(keys).toHaveLength(1);
    const other = { ...busy, text: '{"detail":"Too many requests."}' };
    const answers = [other, noMatch];
    expect(await sendRepeatedly(async () => answers.shift() ?? busy)).toBe(other);
  });

  it("is not repeated where the first answer is asked for, or where a change may be stored", async () => {
    const { origin } = await busyAtFirst(noMatch);
    await documented(request(origin).post("/api/match").send({})).retry(0).expect(503);
    const other = await busyAtFirst(deposit);
    await documented(request(other.origin).post("/api/deposit").send({})).expect(503);
    expect(other.keys).toHaveLength(1);
  });

  it("is repeated under one Idempotency-Key where it prepares a test, and only there", async () => {
    const { origin, keys } = await busyAtFirst(deposit);
    const api = apiClient(`${origin}/api`, "igk_any");
    expect(await api.setUp(200, "/deposit", {})).toEqual(JSON.parse(deposit.text));
    expect(keys).toEqual([expect.stringMatching(/./), keys[0]]);

    const other = await busyAtFirst(deposit);
    const refused = apiClient(`${other.origin}/api`, "igk_any").expect(200, "POST", "/deposit", {});
    await expect(refused).rejects.toThrow("POST /deposit: 503");
    expect(other.keys).toEqual([undefined]);
  });
});
