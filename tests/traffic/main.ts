/** `npm run traffic -- --players N --minutes M [--rate R]`: realistic traffic against the running stack of DATA_DIR. */
import { execFileSync } from "node:child_process";
import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DiegeticClient } from "@diegetic/client";
import { readTrafficOptions, type TrafficOptions } from "./options.ts";
import { playAll } from "./players.ts";
import { Statistics } from "./statistics.ts";
import { type Game, pauseCampaigns, prepare } from "./world.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PROGRESS_MS = process.stderr.isTTY ? 1_000 : 10_000;

try {
  await run();
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function run(): Promise<void> {
  const options = readTrafficOptions();
  const baseUrl = readBaseUrl();
  const runId = Date.now().toString(36);
  const statistics = new Statistics();
  const client = new DiegeticClient({ baseUrl, apiKey: createKey(runId), onEvent: statistics.onEvent });
  const end = new AbortController();
  process.on("SIGINT", () => end.abort());
  try {
    const games = await prepare(client, runId);
    await play(client, games, { options, statistics, baseUrl, end });
  } finally {
    // They would go on to win matches of others.
    await pauseCampaigns(client).catch((error: unknown) => {
      process.stderr.write(`Campaigns may still be active: ${messageOf(error)}\n`);
    });
    await client.close({ timeoutMs: 0 });
  }
}

interface Run {
  options: TrafficOptions;
  statistics: Statistics;
  baseUrl: string;
  end: AbortController;
}

async function play(
  client: DiegeticClient,
  games: Game[],
  { options, statistics, baseUrl, end }: Run,
): Promise<void> {
  process.stderr.write(
    `${options.players} players for ${options.minutes} min at ${baseUrl}. Ctrl-C ends early.\n`,
  );

  setMaxListeners(0, end.signal);
  const endMs = Date.now() + options.minutes * 60_000;
  const timer = setTimeout(() => end.abort(), options.minutes * 60_000);
  const progress = setInterval(() => showProgress(statistics, endMs), PROGRESS_MS);
  await playAll({ client, games, statistics, options, end: end.signal });
  clearTimeout(timer);
  clearInterval(progress);
  const pending = await client.flush();
  const { total_spent_cents } = await client.api.getRevenue();
  if (process.stderr.isTTY) process.stderr.write("\n");
  process.stdout.write(`${statistics.summary(pending)}\n`);
  process.stdout.write(
    `${"Of that by this run's campaigns".padEnd(32)}${total_spent_cents} cents, rounded up\n`,
  );
}

function showProgress(statistics: Statistics, endMs: number): void {
  const line = statistics.progress(Math.max(0, endMs - Date.now()) / 1_000);
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
}

function readBaseUrl(): string {
  const dataDir = process.env.DATA_DIR ?? ".data";
  try {
    return JSON.parse(readFileSync(join(dataDir, "stack.json"), "utf8")).baseUrl;
  } catch {
    throw new Error(`No stack is running in ${dataDir}: start one with npm start, or set DATA_DIR.`);
  }
}

/** An account of its own, so that the demo account stays as it is. */
function createKey(runId: string): string {
  const args = ["run", "--silent", "key", "--", "--label", `traffic-${runId}`, "--rate-limit", "unlimited"];
  return execFileSync("npm", args, { cwd: ROOT, encoding: "utf8" }).trim();
}
