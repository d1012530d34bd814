import type { RequestListener } from "node:http";
import { beforeEach, describe, expect, it } from "@jest/globals";
import request from "supertest";
import { createThings, type Things } from "./testing/things.fixture.ts";

let things: Things;
let app: RequestListener;
beforeEach(() => {
  things = createThings();
  app = things.app;
});

const post = (path: string, key = "igk_game") =>
  request(app).post(path).set("Authorization", `Bearer ${key}`).set("Content-Type", "application/json");

describe("order of checks", () => {
  const huge = "x".repeat(256 * 1024 + 1);
  const cases: [string, () => request.Test, number][] = [
    ["no key", () => request(app).post("/api/things/none").send("{"), 401],
    ["malformed key", () => post("/api/things/1").set("Authorization", "Basic abc").send("{"), 401],
    ["unknown key", () => post("/api/things/1", "igk_unknown").send("{"), 401],
    ["no key, unknown path", () => request(app).get("/api/nothing"), 401],
    ["key, unknown path", () => post("/api/nothing").send("{"), 404],
    ["key, other case of a path", () => post("/api/Things/1").send("{}"), 404],
    ["no key, unknown method", () => request(app).patch("/api/things/1"), 401],
    ["key, unknown method", () => request(app).get("/api/things/1/pause").auth("igk_game", bearer), 405],
    ["unknown method without scope", () => request(app).put("/api/things/1").auth("igk_adv", bearer), 405],
    ["no scope, huge body", () => post("/api/things/none", "igk_adv").send(huge), 403],
    ["no scope, wrong media type", () => post("/api/things/none", "igk_adv").type("text").send("a"), 403],
    ["huge body, no such thing", () => post("/api/things/none").send(huge), 413],
    ["wrong media type, no such thing", () => post("/api/things/none").type("text/plain").send("a"), 415],
    ["other charset", () => post("/api/things/1").type("application/json; charset=latin1").send("{}"), 415],
    ["compressed", () => post("/api/things/1").set("Content-Encoding", "gzip").send("{}"), 415],
    ["no such thing, malformed body", () => post("/api/things/none").send("{"), 404],
    ["malformed JSON", () => post("/api/things/1").send("{"), 400],
    ["no body", () => post("/api/things/1"), 400],
    ["not UTF-8", () => post("/api/things/1").send(Buffer.from([0x22, 0xff, 0x22]) as never), 400],
    ["missing field", () => post("/api/things/1").send("{}"), 400],
    ["out of range", () => post("/api/things/1").send({ name: "x".repeat(11) }), 422],
    ["conflict", () => post("/api/things/1").send({ name: "taken" }), 409],
    ["unknown error", () => post("/api/things/1").send({ name: "crash" }), 500],
    ["store unavailable", () => post("/api/things/1").send({ name: "down" }), 503],
    ["broken encoding without key", () => request(app).get("/api/things/%zz"), 401],
    ["broken encoding with key", () => post("/api/things/%zz").send("{}"), 400],
    ["over-long Idempotency-Key", () => named("ok").set("Idempotency-Key", "k".repeat(256)), 422],
    ["fine", () => named("ok"), 201],
  ];
  const bearer = { type: "bearer" } as const;
  const named = (name: string) => post("/api/things/1").send({ name });

  it.each(cases)("%s", async (_name, send, status) => {
    const response = await send();
    expect(response.status).toBe(status);
    for (const header of ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"]) {
      expect(response.headers[header]).toMatch(/^\d+$/);
    }
    expect(response.headers["x-powered-by"]).toBeUndefined();
    if (status < 400) return;
    expect(Object.keys(response.body)).toEqual(["detail"]);
    expect(response.body.detail).toMatch(/\w/);
    expect(response.body.detail).not.toContain("secret");
  });

  it("says how to authenticate, what is allowed and when to retry", async () => {
    expect((await request(app).get("/api/x")).headers["www-authenticate"]).toBe("Bearer");
    const other = await request(app).put("/api/things/1").auth("igk_game", bearer);
    expect(other.headers.allow).toBe("POST, GET, HEAD");
    expect((await named("down")).headers["retry-after"]).toBe("1");
  });

  it("reads a body of exactly 256 KiB, and refuses one that grows past it unannounced", async () => {
    const text = JSON.stringify({ name: "ok" }).padEnd(256 * 1024, " ");
    expect((await post("/api/things/1").send(text)).status).toBe(201);
    const chunked = post("/api/things/1").set("Transfer-Encoding", "chunked");
    chunked.write(`${text} `);
    expect((await chunked).status).toBe(413);
  });
});

