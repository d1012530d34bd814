import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Erased, erasePlayer, reconcileAll, UnknownAccount } from "@diegetic/billing";
import { identifyPlayer } from "@diegetic/hot-state";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { PLAYER_HASH_KEY, type Served, Town } from "./town.fixture.ts";

const ERASED = "a player who asks to be forgotten";
const OTHER = "another player";
const OTHER_KEY = "another key of more than thirty-two characters";

let redis: TestRedis;
let town: Town;
let accountId: string;

beforeAll(async () => {
  redis = await startTestRedis();
  town = await Town.open(redis.url, { depositCents: 100_000, budgetCents: 100_000 });
  const advertiser = await town.management.database.advertiser.findFirstOrThrow();
  ({ accountId } = advertiser);
});
afterAll(async () => {
  await town.close();
  await redis.stop();
});

const hash = (player: string, session?: string) =>
  identifyPlayer(PLAYER_HASH_KEY, accountId, player, session);

async function matchOf(user_id: string, session_id: string): Promise<Served> {
  const { status, body } = await town.match({ user_id, session_id });
  expect(status).toBe(200);
  return body as Served;
}

async function play(user: string, session: string): Promise<void> {
  expect((await town.impression(await matchOf(user, session))).status).toBe(201);
}

const erase = (
  playerId = ERASED,
  waitMs = 20_000,
  nowMs = Date.now(),
  redisUrl = town.redisUrl,
): Promise<Erased> =>
  erasePlayer({
    nowMs,
    databaseUrl: town.postgres.url,
    redisUrl,
    playerHashKey: PLAYER_HASH_KEY,
    accountId,
    playerId,
    waitMs,
  });

/** `npm run erase` with the town's stores, until it ends. */
function runErase(
  args: string[],
  playerHashKey = PLAYER_HASH_KEY,
): Promise<{ code: unknown; output: string }> {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: town.postgres.url,
    REDIS_URL: town.redisUrl,
    PLAYER_HASH_KEY: playerHashKey,
  };
  const script = fileURLToPath(new URL("../../scripts/erase.mjs", import.meta.url));
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { env, timeout: 200_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
}

/** All that both stores hold, as text: keys, members and values of Redis, rows of Postgres. */
async function everything(): Promise<string> {
  const { database } = town.management;
  const texts: string[] = [];
  const readers: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => town.redis.get(key),
    hash: (key) => town.redis.hgetall(key),
    zset: (key) => town.redis.zrange(key, "0", "-1"),
    set: (key) => town.redis.smembers(key),
    list: (key) => town.redis.lrange(key, 0, -1),
    stream: (key) => town.redis.xrange(key, "-", "+"),
  };
  for (const key of await town.redis.keys("*")) {
    const read = readers[await town.redis.type(key)];
    texts.push(key, JSON.stringify(await read?.(key)));
  }
  const [rows] = await database.$queryRaw<{ rows: string }[]>`SELECT
    (SELECT json_agg(i)::text FROM impressions i) || (SELECT json_agg(r)::text FROM reached_users r)
      || COALESCE((SELECT json_agg(q)::text FROM quarantined_impressions q), '') AS rows`;
  return `${texts.join("\n")}\n${rows?.rows}`;
}

/** Totals and the ledger. */
async function totals(): Promise<unknown> {
  const [row] = await town.management.database.$queryRaw<unknown[]>`SELECT
    (SELECT json_agg(t ORDER BY id) FROM (SELECT id, spent_millicents, impressions FROM advertisers) t) AS advertisers,
    (SELECT json_agg(t ORDER BY id) FROM
      (SELECT id, spent_millicents, impressions, unique_users FROM campaigns) t) AS campaigns,
    (SELECT json_agg(t ORDER BY id) FROM (SELECT id, impressions, unique_users FROM creatives) t) AS creatives,
    (SELECT json_agg(t ORDER BY t::text) FROM campaign_rollups t) AS days,
    (SELECT json_agg(t ORDER BY t::text) FROM campaign_countries t) AS countries,
    (SELECT json_agg(t ORDER BY t::text) FROM campaign_games t) AS games,
    (SELECT json_agg(t ORDER BY id) FROM ledger_entries t) AS ledger`;
  return row;
}

