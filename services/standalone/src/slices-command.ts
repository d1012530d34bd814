import { createDatabase, type Database, installationId } from "@diegetic/database";
import {
  connectRedis,
  InstallationClaim,
  isSilent,
  MAX_WALLET_SLICES,
  type ProcessReport,
  type RedisConnection,
  readProcessReports,
} from "@diegetic/hot-state";
import { SetupError } from "@diegetic/local-stores";
import { sliceWallet } from "@diegetic/management";
import { type Environment, integerSetting, readOptions, textSetting } from "@diegetic/service-kit";
import { isInForce } from "./in-force.ts";
import { findStores, throwUnavailable } from "./stores.ts";

const USAGE = "Usage: npm run --silent slices -- [--advertiser ID --slices N [--wait SECONDS]]";
const MAX_ID_CHARACTERS = 200;
const MAX_LISTED = 1_000;
const OPTIONS = {
  advertiserId: textSetting("--advertiser", { maxLength: MAX_ID_CHARACTERS }),
  slices: integerSetting("--slices", { min: 1, max: MAX_WALLET_SLICES }),
  waitSeconds: integerSetting("--wait", { min: 0, max: 3_600, fallback: 30 }),
};

interface Division {
  advertiserId: string;
  slices: number;
  waitSeconds: number;
}

interface SlicesCommandParts {
  /** Default: that of the process. */
  environment?: Environment;
  /** Receives the answer. Default: standard output. */
  write?: (text: string) => void;
}

/**
 * `npm run slices`: divides an advertiser's wallet into slices (docs/scaling.md#slices), or lists the divided wallets, in the
 * stores of the environment, or of the running stack of DATA_DIR. Returns the exit code: 0 in force, 1 not yet.
 */
export async function runSlicesCommand(
  args: string[],
  { environment = process.env, write = (text) => process.stdout.write(text) }: SlicesCommandParts = {},
): Promise<number> {
  const options = args.length === 0 ? "list" : readOptions(args, OPTIONS, USAGE);
  if (options === "help") {
    write(`${USAGE}\n`);
    return 0;
  }
  const { databaseUrl, redisUrl } = await findStores(environment);
  const database = createDatabase(databaseUrl, { applicationName: "slices", poolSize: 1 });
  const redis = connectRedis(redisUrl, { name: "slices" });
  try {
    const claim = new InstallationClaim(redis, () => installationId(database));
    await claim.verify();
    if (!(await claim.isMade())) {
      throw new SetupError(
        "REDIS_URL names a Redis that management has not used: correct it, or start management.",
      );
    }
    if (options !== "list") return await divide({ database, redis, write }, options);
    write(await listText(database));
    return 0;
  } catch (error) {
    return throwUnavailable(error);
  } finally {
    redis.disconnect();
    await database.$disconnect();
  }
}

async function divide(
  { database, redis, write }: { database: Database; redis: RedisConnection; write(text: string): void },
  { advertiserId, slices, waitSeconds }: Division,
): Promise<number> {
  await requireUpgraded(redis, slices);
  const result = await sliceWallet(database, advertiserId, slices);
  if (result === "unknown") {
    throw new SetupError(
      `--advertiser is "${advertiserId}": there is no such advertiser. GET /profile answers the id.`,
    );
  }
  const readRow = () => database.advertiser.findUniqueOrThrow({ where: { id: advertiserId } });
  const { walletSlices } = await readRow();
  if (walletSlices > slices) {
    throw new SetupError(
      `--slices is "${slices}": the wallet of ${advertiserId} has ${walletSlices}, and never gets fewer, because each keeps its matches.`,
    );
  }
  const wallet = `The wallet of ${advertiserId} ${result === "sliced" ? "now has" : "already has"} ${sliceCount(slices)}`;
  if (await isInForce(readRow, redis, waitSeconds * 1_000)) {
    write(`${wallet}, in force on every match instance.\n`);
    return 0;
  }
  const reason = (await runsManagement(redis))
    ? `not in force everywhere after ${waitSeconds} seconds: see the log of management, and repeat the command.`
    : "in force once a management service runs: none does.";
  write(`${wallet}, ${reason}\n`);
  return 1;
}

/** Throws if a process runs whose version would spend the money of slices again. */
async function requireUpgraded(redis: RedisConnection, slices: number): Promise<void> {
  const old = (await runningProcesses(redis)).filter(({ maxWalletSlices = 1 }) => maxWalletSlices < slices);
  if (old.length === 0) return;
  const names = old.map(({ service, instance }) => `${service} ${instance}`).join(", ");
  throw new SetupError(
    `--slices is "${slices}": first upgrade these processes, whose versions cannot use as many: ${names}.`,
  );
}

async function runsManagement(redis: RedisConnection): Promise<boolean> {
  return (await runningProcesses(redis)).some(({ service }) => service === "management");
}

async function runningProcesses(redis: RedisConnection): Promise<ProcessReport[]> {
  const nowMs = Date.now();
  return (await readProcessReports(redis, nowMs)).filter((report) => !isSilent(report, nowMs));
}

async function listText(database: Database): Promise<string> {
  const rows = await database.advertiser.findMany({
    where: { walletSlices: { gt: 1 } },
    orderBy: { id: "asc" },
    take: MAX_LISTED,
  });
  if (rows.length === 0) return "No wallet is divided into slices.\n";
  return rows.map((row) => `${row.id} (${row.companyName}): ${sliceCount(row.walletSlices)}\n`).join("");
}

function sliceCount(slices: number): string {
  return slices === 1 ? "1 slice" : `${slices} slices`;
}