describe("requests", () => {
  it("counts a long body once more for each 16 KiB, also one that it does not parse", async () => {
    const long = await post("/api/things/1").send(`{"name":"${"x".repeat(40_000)}`);
    expect([long.status, long.headers["x-ratelimit-remaining"]]).toEqual([400, "997"]);
    const slow = await request(app)
      .post("/api/things/1")
      .auth("igk_slow", { type: "bearer" })
      .send({ name: "x".repeat(40_000) });
    expect([slow.status, slow.body.detail]).toEqual([
      422,
      "The request counts as 3 requests, and its key may send 2 a minute: send less at a time.",
    ]);
  });

  it("gives the handler path, query, key and body", async () => {
    const sent = await post("/api/things/a%2Fb?x=1").set("Idempotency-Key", "k1").send({ name: "n" });
    expect(sent.body).toEqual({
      id: "a/b",
      name: "n",
      idempotencyKey: "k1",
      operation: "POST /api/things/a%2Fb",
      account: "acct_1",
    });
    const got = await request(app).get("/api/things/1?days=3&days=4").auth("igk_game", { type: "bearer" });
    expect(got.body).toEqual({ days: "3" });
    expect(got.headers["x-ratelimit-limit"]).toBe("60");
    const head = await request(app).head("/api/things/1").auth("igk_game", { type: "bearer" });
    expect([head.status, head.text]).toEqual([200, undefined]);
  });

  it("refuses an empty Idempotency-Key where one counts", async () => {
    const empty = await post("/api/things/1").set("Idempotency-Key", "").send({ name: "n" });
    expect([empty.status, empty.body.detail]).toEqual([
      400,
      "Idempotency-Key is empty: send 1 to 255 characters, or leave the header out.",
    ]);
  });

  it("allows HEAD where GET is allowed", async () => {
    const refused = await request(app).options("/api/things/1").auth("igk_game", { type: "bearer" });
    expect([refused.status, refused.headers.allow]).toEqual([405, "POST, GET, HEAD"]);
  });

  it.each([
    [undefined, "No API key was sent: send the header Authorization: Bearer <API_KEY>."],
    ["", "No API key was sent: send the header Authorization: Bearer <API_KEY>."],
    ["Basic abc", "The Authorization header is malformed: send Authorization: Bearer <API_KEY>."],
    ["Bearer", "The Authorization header is malformed: send Authorization: Bearer <API_KEY>."],
    [
      "Bearer igk_x",
      "The API key is unknown, expired or revoked: send a valid one. Create one by POST /api-keys with another key, or ask the operator of the service.",
    ],
  ])("says what is wrong with the header Authorization: %s", async (header, detail) => {
    const call = request(app).get("/api/things/1");
    const { body } = header === undefined ? await call : await call.set("Authorization", header);
    expect(body).toEqual({ detail });
  });

  it("ignores a body where none is expected", async () => {
    const response = await post("/api/things/1/pause").type("text/plain").send("whatever");
    expect([response.status, response.text]).toEqual([204, ""]);
  });

  it("reads a missing body as an empty object where it is optional", async () => {
    expect((await post("/api/trials", "igk_adv")).body).toEqual({ sent: {} });
    expect((await post("/api/trials", "igk_adv").send({ mood: "calm" })).body.sent).toEqual({ mood: "calm" });
    expect((await post("/api/trials", "igk_adv").send("{")).status).toBe(400);
    expect((await post("/api/trials", "igk_adv").type("text/plain").send("a")).status).toBe(415);
  });

  it("needs no media type for a chunked body that is empty", async () => {
    const answer = await post("/api/trials", "igk_adv").set("Transfer-Encoding", "chunked");
    expect([answer.status, answer.body]).toEqual([200, { sent: {} }]);
  });

  it("accepts any of several scopes, and names them all", async () => {
    const refused = await post("/api/trials").send({});
    expect(refused.status).toBe(403);
    expect(refused.body.detail).toBe(
      'This API key lacks the scope "advertiser" or "developer": use one that has it. Create one by POST /api-keys with a key that has the scope, or ask the operator of the service.',
    );
  });
});