describe("erasing a player", () => {
  let open: Served;
  let others: Served;
  let before: unknown;

  it("removes every trace from both stores, keeps the totals, and says how many there were", async () => {
    for (const session of ["one", "one", "two"]) await play(ERASED, session);
    await play(OTHER, "one");
    open = await matchOf(ERASED, "three");
    others = await matchOf(OTHER, "two");
    await town.agree(4);
    const { userHash } = hash(ERASED);
    const { database } = town.management;
    const record = (session: string) =>
      JSON.stringify({ match: { user_hash: userHash, session_key: hash(ERASED, session).sessionKey } });
    const { advertiserId } = town;
    const row = { advertiserId, reason: "a test", resolvedAt: new Date() };
    await database.quarantinedImpression.createMany({
      data: [
        { ...row, impressionId: "imp_quarantined", record: record("one") },
        // A damaged record is kept as a JSON text.
        { ...row, impressionId: "imp_damaged", record: JSON.stringify(record("four")) },
      ],
    });
    before = await totals();
    const names = ["one", "two", "three", "four"].map((session) => hash(ERASED, session).sessionKey);
    const found = await everything();
    for (const name of [userHash, ...names]) expect(found).toContain(name);

    // In three days, when billing no longer writes today's impressions.
    expect(await erase(ERASED, 20_000, Date.now() + 3 * 86_400_000)).toEqual({
      impressions: 3,
      reachedUsers: 1,
      quarantined: 2,
      matches: 1,
      sessions: 3,
      caps: 3,
      waiting: 0,
    });

    const left = await everything();
    for (const name of [userHash, ...names]) expect(left).not.toContain(name);
    expect(left).toContain(hash(OTHER).userHash);
    expect(await totals()).toEqual(before);
  });

  it("finds nothing the second time, and nothing of an unknown player", async () => {
    const nothing = {
      impressions: 0,
      reachedUsers: 0,
      quarantined: 0,
      matches: 0,
      sessions: 0,
      caps: 0,
      waiting: 0,
    };
    expect(await erase()).toEqual(nothing);
    expect(await erase("nobody")).toEqual(nothing);
    const unknown = {
      databaseUrl: town.postgres.url,
      redisUrl: town.redisUrl,
      playerHashKey: PLAYER_HASH_KEY,
    };
    await expect(
      erasePlayer({ ...unknown, accountId: "acct_unknown", playerId: ERASED, waitMs: 0, nowMs: Date.now() }),
    ).rejects.toThrow(UnknownAccount);
  });

  it("says where to look for an account that does not exist", async () => {
    expect(await runErase(["--player", ERASED, "--account", "acct_unknown"])).toEqual({
      code: 1,
      output: '--account is "acct_unknown": there is no such account. /system on the dashboard lists them.\n',
    });
  });

  it("refuses another PLAYER_HASH_KEY than the recorded one, under which it would find nothing", async () => {
    const refused = await runErase(["--player", OTHER, "--account", accountId], OTHER_KEY);
    expect(refused.output).toMatch(
      /^PLAYER_HASH_KEY is not the key .* DATABASE_URL .* Nothing was erased\.\n$/,
    );
    expect(refused.code).toBe(1);
    expect(await everything()).toContain(hash(OTHER).userHash);
  });

  it("goes on while no PLAYER_HASH_KEY is recorded", async () => {
    const { installation } = town.management.database;
    const { playerHashKeyCheck } = await installation.findFirstOrThrow();
    await installation.updateMany({ data: { playerHashKeyCheck: null } });
    try {
      const { code, output } = await runErase(["--player", "nobody", "--account", accountId], OTHER_KEY);
      expect(output).toContain("Impressions 0,");
      expect(code).toBe(0);
    } finally {
      await installation.updateMany({ data: { playerHashKeyCheck } });
    }
  });

  it("leaves stores that agree", async () => {
    const report = await reconcileAll({
      databaseUrl: town.postgres.url,
      redisUrl: town.redisUrl,
      quietWithinMs: 20_000,
    });
    expect(report.findings).toEqual([]);
    expect(report.verdict).toBe("agrees");
  });

  const uniqueUsers = async () =>
    Number((await town.management.database.campaign.findFirstOrThrow()).uniqueUsers);

  it("still bills a match that the game holds, once, whose id names the player until it is erased again", async () => {
    const known = await uniqueUsers();
    expect((await town.impression(open)).status).toBe(201);
    expect((await town.impression(open)).status).toBe(201);
    expect((await town.impression(others)).status).toBe(201);
    await town.agree(6);
    expect(await uniqueUsers()).toBe(known + 1);
    const billed = await totals();
    expect(await erase()).toMatchObject({ impressions: 1, reachedUsers: 1, waiting: 0 });
    const left = await everything();
    for (const name of [hash(ERASED).userHash, hash(ERASED, "three").sessionKey]) {
      expect(left).not.toContain(name);
    }
    expect(await totals()).toEqual(billed);
  });

  it("counts a player who returns as a new one", async () => {
    const known = await uniqueUsers();
    await play(ERASED, "four");
    await town.agree(7);
    expect(await uniqueUsers()).toBe(known + 1);
  });

  describe.each([
    ["deletes sessions", "-del", undefined],
    ["erases matches", "-evalsha -eval", undefined],
    ["changes matches", "-hset", undefined],
    ["erases rows", undefined, "impressions"],
    ["erases rows that count players", undefined, "reached_users"],
  ])("interrupted when it %s", (_step, refusedCommands, refusedTable) => {
    it("erases the rest when it is repeated", async () => {
      const { database } = town.management;
      const billed = await database.impression.count();
      await play(ERASED, "seen");
      await town.agree(billed + 1);
      await matchOf(ERASED, "open");
      const names = [hash(ERASED).userHash, ...["seen", "open"].map((name) => hash(ERASED, name).sessionKey)];
      const redisUrl = new URL(town.redisUrl);
      if (refusedCommands !== undefined) {
        [redisUrl.username, redisUrl.password] = ["interrupted", "secret"];
        const rights = ["reset", "on", ">secret", "~*", "&*", "+@all", ...refusedCommands.split(" ")];
        await town.redis.call("ACL", "SETUSER", "interrupted", ...rights);
      }
      try {
        if (refusedTable !== undefined) {
          await database.$executeRaw`CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN RAISE EXCEPTION ''interrupted''; END'`;
          await database.$executeRawUnsafe(
            `CREATE TRIGGER refuse BEFORE UPDATE ON ${refusedTable} FOR EACH ROW EXECUTE FUNCTION refuse_change()`,
          );
        }
        await expect(erase(ERASED, 20_000, Date.now(), redisUrl.href)).rejects.toThrow(
          /NOPERM|can't run this command|interrupted/,
        );
      } finally {
        // Billing's reads may deadlock with it.
        await eventually(async () => {
          await database.$executeRaw`DROP FUNCTION IF EXISTS refuse_change CASCADE`;
          return true;
        });
        await town.redis.call("ACL", "DELUSER", "interrupted");
      }
      await erase();
      const left = await everything();
      for (const name of names) expect(left).not.toContain(name);
    });
  });

  it("says what billing has not written yet", async () => {
    const billed = await town.management.database.impression.count();
    await play(ERASED, "four");
    await town.agree(billed + 1);
    await town.stopBilling();
    await play(ERASED, "five");
    expect(await erase(ERASED, 0)).toMatchObject({ impressions: 1, waiting: 1 });
  });
});
