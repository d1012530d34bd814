import { type AddressInfo, createServer, type Socket } from "node:net";
import { connectRedis } from "@diegetic/hot-state";
import { createLogger } from "@diegetic/service-kit";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  BASE,
  type Call,
  isPlainError,
  type Platform,
  type Reply,
  startPlatform,
} from "./platform.fixture.ts";

const PLAYER = "player-7f3a-recognisable";
const SESSION = "session-91bc-recognisable";
const EMAIL = "recognisable.person@studio.example";
const CITY = "Recognisable-on-Sea";
const NAME = "Recognisable Person";
const GUESSED = "igk_recognisable-guess-0123456789";
const STORE_PASSWORD = "recognisable-store-password";

describe("what logs and errors say of people and keys", () => {
  let platform: Platform;
  let restarted: TestRedis | undefined;
  const keys: string[] = [];
  const errors: Reply[] = [];
  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(async () => {
    await platform.stop();
    await restarted?.stop();
  });

  async function call(wanted: Call): Promise<Reply> {
    const reply = await platform.call(wanted);
    if (reply.status >= 400) errors.push(reply);
    return reply;
  }

  function expectNothingLogged(): void {
    const texts = [platform.log(), ...errors.map(({ text, headers }) => text + JSON.stringify(headers))];
    for (const secret of [PLAYER, SESSION, EMAIL, CITY, NAME, GUESSED, ...keys]) {
      for (const text of texts) expect(text.toLowerCase()).not.toContain(secret.toLowerCase());
    }
  }

  it("in a scenario that goes well: nothing", async () => {
    const owner = await platform.advertiser();
    const developer = await platform.account();
    keys.push(owner.key, developer.key);
    await platform.expect(200, {
      method: "PATCH",
      path: `${BASE}/profile`,
      key: owner.key,
      body: { contact_email: EMAIL },
    });
    await platform.enableGame(developer.key, "castle");
    const match = await platform.match(developer.key, "castle", { user_id: PLAYER, session_id: SESSION });
    await platform.expect(201, {
      method: "POST",
      path: `${BASE}/impressions`,
      key: developer.key,
      body: match,
    });
    const created = await platform.expect(201, {
      method: "POST",
      path: `${BASE}/api-keys`,
      key: owner.key,
      body: { label: "second" },
    });
    keys.push(created.key);
    await eventually(async () => (await platform.management.database.impression.count()) === 1);
    expect(platform.log()).toContain("answered");
    expectNothingLogged();
  });

  it("in a store: a player's keyed hash, and a key's SHA-256", async () => {
    const { database } = platform.management;
    const rows = JSON.stringify(
      [await database.impression.findMany(), await database.apiKey.findMany()],
      (_name, value) => (typeof value === "bigint" ? String(value) : value),
    );
    for (const secret of [PLAYER, SESSION, ...keys]) expect(rows).not.toContain(secret);
  });

  it("in requests that are refused: nothing", async () => {
    const owner = await platform.advertiser();
    keys.push(owner.key);
    const { key } = await platform.account();
    keys.push(key);
    const match = (body: unknown): Call => ({ method: "POST", path: `${BASE}/match`, key, body });
    const register = (contact_email: unknown): Call => ({
      method: "POST",
      path: `${BASE}/register`,
      key,
      body: { company_name: "Ember", contact_email },
    });
    const player = { user_id: PLAYER, session_id: SESSION, game_context: {} };
    const calls: Call[] = [
      match({ ...player, game_id: "castle" }),
      match({ ...player, game_id: "unknown" }),
      match({ ...player, game_id: "castle", user_id: PLAYER.repeat(20) }),
      match({ ...player, game_id: "castle", user_id: [PLAYER] }),
      match({ ...player, game_id: "castle", user_id: `${PLAYER}\0` }),
      match({ ...player, game_id: "castle", session_id: SESSION.repeat(20) }),
      match({ ...player, game_id: "castle", game_context: 7 }),
      match({ ...player, game_id: "castle", player_geo: { city_name: CITY.repeat(20) } }),
      match({ ...player, game_id: "castle", player_geo: { city_name: [CITY] } }),
      match({ ...player, game_id: "castle", player_geo: { lat: CITY, lng: 1 } }),
      match({ ...player, game_id: "castle", player_geo: CITY }),
      match({ ...player, game_id: "castle", game_context: NAME }),
      match({ ...player, game_id: "castle", game_context: { narrative: `${NAME} sleeps. `.repeat(200) } }),
      match({ ...player, game_id: "castle", game_context: { actions: NAME } }),
      match(`{"user_id":"${PLAYER}","session_id":"${SESSION}"`),
      match(`{"user_id":"${PLAYER}","session_id":${SESSION}}`),
      match(`"${PLAYER}"`),
      match(`${PLAYER} ${EMAIL} ${key}`),
      register(EMAIL),
      register(EMAIL.toUpperCase()),
      register(`${EMAIL} `),
      register(`<${EMAIL}>`),
      register(`${EMAIL}${"x".repeat(300)}`),
      register({ [EMAIL]: EMAIL }),
      { ...register(EMAIL), body: { company_name: NAME.repeat(20), contact_email: EMAIL } },
      { ...register(EMAIL), body: { company_name: NAME, contact_email: "a@b.example", website: EMAIL } },
      {
        method: "POST",
        path: `${BASE}/placements/moor`,
        key,
        body: { creator_id: NAME.repeat(20), placement_types: ["narrative_hook"] },
      },
      {
        method: "POST",
        path: `${BASE}/placements/moor`,
        key,
        body: { creator_id: "c", placement_types: [EMAIL], revenue_share_pct: EMAIL },
      },
      { ...register(EMAIL), headers: { "Idempotency-Key": `${PLAYER}${"x".repeat(300)}` } },
      { ...register(EMAIL), headers: { "Content-Type": `text/${PLAYER}` } },
      { method: "GET", path: `${BASE}/profile`, key: GUESSED },
      { method: "GET", path: `${BASE}/campaigns/${PLAYER}?cursor=${EMAIL}`, key },
      { method: "GET", path: `${BASE}/campaigns?cursor=${EMAIL}&limit=${GUESSED.slice(0, 3)}`, key },
      { method: "GET", path: `${BASE}/campaigns?limit=${EMAIL}`, key: owner.key },
      { method: "GET", path: `${BASE}/campaigns?cursor=${EMAIL}`, key: owner.key },
      { method: "GET", path: `${BASE}/ledger?from=${EMAIL}`, key: owner.key },
      { method: "GET", path: `${BASE}/nowhere/${EMAIL}?user_id=${PLAYER}`, key },
      { method: "GET", path: `/nowhere/${EMAIL}?user_id=${PLAYER}` },
      { method: "GET", path: `${BASE}/campaigns/%zz${PLAYER}`, key },
      { method: "PURGE", path: `${BASE}/campaigns/${PLAYER}`, key },
    ];
    for (const wanted of calls) {
      const reply = await call(wanted);
      expect([wanted.path, reply.status >= 400 && reply.status < 500]).toEqual([wanted.path, true]);
      expect(isPlainError(reply)).toBe(true);
    }
    expectNothingLogged();
  });

  it("in failures of the stores: nothing of the request, and nothing of the stores to the client", async () => {
    const { key } = await platform.account();
    keys.push(key);
    const { database } = platform.management;
    await platform.enableGame(key, "tower");
    // A rule that no validator knows, so that a write fails as a bug would make it fail.
    await database.$executeRaw`ALTER TABLE advertisers ADD CONSTRAINT no_ash CHECK (company_name <> 'Ash')`;
    const body = { company_name: "Ash", contact_email: `another.${EMAIL}` };
    const refused = await call({ method: "POST", path: `${BASE}/register`, key, body });
    expect([refused.status, refused.body]).toEqual([500, { detail: "Internal error: it has been logged." }]);
    expect(platform.log()).toContain("no_ash");

    await platform.redis.stop();
    const wanted = { user_id: PLAYER, session_id: SESSION, game_context: {}, game_id: "tower" };
    const unavailable = await eventually(async () => {
      const reply = await call({ method: "POST", path: `${BASE}/match`, key, body: wanted });
      return reply.status === 503 ? reply : undefined;
    });
    expect(isPlainError(unavailable)).toBe(true);
    for (const port of [platform.ports.management, ...platform.ports.match]) {
      const { body: report } = await call({ method: "GET", path: "/readyz", port });
      expect(report.ready).toBe(false);
      for (const state of Object.values(report.checks)) expect(["ok", "unavailable"]).toContain(state);
    }
    for (const { text } of errors)
      expect(text).not.toMatch(/ECONN|127\.0\.0\.1|prisma|redis:|postgres:|\.ts|SELECT/i);
    expectNothingLogged();
    // The parts end in order only with their store.
    restarted = await startTestRedis({ port: Number(new URL(platform.redis.url).port) });
  });
});

describe("a store that refuses the password", () => {
  it("does not bring it into the log", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => undefined);
      socket.on("data", () =>
        socket.write("-WRONGPASS invalid username-password pair or user is disabled.\r\n"),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const lines: string[] = [];
    const logger = createLogger(
      { service: "s", instance: "i", level: "trace" },
      { write: (line) => void lines.push(line) },
    );
    const redis = connectRedis(`redis://:${STORE_PASSWORD}@127.0.0.1:${port}`, { name: "test" });
    redis.on("error", (error) => logger.warn({ err: error }, "the connection to Redis failed"));
    await redis.ping().catch((error: unknown) => logger.error({ err: error }, "no answer"));
    await eventually(() => lines.join("").includes("the connection to Redis failed"));
    redis.disconnect();
    server.close();
    for (const socket of sockets) socket.destroy();
    expect(lines.join("")).not.toContain(STORE_PASSWORD);
  });
});
