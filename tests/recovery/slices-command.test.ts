import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createWalletReader } from "@diegetic/hot-state";
import { createTestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { withOwnNode } from "@diegetic/testing/stack";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { runSlicesCommand } from "../../services/standalone/src/slices-command.ts";
import { Town } from "./town.fixture.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const COMMAND_TIMEOUT_MS = 300_000;
const MAX_IMPRESSIONS = 80;
const LIMITS = { holds: 1_000, records: 1_000, lateMs: 60_000 };
const USAGE = "Usage: npm run --silent slices -- [--advertiser ID --slices N [--wait SECONDS]]";

let server: TestRedis;
let town: Town;

beforeAll(async () => {
  server = await startTestRedis();
  town = await Town.open(server.url, { depositCents: 10_000, budgetCents: 100 });
});
afterAll(async () => {
  await town.close();
  await server.stop();
});

interface Ended {
  code: unknown;
  stdout: string;
  stderr: string;
}

/** `npm run slices` with the town's stores. */
function runSlices(...args: string[]): Promise<Ended> {
  const env = { ...process.env, ...withOwnNode(), ...storesOf(town.postgres.url) };
  const options = { cwd: ROOT, env, timeout: COMMAND_TIMEOUT_MS };
  return new Promise((resolve) => {
    execFile("npm", ["run", "--silent", "slices", "--", ...args], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr: stderr.replace(/^npm warn .*\n/gm, "") }),
    );
  });
}

const storesOf = (databaseUrl: string) => ({ DATABASE_URL: databaseUrl, REDIS_URL: town.redisUrl });

/** The command in this process: its exit code and what it prints. Rejects with the sentence that it ends with. */
async function slices(args: string[] = [], databaseUrl = town.postgres.url) {
  let printed = "";
  const write = (text: string) => {
    printed += text;
  };
  const code = await runSlicesCommand(args, { environment: storesOf(databaseUrl), write });
  return { code, printed };
}

const division = (count: number, ...more: string[]) => [
  ...["--advertiser", town.advertiserId, "--slices", String(count)],
  ...more,
];

async function slicesOfWallet(): Promise<number> {
  const row = await town.management.database.advertiser.findUniqueOrThrow({
    where: { id: town.advertiserId },
  });
  return row.walletSlices;
}

/** Impressions that each slice but the advertiser's own wallet has charged. */
async function chargedByOthers(slices: number): Promise<number[]> {
  const keys = Array.from({ length: slices - 1 }, (_, n) => `{${town.advertiserId}.${n + 1}}:account`);
  return (await Promise.all(keys.map((key) => town.redis.hget(key, "impressions")))).map(Number);
}

