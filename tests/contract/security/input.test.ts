import { newId } from "@diegetic/contracts";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  type Account,
  BASE,
  type Call,
  isPlainError,
  type Platform,
  startPlatform,
} from "./platform.fixture.ts";

const BODY_LIMIT_BYTES = 256 * 1024;

let platform: Platform;
let owner: Awaited<ReturnType<Platform["advertiser"]>>;
let developer: Account;
beforeAll(async () => {
  platform = await startPlatform();
  owner = await platform.advertiser();
  developer = await platform.account();
  await platform.enableGame(developer.key, "castle");
});
afterAll(() => platform.stop());

/** Every endpoint that reads a body, with one that it takes. */
const writers = (): [string, Call][] => {
  const match = { user_id: "player", game_id: "castle", game_context: {} };
  const { campaignId, creativeId } = owner;
  const post = (path: string, key: string, body: object, method = "POST"): [string, Call] => [
    `${method} ${path}`,
    { method, path: `${BASE}${path}`, key, body },
  ];
  return [
    post("/match", developer.key, match),
    post("/impressions", developer.key, {
      campaign_id: campaignId,
      creative_id: creativeId,
      game_id: "castle",
    }),
    post("/deposit", owner.key, { amount_cents: 1 }),
    post("/campaigns", owner.key, { name: "N", budget_cents: 1, cpm_bid_cents: 100 }),
    post(`/campaigns/${campaignId}/affinities/bulk`, owner.key, { affinities: [] }, "PUT"),
    post("/placements/castle", developer.key, { creator_id: "c", placement_types: ["narrative_hook"] }),
    post("/api-keys", owner.key, { label: "l", scopes: ["serving"] }),
  ];
};

