import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { connectRedis, type RedisConnection } from "../connection.ts";
import { trafficKeys } from "../keys.ts";
import { mastersOf } from "../masters.ts";
import type { MatchCall } from "./gathered-calls.ts";
import { TRAFFIC_LIMITS } from "./limits.ts";
import type { SceneContext } from "./scene.ts";
import { TrafficReader } from "./traffic-reader.ts";
import { TrafficRecorder } from "./traffic-recorder.ts";

const servers: [string, () => Promise<TestRedis>][] = [
  ["Redis", () => startTestRedis()],
  ["Redis Cluster", () => startTestRedisCluster()],
];
const NOW_MS = Date.UTC(2026, 11, 1, 0, 30);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe.each(servers)("traffic of games on %s", (_kind, startServer) => {
  let server: TestRedis;
  let redis: RedisConnection;
  let recorder: TrafficRecorder;
  let reader: TrafficReader;
  let game = "";
  let games = 0;
  beforeAll(async () => {
    server = await startServer();
    redis = connectTestRedis(server.url);
    reader = new TrafficReader(redis);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  beforeEach(() => {
    recorder = new TrafficRecorder(redis);
    games += 1;
    game = `{game} ${games}`;
  });

  const call = (more: Partial<MatchCall> = {}): MatchCall => ({
    gameId: game,
    accountId: `acct_${games}`,
    atMs: NOW_MS,
    context: {},
    countryCode: null,
    secrets: [],
    ...more,
  });
  const none = (atMs: number, context: SceneContext = {}, secrets: string[] = []) =>
    call({ atMs, context, secrets, noMatchReason: "no_eligible_campaign", countryCode: "DE" });

  it("is counted by hour and by day, across midnight and the end of a month, of all instances", async () => {
    const other = new TrafficRecorder(redis);
    recorder.match(call({ atMs: NOW_MS - HOUR_MS }));
    recorder.match(call());
    recorder.match(none(NOW_MS));
    recorder.impression(game, "acct_1", NOW_MS);
    other.match(none(NOW_MS));
    other.match(call({ noMatchReason: "budget" }));
    other.gameRefusal({ gameId: game, accountId: `acct_${games}` }, "match", 429, NOW_MS);
    await recorder.flush();
    await other.flush();
    const [first, second, third] = await eventually(async () => {
      const points = await reader.hours(game, 3, NOW_MS);
      expect(points[1]?.matches).toBe(1);
      return points;
    });
    const nothing = { matches: 0, impressions: 0, noMatch: new Map(), refusals: new Map() };
    const midnight = Date.UTC(2026, 11, 1);
    expect(first).toEqual({ startMs: midnight - 2 * HOUR_MS, ...nothing });
    expect(second).toEqual({ startMs: midnight - HOUR_MS, ...nothing, matches: 1 });
    const current = {
      matches: 1,
      impressions: 1,
      noMatch: new Map([
        ["no_eligible_campaign", 2],
        ["budget", 1],
      ]),
      refusals: new Map([["match_429", 1]]),
    };
    expect(third).toEqual({ startMs: midnight, ...current });
    const days = await reader.days(game, 2, NOW_MS);
    expect(days).toEqual([
      { startMs: midnight - DAY_MS, ...nothing, matches: 1 },
      { startMs: midnight, ...current },
    ]);
    expect(await reader.game(game, NOW_MS)).toEqual({
      requestMs: NOW_MS,
      matchMs: NOW_MS,
      impressionMs: NOW_MS,
      day: { ...current, matches: 2 },
    });
  });

  it("of another game, or of none, is nothing", async () => {
    recorder.match(call());
    await recorder.flush();
    expect(await reader.game(`${game}0`, NOW_MS)).toMatchObject({ requestMs: null, day: { matches: 0 } });
    expect([await reader.scenes(`${game}0`), await reader.words(`${game}0`, NOW_MS)]).toEqual([[], []]);
  });

  it("is sent by itself", async () => {
    const fast = new TrafficRecorder(redis, { everyMs: 1 });
    fast.match(call());
    await eventually(async () => (await reader.game(game, NOW_MS)).day.matches === 1);
  });

  it("of more games than a part has is sent by itself, and at once by a flush", async () => {
    const names = Array.from({ length: 250 }, (_, index) => `${game} of many ${index}`);
    const matchesOf = async (name: string) => (await reader.game(name, NOW_MS)).day.matches;
    const fast = new TrafficRecorder(redis, { everyMs: 1 });
    for (const gameId of names) fast.match(call({ gameId }));
    await eventually(async () => {
      expect(new Set(await Promise.all(names.map(matchesOf)))).toEqual(new Set([1]));
      return true;
    });
    const slow = new TrafficRecorder(redis, { everyMs: 60_000 });
    for (const gameId of names) slow.match(call({ gameId }));
    // Begins to send what belongs to the former hour.
    slow.match(call({ atMs: NOW_MS + HOUR_MS }));
    await slow.flush();
    expect(new Set(await Promise.all(names.map(matchesOf)))).toEqual(new Set([2]));
  });

  it("keeps scenes without an ad, newest first, without the player", async () => {
    const narrative = `Hail, player-8812! Thy session is s-77. ${"x".repeat(2_000)} \ud800`;
    recorder.match(none(NOW_MS, { narrative, mood_tags: ["calm", "player-8812"] }, ["player-8812", "s-77"]));
    await recorder.flush();
    recorder.match(none(NOW_MS + 1, { location: "tavern" }));
    // One of each game between two sendings.
    recorder.match(none(NOW_MS + 2, { location: "pier" }));
    await recorder.flush();
    const [newest, oldest, ...others] = await reader.scenes(game);
    expect(newest).toEqual({
      atMs: NOW_MS + 1,
      reason: "no_eligible_campaign",
      countryCode: "DE",
      context: { location: "tavern" },
    });
    expect(oldest?.context.narrative).toMatch(/^Hail, \[player\]! Thy session is \[player\]\. x{400,}$/);
    expect(oldest?.context.narrative).toHaveLength(500);
    expect([oldest?.context.mood_tags, others]).toEqual([["calm", "[player]"], []]);
    const words = await reader.words(game, NOW_MS);
    expect(words.map(({ type, value }) => `${type} ${value}`).sort()).toEqual([
      "location pier",
      "location tavern",
      "mood calm",
    ]);
  });

  it("counts words without regard to case, of this month and the one before", async () => {
    recorder.match(call({ context: { location: " Tavern", actions: ["drink"] }, atMs: NOW_MS - HOUR_MS }));
    recorder.match(call({ context: { location: "tavern", theme_id: "noir", category: "rpg" } }));
    recorder.match(call({ context: { location: "x".repeat(61) } }));
    await recorder.flush();
    const words = await eventually(async () => {
      const sent = await reader.words(game, NOW_MS);
      expect(sent).toHaveLength(4);
      return sent;
    });
    expect(words[0]).toEqual({ type: "location", value: "tavern", scenes: 2 });
  });

  it("counts an account's refusals by kind, with the last of each, for 24 hours", async () => {
    const account = `acct_refused_${games}`;
    recorder.accountRefusal(account, "match", 400, NOW_MS - DAY_MS);
    recorder.accountRefusal(account, "match", 400, NOW_MS - HOUR_MS);
    recorder.accountRefusal(account, "match", 400, NOW_MS);
    recorder.accountRefusal(account, "impressions", 409, NOW_MS);
    recorder.match(call({ accountId: account, atMs: NOW_MS + 5 }));
    await recorder.flush();
    await eventually(async () => {
      expect(await reader.account(account, NOW_MS)).toEqual({
        lastCallMs: NOW_MS + 5,
        refusals: new Map([
          ["match_400", { count: 2, lastMs: NOW_MS }],
          ["impressions_409", { count: 1, lastMs: NOW_MS }],
        ]),
        games: new Set([game]),
      });
      return true;
    });
  });

  it("is kept of a number of games of an account, until one of them was not called for long", async () => {
    const account = `acct_many_${games}`;
    const names = Array.from(
      { length: TRAFFIC_LIMITS.maxGames },
      (_, index) => `${game} of account ${index}`,
    );
    const late = `${game} late`;
    for (const gameId of names) recorder.match(call({ gameId, accountId: account }));
    await recorder.flush();
    const send = async (accountId: string) => {
      recorder.match(call({ gameId: late, accountId }));
      recorder.match(call({ gameId: names[0] ?? "", accountId }));
      await recorder.flush();
      return (await reader.game(late, NOW_MS)).day.matches;
    };
    expect(await send(account)).toBe(0);
    expect((await reader.game(names[0] ?? "", NOW_MS)).day.matches).toBe(2);
    await redis.zadd(
      trafficKeys.games(account),
      Date.now() - TRAFFIC_LIMITS.daysKeptMs - 1_000,
      names[1] ?? "",
    );
    expect(await send(account)).toBe(1);
    expect(await send(`${account}_other`)).toBe(2);
  });

  it("counts the games that have statistics, whichever are called first", async () => {
    const account = `acct_first_${games}`;
    const nameOf = (index: number) => `${game} called ${index}`;
    const count = TRAFFIC_LIMITS.maxGames;
    for (let index = 0; index < count; index++)
      recorder.match(call({ gameId: nameOf(index), accountId: account }));
    await recorder.flush();
    for (let index = 2 * count - 1; index >= 0; index--)
      recorder.match(call({ gameId: nameOf(index), accountId: account }));
    await recorder.flush();
    for (const index of [0, count - 1]) {
      expect((await reader.game(nameOf(index), NOW_MS)).day.matches).toBe(2);
    }
  });

  it("remembers an account's games in half of the places that others leave", async () => {
    const busy = new TrafficRecorder(redis, { maxRemembered: TRAFFIC_LIMITS.maxGames + 1 });
    for (let index = 0; index <= TRAFFIC_LIMITS.maxGames; index++)
      busy.match(call({ gameId: `${game} ${index}` }));
    busy.match(call({ gameId: `${game} of another`, accountId: `acct_other_${games}` }));
    await busy.flush();
    const matches = async (name: string) => (await reader.game(name, NOW_MS)).day.matches;
    expect(await matches(`${game} ${TRAFFIC_LIMITS.maxGames}`)).toBe(0);
    expect(await matches(`${game} of another`)).toBe(1);
  });

  it("counts words of one account's scenes in half of the places that others leave", async () => {
    const shared = new TrafficRecorder(redis, { maxWordScenes: 4 });
    const other = `${game} of another`;
    for (let index = 0; index < 9; index++) shared.match(call({ context: { location: `place ${index}` } }));
    shared.match(call({ gameId: other, accountId: `acct_other_${games}`, context: { location: "pier" } }));
    await shared.flush();
    expect(await reader.words(game, NOW_MS)).toHaveLength(2);
    expect(await reader.words(other, NOW_MS)).toHaveLength(1);
  });

  it("is only counted where memory is nearly full", async () => {
    const used = async (share: number) => {
      for (const master of mastersOf(redis)) {
        const [, bytes] = /^used_memory:(\d+)/m.exec(await master.info("memory")) ?? [];
        await master.config("SET", "maxmemory", Math.ceil(Number(bytes) / share));
      }
    };
    const send = async () => {
      recorder.match(none(NOW_MS, { location: "tavern" }));
      await recorder.flush();
      const { noMatch } = (await reader.game(game, NOW_MS)).day;
      const [words, scenes] = await Promise.all([reader.words(game, NOW_MS), reader.scenes(game)]);
      return [noMatch.get("no_eligible_campaign"), words.length, scenes.length];
    };
    try {
      await used(0.9);
      expect(await send()).toEqual([1, 0, 0]);
      await used(0.6);
      expect(await send()).toEqual([2, 1, 1]);
    } finally {
      for (const master of mastersOf(redis)) await master.config("SET", "maxmemory", 0);
    }
  });

  it("has bounds: in words, in scenes, in time, and in what an instance remembers", async () => {
    const limited = new TrafficRecorder(redis, { maxRemembered: 1, maxWordScenes: 800, maxScenes: 1 });
    const keys = [
      trafficKeys.last(game),
      trafficKeys.hours(game, "2026-12-01"),
      trafficKeys.days(game, "2026-12"),
      trafficKeys.words(game, "2026-12"),
      trafficKeys.scenes(game),
    ];
    for (let i = 0; i < 350; i++) limited.match(call({ context: { location: `place ${i}` } }));
    for (let i = 0; i < 2; i++) limited.match(call({ context: { location: "often" } }));
    limited.match(call({ gameId: `${game} forgotten` }));
    await limited.flush();
    for (let i = 0; i < TRAFFIC_LIMITS.maxScenes + 5; i++) {
      limited.match(none(NOW_MS + i, { actions: Array(15).fill("雨".repeat(61)) }));
      await limited.flush();
    }
    const words = await reader.words(game, NOW_MS);
    expect([words.length, words[0]]).toEqual([
      TRAFFIC_LIMITS.maxWords,
      { type: "location", value: "often", scenes: 2 },
    ]);
    expect(await reader.scenes(game)).toHaveLength(TRAFFIC_LIMITS.maxScenes);
    expect((await reader.game(`${game} forgotten`, NOW_MS)).requestMs).toBeNull();
    const left = await Promise.all(keys.map((key) => redis.pttl(key)));
    const most = [TRAFFIC_LIMITS.daysKeptMs, TRAFFIC_LIMITS.hoursKeptMs];
    expect(left.every((ms) => ms > 0 && ms <= Math.max(...most))).toBe(true);
    const bytes = await Promise.all(keys.map((key) => redis.call("MEMORY", "USAGE", key, "SAMPLES", "0")));
    expect(bytes.reduce<number>((sum, size) => sum + Number(size), 0)).toBeLessThan(200_000);
  });
});

it("calls and refusals that could not be sent are sent later", async () => {
  const server = await startTestRedis();
  const redis = connectRedis(server.url, { name: "traffic-test", commandTimeoutMs: 3_000 });
  const reader = new TrafficReader(redis);
  const recorder = new TrafficRecorder(redis, { everyMs: 60_000 });
  recorder.match({
    gameId: "g",
    accountId: "a",
    atMs: NOW_MS,
    context: {},
    countryCode: null,
    secrets: [],
  });
  recorder.accountRefusal("a", "match", 400, NOW_MS);
  await server.stop();
  const failed = expect(recorder.flush()).rejects.toThrow();
  // Counted while the others are being sent.
  recorder.accountRefusal("a", "match", 400, NOW_MS + 1);
  await failed;
  const again = await startTestRedis({ port: Number(new URL(server.url).port) });
  try {
    await eventually(() => recorder.flush().then(() => true));
    expect((await reader.game("g", NOW_MS)).day.matches).toBe(1);
    expect(await reader.account("a", NOW_MS)).toEqual({
      lastCallMs: NOW_MS + 1,
      refusals: new Map([["match_400", { count: 2, lastMs: NOW_MS + 1 }]]),
      games: new Set(["g"]),
    });
  } finally {
    redis.disconnect();
    await again.stop();
  }
});
