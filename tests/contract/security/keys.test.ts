import { apiKeyOperations, SCOPES } from "@diegetic/contracts";
import { eventually } from "@diegetic/testing/eventually";
import { sendInTwoParts } from "@diegetic/testing/two-parts";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  type Account,
  BASE,
  type Call,
  isPlainError,
  type Platform,
  startPlatform,
} from "./platform.fixture.ts";
import { rawExchange } from "./raw-exchange.fixture.ts";

const PROFILE: Call = { method: "GET", path: `${BASE}/profile` };
const MATCH: Call = { method: "POST", path: `${BASE}/match`, body: {} };

describe("API keys", () => {
  let platform: Platform;
  let good: Account;
  beforeAll(async () => {
    platform = await startPlatform();
    good = await platform.account();
  });
  afterAll(() => platform.stop());

  it.each([
    ["none", {}],
    ["an empty header", { Authorization: "" }],
    ["no scheme", (key: string) => ({ Authorization: key })],
    ["another scheme", (key: string) => ({ Authorization: `Basic ${key}` })],
    ["a scheme that only begins like Bearer", (key: string) => ({ Authorization: `Bearers ${key}` })],
    ["no space", (key: string) => ({ Authorization: `Bearer${key}` })],
    ["a tab instead of the space", (key: string) => ({ Authorization: `Bearer\t${key}` })],
    ["a no-break space", (key: string) => ({ Authorization: `Bearer\u00a0${key}` })],
    ["quotes", (key: string) => ({ Authorization: `Bearer "${key}"` })],
    ["something behind the key", (key: string) => ({ Authorization: `Bearer ${key} x` })],
    ["two keys", (key: string) => ({ Authorization: `Bearer ${key},Bearer ${key}` })],
    ["two keys with a comma", (key: string) => ({ Authorization: `Bearer ${key}, ${key}` })],
    ["the key in other letters", (key: string) => ({ Authorization: `Bearer ${key.toUpperCase()}` })],
    ["a part of the key", (key: string) => ({ Authorization: `Bearer ${key.slice(0, -1)}` })],
    ["a longer key", (key: string) => ({ Authorization: `Bearer ${key}0` })],
    ["an endless key", { Authorization: `Bearer ${"a".repeat(12_000)}` }],
    ["endless spaces", { Authorization: `Bearer ${" ".repeat(12_000)}!` }],
    ["the SHA-256 of nothing", { Authorization: `Bearer ${"0".repeat(64)}` }],
    [
      "the key in other headers",
      (key: string) => ({ "X-Api-Key": key, Cookie: `Authorization=Bearer ${key}` }),
    ],
    ["a name of every object", { Authorization: "Bearer __proto__" }],
  ])("are refused: %s", async (_case, header) => {
    for (const call of [PROFILE, MATCH]) {
      const headers = typeof header === "function" ? header(good.key) : header;
      const reply = await platform.call({ ...call, headers: headers as Record<string, string> });
      expect(reply.status).toBe(401);
      expect(isPlainError(reply)).toBe(true);
      expect(reply.headers["www-authenticate"]).toBe("Bearer");
      expect(reply.text + JSON.stringify(reply.headers)).not.toContain(good.key);
    }
  });

  it.each(["Bearer", "bearer", "BEARER"])("are taken with the scheme in any letters: %s", async (scheme) => {
    const reply = await platform.call({ ...PROFILE, headers: { Authorization: `${scheme}  ${good.key} ` } });
    expect(reply.status).toBe(404);
  });

  it.each([
    ["match", "POST", `${BASE}/match`],
    ["match", "POST", `${BASE}/impressions`],
    ["management", "POST", `${BASE}/placements/late-game`],
    ["management", "PATCH", `${BASE}/profile`],
  ] as const)(
    "are refused by %s when they are revoked between the headers and the body: %s %s",
    async (tier, method, path) => {
      const { key, keyId, accountId } = await platform.account();
      const { key: other } = await platform.expect(201, {
        method: "POST",
        path: `${BASE}/api-keys`,
        key,
        body: { label: "other" },
      });
      await platform.enableGame(other, `game-${accountId}`);
      const port = tier === "match" ? platform.ports.match[0] : platform.ports.management;
      const late = sendInTwoParts(
        { url: `http://127.0.0.1:${port}${path}`, method, key },
        { game_id: `game-${accountId}`, user_id: "p", game_context: {} },
      );
      await late.headersRead;
      await platform.expect(204, { method: "DELETE", path: `${BASE}/api-keys/${keyId}`, key: other });
      late.sendBody();
      expect(await late.status).toBe(401);
    },
  );

  it("are not taken from the query or the body", async () => {
    const path = `${BASE}/profile?key=${good.key}&access_token=${good.key}&authorization=Bearer%20${good.key}`;
    expect((await platform.call({ method: "GET", path })).status).toBe(401);
    expect((await platform.call({ ...MATCH, body: { authorization: `Bearer ${good.key}` } })).status).toBe(
      401,
    );
  });

  it("of several Authorization headers none counts, at every part alike", async () => {
    const { front, management } = platform.ports;
    for (const port of [front, management]) {
      const ask = (...headers: string[]) =>
        rawExchange(port, [
          `GET ${BASE}/profile HTTP/1.1`,
          "Host: x",
          "Connection: close",
          ...headers,
          "",
          "",
        ]);
      const valid = `Authorization: Bearer ${good.key}`;
      const invalid = "Authorization: Bearer igk_guess";
      for (const pair of [
        [invalid, valid],
        [valid, invalid],
        [valid, valid],
      ]) {
        const answer = await ask(...pair);
        expect(answer).toMatch(/^HTTP\/1.1 401 /);
        expect(answer).toContain("The Authorization header is malformed");
      }
      expect(await ask(valid)).toMatch(/^HTTP\/1.1 404 /);
    }
  });

  it.each(["\0", "\u0001", "\u007f", "\r", "\n"])(
    "with the control character %j are no request at all",
    async (control) => {
      const lines = [`GET ${BASE}/profile HTTP/1.1`, "Host: x", "Connection: close"];
      const answer = await rawExchange(platform.ports.front, [
        ...lines,
        `Authorization: Bearer ${good.key.slice(0, 9)}${control}${good.key.slice(9)}`,
        "",
        "",
      ]);
      expect(answer).toMatch(/^HTTP\/1.1 40[01] /);
      expect(answer).not.toContain(good.key.slice(9));
    },
  );

  describe("scopes", () => {
    const cases = apiKeyOperations().flatMap((operation) => SCOPES.map((scope) => ({ operation, scope })));

    it.each(
      cases.map(({ operation, scope }) => [scope, operation.operationId, { operation, scope }] as const),
    )("%s and %s", async (_scope, _id, { operation, scope }) => {
      const { key } = await platform.account([scope]);
      const reply = await platform.call({
        method: operation.method,
        path: `${BASE}${operation.path.replace(/\{[a-z_]+\}/g, "none")}`,
        key,
        ...(operation.request && { body: {} }),
      });
      const isAllowed = [operation.scope].flat().includes(scope);
      expect(reply.status).not.toBe(401);
      expect(/lacks the scope/.test(reply.text)).toBe(!isAllowed);
      if (!isAllowed) expect(reply.status).toBe(403);
    });

    it("serving alone reaches the two serving operations and nothing else", () => {
      const reached = apiKeyOperations().filter(({ scope }) => [scope].flat().includes("serving"));
      expect(reached.map(({ path }) => path).sort()).toEqual(["/impressions", "/match"]);
    });
  });

  it("that are revoked end with the answer, on every instance", async () => {
    const { key, keyId } = await platform.account();
    const ports = [platform.ports.management, ...platform.ports.match];
    const statuses = async () =>
      Promise.all(
        ports.map(
          async (port, index) =>
            (await platform.call({ ...(index === 0 ? PROFILE : MATCH), key, port })).status,
        ),
      );
    expect(await statuses()).toEqual([404, 400, 400]);
    // The last key that manages the keys of an account without owners cannot be revoked.
    await platform.expect(201, { method: "POST", path: `${BASE}/api-keys`, key, body: { label: "next" } });
    const path = `${BASE}/api-keys/${keyId}`;
    await platform.expect(204, { method: "DELETE", path, key });
    expect(await statuses()).toEqual([401, 401, 401]);
  });

  it("that have expired are refused on every instance", async () => {
    const { key, keyId } = await platform.account();
    const path = `${BASE}/api-keys/${keyId}/rotate`;
    const rotated = await platform.expect(201, { method: "POST", path, key, body: { overlap_seconds: 1 } });
    const ports = [platform.ports.management, ...platform.ports.match];
    const statuses = (of: string) =>
      Promise.all(
        ports.map(
          async (port, index) =>
            (await platform.call({ ...(index === 0 ? PROFILE : MATCH), key: of, port })).status,
        ),
      );
    expect(await statuses(rotated.key)).toEqual([404, 400, 400]);
    await eventually(async () => (await statuses(key)).join() === "401,401,401");
    expect(await statuses(rotated.key)).toEqual([404, 400, 400]);
  });
});