describe("answers", () => {
  it.each([
    ["200", { path: "/healthz" }],
    ["401", { path: `${BASE}/profile` }],
    ["404 outside the API", { path: "/nowhere" }],
    ["405", { path: `${BASE}/match`, method: "TRACE" }],
    ["an error of a service", { path: "/nowhere", port: 0 }],
  ])("carry the headers that keep browsers out of trouble: %s", async (_case, wanted) => {
    for (const port of [platform.ports.management, ...platform.ports.match]) {
      const { headers } = await platform.call({ method: "GET", ...wanted, port });
      expect(headers).toMatchObject({
        "content-security-policy": "default-src 'none';frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "strict-transport-security": expect.stringContaining("max-age="),
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
      });
      expect(headers["x-powered-by"]).toBeUndefined();
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  it.each(["/", "/docs", "/docs/page.css"])("carry the headers that protect a page at %s", async (path) => {
    const response = await fetch(`http://127.0.0.1:${platform.ports.management}${path}`, {
      headers: { Accept: "text/html" },
    });
    await response.text();
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      "content-security-policy": expect.stringContaining("default-src"),
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "strict-transport-security": expect.stringContaining("max-age="),
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
  });
});

describe("bodies", () => {
  it("over 256 KiB are refused by every endpoint, with or without a Content-Length", async () => {
    for (const [name, wanted] of writers()) {
      const large = JSON.stringify({ ...(wanted.body as object), more: "x".repeat(BODY_LIMIT_BYTES) });
      const announced = await platform.call({ ...wanted, body: large });
      expect([name, announced.status, isPlainError(announced)]).toEqual([name, 413, true]);
      const chunked = { "Transfer-Encoding": "chunked", "Content-Length": [] };
      const { status } = await platform.call({ ...wanted, body: large, headers: chunked });
      expect([name, status]).toEqual([name, 413]);
    }
  });

  it.each([
    ["lists", (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`],
    ["objects", (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`],
    [
      "objects that pretend to be text",
      (depth: number) => `["\\"",${'{"}":'.repeat(depth)}1${"}".repeat(depth)}]`,
    ],
  ])("with %s nested deeply are 400, with and without an Idempotency-Key", async (_kind, nested) => {
    for (const [name, wanted] of writers()) {
      for (const depth of [40, 1_000, 40_000]) {
        const body = JSON.stringify({ ...(wanted.body as object), more: 0 }).replace(
          '"more":0',
          `"more":${nested(depth)}`,
        );
        for (const headers of [undefined, { "Idempotency-Key": `deep-${depth}` }]) {
          const { status } = await platform.call({ ...wanted, body, ...(headers && { headers }) });
          expect([name, depth, status]).toEqual([name, depth, 400]);
        }
      }
    }
  });

  it("may hold braces in texts, and lists as wide as 256 KiB", async () => {
    const wanted = {
      user_id: "{[".repeat(50),
      game_id: "castle",
      game_context: { narrative: '"}]\\'.repeat(400) },
    };
    const match: Call = { method: "POST", path: `${BASE}/match`, key: developer.key, body: wanted };
    expect([200, 204]).toContain((await platform.call(match)).status);
    for (const wide of [
      Array(60_000).fill(1),
      Array(60_000).fill(""),
      Array(20_000).fill({}),
      "x".repeat(200_000),
    ]) {
      for (const name of ["mood_tags", "actions", "narrative", "unknown"]) {
        const body = { ...wanted, game_context: { [name]: wide } };
        const statuses: number[] = [];
        // A busy machine may be slow for a moment, but not each time.
        await eventually(async () => {
          const startedMs = performance.now();
          statuses.push((await platform.call({ ...match, body })).status);
          return performance.now() - startedMs < 2_000;
        });
        expect(Math.max(...statuses)).toBeLessThan(500);
      }
    }
  });

  it.each(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"])(
    "with the field %s change nothing but themselves",
    async (name) => {
      const quarantined = `"${name}":{"isAdmin":true,"prototype":{"isAdmin":true},"status":"active","scopes":["advertiser"]}`;
      for (const [path, wanted] of writers()) {
        const body = JSON.stringify(wanted.body).replace("{", `{${quarantined},`).replace(/,}$/, "}");
        const { status, text } = await platform.call({
          ...wanted,
          body,
          headers: { "Idempotency-Key": newId("key") },
        });
        expect([path, status, text.includes("isAdmin")]).toEqual([path, expect.any(Number), false]);
        expect([200, 201, 204, 409]).toContain(status);
      }
      expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
      expect(Object.hasOwn(Object.prototype, "status")).toBe(false);
    },
  );

  it("in other encodings than UTF-8 JSON are refused", async () => {
    const [, wanted] = writers()[0] as [string, Call];
    const json = JSON.stringify(wanted.body);
    const as = (headers: Record<string, string>, body: string | Buffer) =>
      platform.call({ ...wanted, body, headers }).then(({ status }) => status);
    expect(await as({ "Content-Encoding": "gzip" }, json)).toBe(415);
    expect(await as({ "Content-Type": "application/x-www-form-urlencoded" }, "user_id=x")).toBe(415);
    expect(
      await as({ "Content-Type": "application/json; charset=utf-16le" }, Buffer.from(json, "utf16le")),
    ).toBe(415);
    expect(await as({}, Buffer.from(json, "utf16le"))).toBe(400);
    expect(await as({}, Buffer.from([0x22, 0xff, 0xfe, 0x22]))).toBe(400);
  });
});

describe("paths and methods", () => {
  it.each(
    [
      "/campaigns/..%2f..%2fhealthz",
      "/campaigns/%2e%2e/%2e%2e/healthz",
      "/campaigns/../profile",
      "/campaigns/.%00",
      "/campaigns/%00",
      "/campaigns/camp_1%00",
      "/campaigns/%ff%fe",
      "/campaigns/%",
      "/campaigns/camp_1'%20OR%20'1'='1",
      "/campaigns/camp_1%3B%20DROP%20TABLE%20campaigns",
      "/campaigns/__proto__",
      "/campaigns/constructor/stats",
      `/campaigns/camp_${"0".repeat(9_000)}`,
      "//campaigns",
      "/campaigns//",
      "/CAMPAIGNS",
      "/campaigns;x=y",
      "/placements/%00",
      "/placements/a%0d%0aSet-Cookie:%20a=b",
      `/placements/${"g".repeat(9_000)}`,
      "/creator-revenue/%00",
      "/creator-revenue/..%2f..",
      "/campaigns?cursor=camp_1'--",
      "/campaigns?cursor=%00",
      "/campaigns?limit=1;SELECT%201",
      "/campaigns?limit[]=1&limit[$gt]=0&__proto__[x]=1",
    ].map((path) => ({ path, start: path.slice(0, 60) })),
  )("GET $start finds nothing and breaks nothing", async ({ path }) => {
    const { key } = owner;
    const reply = await platform.call({ method: "GET", path: `${BASE}${path}`, key });
    expect([200, 400, 404]).toContain(reply.status);
    if (reply.status === 200) expect(Array.isArray(reply.body)).toBe(true);
    else expect(isPlainError(reply)).toBe(true);
    expect(reply.headers["set-cookie"]).toBeUndefined();
  });

  it.each(["TRACE", "PROPFIND", "PURGE", "OPTIONS", "LOCK", "SEARCH"])(
    "%s is no method of any path, with or without a key",
    async (method) => {
      for (const path of [`${BASE}/match`, `${BASE}/campaigns`, `${BASE}/nowhere`, "/nowhere"]) {
        const anonymous = await platform.call({ method, path });
        expect([401, 404]).toContain(anonymous.status);
        expect(isPlainError(anonymous)).toBe(true);
        const known = await platform.call({ method, path, key: owner.key });
        expect([404, 405]).toContain(known.status);
        expect(known.text).not.toContain(owner.key);
      }
    },
  );

  it("a method cannot be overridden by a header, a field or the query", async () => {
    const { campaignId, key } = owner;
    const headers = { "X-HTTP-Method-Override": "DELETE", "X-Method-Override": "DELETE" };
    const path = `${BASE}/creatives/${owner.creativeId}?_method=DELETE`;
    await platform.call({ method: "PATCH", path, key, headers, body: { _method: "DELETE" } });
    const list = { method: "GET", path: `${BASE}/campaigns/${campaignId}/creatives`, key };
    expect(await platform.expect(200, list)).toHaveLength(1);
  });
});

describe("names from outside in keys, scripts and statements", () => {
  const names = [
    "a|b|c",
    "a:b:{c}:d",
    "{snapshot}",
    "}{",
    '","impression_id":"imp_x","x":"',
    "'; DROP TABLE impressions; --",
    "$1 %s %n %00",
    "\\u0000\\",
    "back\\slash\"quote'`$(id)`",
    "..",
    "a/b?c=d#e&f",
    "__proto__",
    "constructor",
    "*[a-z]?",
    "EVAL return 1",
    "Ä é 日本 👾 e\u0301 \u202e",
    "x".repeat(200),
  ];

  it("pass matching, billing and analytics unchanged", async () => {
    const { database } = platform.management;
    const { key } = developer;
    const billed: [string, string][] = [];
    for (const name of names) {
      await platform.enableGame(key, name);
      const match = await platform.match(key, name, {
        user_id: name,
        session_id: name,
        player_geo: { country_code: "de", state_code: name, city_name: name },
        game_context: { theme_id: name, narrative: name.repeat(2), mood_tags: [name], actions: [name] },
      });
      const body = await platform.expect(201, {
        method: "POST",
        path: `${BASE}/impressions`,
        key,
        body: match,
        headers: { "Idempotency-Key": encodeURIComponent(name).slice(0, 255) },
      });
      expect(body).toMatchObject({ game_id: name, campaign_id: owner.campaignId });
      billed.push([body.impression_id, name]);
    }
    const where = { gameId: { in: names } };
    await eventually(async () => (await database.impression.count({ where })) === names.length);
    const rows = await database.impression.findMany({ where });
    const games = new Map(rows.map(({ impressionId, gameId }) => [impressionId, gameId]));
    for (const [id, name] of billed) expect(games.get(id)).toBe(name);
    expect(await database.quarantinedImpression.count()).toBe(0);
    const path = `${BASE}/creator-revenue`;
    const revenue = await platform.expect(200, { method: "GET", path, key });
    expect(revenue.games.map((game: { game_id: string }) => game.game_id)).toEqual(
      expect.arrayContaining(names),
    );
    for (const name of names) {
      const one = { method: "GET", path: `${path}/${encodeURIComponent(name)}`, key };
      expect(await platform.expect(200, one)).toMatchObject({ game_id: name, impressions: 1 });
    }
  });

  it.each(["a\nb", "a\rb", "a\u0000b", "a\u007fb", "\u0085", "\ud800"])(
    "game id %j is refused",
    async (name) => {
      const body = { user_id: "player", game_id: name, game_context: {} };
      const reply = await platform.call({ method: "POST", path: `${BASE}/match`, key: developer.key, body });
      expect(reply.status).toBe(400);
    },
  );
});