describe("npm run slices", () => {
  it("finds no divided wallet at first", async () => {
    expect(await slices()).toEqual({ code: 0, printed: "No wallet is divided into slices.\n" });
  });

  it("refuses while a process of a version without slices runs, and names it", async () => {
    const report = { service: "match", instance: "old-1", failing: [], reportedAtMs: Date.now() + 60_000 };
    await town.redis.hset("{processes}:reports", "old", JSON.stringify(report));
    await expect(slices(division(4))).rejects.toThrow(
      '--slices is "4": first upgrade these processes, whose versions cannot use as many: match old-1.',
    );
    expect(await slicesOfWallet()).toBe(1);
    await town.redis.hdel("{processes}:reports", "old");
  });

  it("divides the wallet of a serving advertiser, and ends when it is in force", async () => {
    const open = await town.served();
    expect(await runSlices(...division(4))).toEqual({
      code: 0,
      stdout: `The wallet of ${town.advertiserId} now has 4 slices, in force on every match instance.\n`,
      stderr: "",
    });
    expect(await town.statusOf(open)).toBe(201);
    let impressions = 1;
    // The hash of a player's session draws the slice.
    while (impressions < MAX_IMPRESSIONS && (await chargedByOthers(4)).includes(0)) {
      impressions += (await town.play(1)).length;
    }
    expect(await chargedByOthers(4)).not.toContain(0);
    await town.agree(impressions);
    const wallet = await createWalletReader(town.redis).read(town.advertiserId, [town.campaignId], LIMITS);
    expect(wallet?.account).toMatchObject({ impressions, live: true });
  });

  it("may be repeated", async () => {
    expect(await slices(division(4))).toEqual({
      code: 0,
      printed: `The wallet of ${town.advertiserId} already has 4 slices, in force on every match instance.\n`,
    });
  });

  it("lists divided wallets", async () => {
    expect(await slices()).toEqual({
      code: 0,
      printed: expect.stringMatching(new RegExp(`^${town.advertiserId} \\(.+\\): 4 slices\\n$`)),
    });
  });

  it("refuses fewer slices, and says why", async () => {
    expect(await runSlices(...division(2))).toEqual({
      code: 1,
      stdout: "",
      stderr: `--slices is "2": the wallet of ${town.advertiserId} has 4, and never gets fewer, because each keeps its matches.\n`,
    });
    expect(await slicesOfWallet()).toBe(4);
  });

  it("refuses an unknown advertiser", async () => {
    await expect(slices(["--advertiser", "adv_unknown", "--slices", "2"])).rejects.toThrow(
      '--advertiser is "adv_unknown": there is no such advertiser. GET /profile answers the id.',
    );
  });

  it.each([
    [["--slices", "2"], "--advertiser is needed: it must be a text of 1 to 200 characters."],
    [["--advertiser", "adv_x"], "--slices is needed: it must be a whole number from 1 to 64."],
    [["--advertiser", "adv_x", "--slices", "0"], '--slices is "0": it must be a whole number from 1 to 64.'],
    [
      ["--advertiser", "adv_x", "--slices", "65"],
      '--slices is "65": it must be a whole number from 1 to 64.',
    ],
  ])("refuses %j with the usage", async (args, sentence) => {
    const refusal = { name: "UsageError", message: `${sentence}\n${USAGE}` };
    await expect(slices(args)).rejects.toThrow(expect.objectContaining(refusal));
  });

  it("ends with the code for wrong use after the usage", async () => {
    const { code, stdout, stderr } = await runSlices("--advertiser", town.advertiserId);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.split("\n")).toEqual([expect.stringContaining("--slices is needed"), USAGE, ""]);
  });

  it("refuses a Redis of another installation", async () => {
    const other = await createTestDatabase();
    try {
      await expect(slices([], other.url)).rejects.toThrow(
        /^The Redis at REDIS_URL belongs to another installation .*\.$/,
      );
    } finally {
      await other.drop();
    }
  });

  it("says when a running management has not put it in force in time, and ends well once it has", async () => {
    const { database } = town.management;
    await database.$executeRaw`CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''interrupted''; END'`;
    await database.$executeRaw`CREATE TRIGGER refuse BEFORE UPDATE OF published_version ON advertisers
      FOR EACH ROW EXECUTE FUNCTION refuse_change()`;
    expect(await slices(division(6, "--wait", "2"))).toEqual({
      code: 1,
      printed: `The wallet of ${town.advertiserId} now has 6 slices, not in force everywhere after 2 seconds: see the log of management, and repeat the command.\n`,
    });
    // Management's updates may deadlock with it.
    await eventually(async () => {
      await database.$executeRaw`DROP FUNCTION IF EXISTS refuse_change CASCADE`;
      return true;
    });
    expect(await slices(division(6))).toMatchObject({ code: 0 });
  });

  it("says that it is in force once management runs", async () => {
    await town.stopManagement();
    expect(await slices(division(8, "--wait", "0"))).toEqual({
      code: 1,
      printed: `The wallet of ${town.advertiserId} now has 8 slices, in force once a management service runs: none does.\n`,
    });
    expect(await slicesOfWallet()).toBe(8);
  });
});