describe("rate limits", () => {
  it("counts per key and group, before the scope", async () => {
    const remaining = [];
    for (let i = 0; i < 3; i++) {
      const response = await post("/api/things/1", "igk_slow").send({ name: "ok" });
      remaining.push([response.status, response.headers["x-ratelimit-remaining"]]);
    }
    expect(remaining).toEqual([
      [201, "1"],
      [201, "0"],
      [429, "0"],
    ]);
    const refused = await post("/api/things/1", "igk_slow").send("{");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(60);
    expect((await post("/api/things/1/pause", "igk_slow")).status).toBe(204);
  });

  it("states the largest integer for a key without a limit", async () => {
    const response = await post("/api/things/1", "igk_free").send({ name: "ok" });
    expect(response.headers["x-ratelimit-limit"]).toBe("2147483647");
    expect(response.headers["x-ratelimit-remaining"]).toBe("2147483647");
  });

  it("counts requests without a valid key per client address", async () => {
    const from = (address: string, key = "igk_wrong") =>
      request(app).get("/api/things/1").set("X-Forwarded-For", address).auth(key, { type: "bearer" });
    for (let i = 0; i < 100; i++) expect((await from("203.0.113.1")).status).toBe(401);
    expect((await from("203.0.113.1")).status).toBe(429);
    expect((await from("203.0.113.2")).status).toBe(401);
    expect((await from("203.0.113.1", "igk_game")).status).toBe(200);
  });

  it("lets a handler count against a second limit and states the tighter one", async () => {
    const first = await post("/api/things/1").send({ name: "limited" });
    expect([first.status, first.headers["x-ratelimit-limit"]]).toEqual([201, "1"]);
    const second = await post("/api/things/1").send({ name: "limited" });
    expect([second.status, second.headers["x-ratelimit-limit"]]).toEqual([429, "1"]);
  });
});

describe("the log", () => {
  const callUnavailable = () => post("/api/things/1").send({ name: "down" });

  it("logs an unavailable store once, with the request id, however many requests are refused", async () => {
    const first = await callUnavailable();
    for (let request = 0; request < 20; request += 1) await callUnavailable();
    expect(things.warnings).toEqual([
      expect.objectContaining({
        msg: "requests refused",
        refused: 1,
        answer: first.body.detail,
        requestId: first.headers["x-request-id"],
      }),
    ]);
  });
});

describe("health and metrics", () => {
  it("answers outside the base path without a key", async () => {
    expect((await request(app).get("/healthz")).status).toBe(200);
    expect((await request(app).get("/readyz")).status).toBe(200);
    things.isReady = false;
    const readiness = await request(app).get("/readyz");
    expect([readiness.status, readiness.body]).toEqual([
      503,
      { ready: false, checks: { store: "unavailable" } },
    ]);
    expect((await request(app).get("/elsewhere")).status).toBe(404);
  });

  it("measures by route, not by path", async () => {
    await post("/api/things/some-id").send({ name: "ok" });
    const { text } = await things.metrics.exposition();
    expect(text).toContain('route="/things/:thingId",status="201"');
    expect(text).not.toContain("some-id");
  });

  it("measures unknown methods as one", async () => {
    for (const method of ["purge", "mkcol", "link"] as const) await request(app)[method]("/api/things/1");
    const { text } = await things.metrics.exposition();
    expect(text).toMatch(/seconds_count\{.*method="_OTHER",.*\} 3\n/);
    expect(text).not.toMatch(/PURGE|MKCOL|LINK/);
  });
});
