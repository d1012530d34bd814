import { join } from "node:path";
import {
  connectRedis,
  createGameSessions,
  createMoneyCommands,
  type RedisConnection,
} from "@diegetic/hot-state";
import { startRedis } from "@diegetic/local-stores";
import { median, metric, ratios } from "../frame/statistics.ts";
import type { Metric, Run, Suite } from "../frame/suite.ts";
import { loadFourCommands } from "../processes/four-commands.ts";
import { type Ask, Wallets } from "./wallets.ts";

/** Redis' cost of each script of a match and an impression, compared with a script of four commands. */
export const scripts: Suite = { names: ["scripts"], run: measure };

const ASKS = 10_000;
const QUICK_ASKS = 2_000;
/** About as many as an instance sends in one write under load. */
const AT_ONCE = 16;
const WARM_UPS = 2;
/** Share of billed matches; the others are cancelled. */
const BILLED_SHARE = 0.7;
const NAMES = ["four commands", "admit", "reserve", "commit", "release"] as const;

type Name = (typeof NAMES)[number];

/** Per call: processor time of the command thread, that of the script, number of commands. */
interface Cost {
  microseconds: number;
  scriptMicroseconds: number;
  commands: number;
}

async function measure(run: Run): Promise<Metric[]> {
  const store = await startRedis({ dir: join(run.directory, "scripts") });
  run.defer(() => store.stop());
  const redis = connectRedis(store.url, { name: "benchmark", commandTimeoutMs: 60_000 });
  run.defer(() => redis.disconnect());
  const wallets = new Wallets(createMoneyCommands(redis), createGameSessions(redis));
  await wallets.open();
  const fourCommands = await loadFourCommands(redis);
  const costs: Record<Name, Cost[]> = {
    "four commands": [],
    admit: [],
    reserve: [],
    commit: [],
    release: [],
  };
  for (let round = -WARM_UPS; round < run.rounds; round += 1) {
    const asks = wallets.asks(run.quick ? QUICK_ASKS : ASKS);
    const billed = asks.slice(0, asks.length * BILLED_SHARE);
    const taken: Record<Name, Cost> = {
      "four commands": await costOf(redis, asks, (_ask, index) => fourCommands(index)),
      admit: await costOf(redis, asks, (ask) => wallets.admit(ask)),
      reserve: await costOf(redis, asks, (ask) => wallets.reserve(ask)),
      commit: await costOf(redis, billed, (ask) => wallets.commit(ask)),
      release: await costOf(redis, asks.slice(billed.length), (ask) => wallets.cancel(ask)),
    };
    if (round >= 0) for (const name of NAMES) costs[name].push(taken[name]);
  }
  run.say("scripts are measured");
  return metricsOf(costs);
}

async function costOf(
  redis: RedisConnection,
  asks: readonly Ask[],
  call: (ask: Ask, index: number) => Promise<unknown>,
): Promise<Cost> {
  const before = await counters(redis);
  for (let start = 0; start < asks.length; start += AT_ONCE) {
    await Promise.all(asks.slice(start, start + AT_ONCE).map((ask, index) => call(ask, start + index)));
  }
  const after = await counters(redis);
  const each = (part: keyof Cost) => (after[part] - before[part]) / asks.length;
  return {
    microseconds: each("microseconds"),
    scriptMicroseconds: each("scriptMicroseconds"),
    commands: each("commands"),
  };
}

/** Sums since the start of the server. */
async function counters(redis: RedisConnection): Promise<Cost> {
  const [cpu, commands] = [String(await redis.info("cpu")), String(await redis.info("commandstats"))];
  const sums = { microseconds: 0, scriptMicroseconds: 0, commands: 0 };
  for (const [, seconds] of cpu.matchAll(/used_cpu_(?:sys|user)_main_thread:([\d.]+)/g)) {
    sums.microseconds += Number(seconds) * 1e6;
  }
  for (const [, name = "", calls, microseconds] of commands.matchAll(
    /^cmdstat_(\S+):calls=(\d+),usec=(\d+)/gm,
  )) {
    if (name.startsWith("eval")) sums.scriptMicroseconds += Number(microseconds);
    else sums.commands += Number(calls);
  }
  return sums;
}

function metricsOf(costs: Record<Name, Cost[]>): Metric[] {
  const each = (name: Name) => costs[name].map(({ microseconds }) => microseconds);
  const metrics = NAMES.map((name) => {
    const of = (part: keyof Cost) => median(costs[name].map((cost) => cost[part])).toFixed(1);
    const note = `${of("commands")} commands; ${of("scriptMicroseconds")} µs by the clock in the script`;
    const id = `script_${name.replace(" ", "_")}_us`;
    return metric({ id, label: `Redis: ${name}, each`, unit: "µs", note }, each(name));
  });
  const match = each("admit").map((admit, round) => admit + (each("reserve")[round] ?? Number.NaN));
  const ratio = (id: string, label: string, samples: number[]) =>
    metric({ id, label, unit: "×" }, ratios(samples, each("four commands")));
  return [
    ...metrics,
    ratio("script_match_to_four_commands", "Redis: admit and reserve / four commands", match),
    ratio("script_commit_to_four_commands", "Redis: commit / four commands", each("commit")),
  ];
}