describe("guessing keys", () => {
  let platform: Platform;
  let good: Account;
  beforeAll(async () => {
    platform = await startPlatform({ TRUSTED_PROXIES: "127.0.0.1" });
    good = await platform.account();
  });
  afterAll(() => platform.stop());

  const guess = (call: Partial<Call>) => platform.call({ ...PROFILE, key: "igk_guess", ...call });
  /** Guesses until so many fell into one minute. Returns the most that a minute answered 401; all others were answered 429. */
  async function guesses(count: number, call: (index: number) => Partial<Call>): Promise<number> {
    const minutes = new Map<string | undefined, { sent: number; unknown: number }>();
    while (![...minutes.values()].some(({ sent }) => sent >= count)) {
      const replies = await Promise.all(Array.from({ length: count }, (_, index) => guess(call(index))));
      for (const reply of replies) {
        const minute = reply.headers["x-ratelimit-reset"];
        const { sent, unknown } = minutes.get(minute) ?? { sent: 0, unknown: 0 };
        minutes.set(minute, { sent: sent + 1, unknown: unknown + (reply.status === 401 ? 1 : 0) });
        if (reply.status === 401) continue;
        expect(reply.status).toBe(429);
        expect(isPlainError(reply)).toBe(true);
        expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
      }
    }
    return Math.max(...[...minutes.values()].map(({ unknown }) => unknown));
  }

  it("ends for an address after 100 in a minute, over all instances, whatever is claimed through the front", async () => {
    const found = await guesses(150, (index) => {
      const claimed = `203.0.113.${index}`;
      return {
        ...(index % 3 === 0 ? MATCH : PROFILE),
        key: `igk_guess${index}`,
        headers: {
          "X-Forwarded-For": index % 2 === 0 ? claimed : [claimed, `198.51.100.${index}`],
          Forwarded: `for=${claimed}`,
          "X-Real-IP": claimed,
          "X-Client-IP": claimed,
          Connection: index % 5 === 0 ? "keep-alive, x-forwarded-for" : "keep-alive",
        },
      };
    });
    expect(found).toBe(100);
  });

  it("does not block a valid key from the same address", async () => {
    expect((await platform.call({ ...PROFILE, key: good.key })).status).toBe(404);
  });

  it("is counted by the address that a trusted proxy names, the last one that is not a proxy itself", async () => {
    const { management: port } = platform.ports;
    const found = await guesses(130, (index) => ({
      port,
      headers: { "X-Forwarded-For": `203.0.113.${index}, 198.51.100.7` },
    }));
    expect(found).toBe(100);
    expect((await guess({ port, headers: { "X-Forwarded-For": "198.51.100.8" } })).status).toBe(401);
  });

  it("is counted by network for IPv6, and by the proxy for what is no address", async () => {
    const { management: port } = platform.ports;
    const inOneNetwork = (index: number) => ({
      port,
      headers: { "X-Forwarded-For": `2001:db8:0:1::${index.toString(16)}` },
    });
    expect(await guesses(130, inOneNetwork)).toBe(100);
    // The requests through the front came from the same machine: all the claims share its bucket.
    const claims = (index: number) => ({ port, headers: { "X-Forwarded-For": `unknown-${index}` } });
    expect(await guesses(130, claims)).toBeLessThanOrEqual(100);
  });
});
