import { setMaxListeners } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createBillingProducer } from "@diegetic/hot-state";
import { eventually } from "@diegetic/testing/eventually";
import { readAftermath } from "./checker/aftermath.ts";
import { checkAudit } from "./checker/check-audit.ts";
import { checkImpressions, type ImpressionRow } from "./checker/check-impressions.ts";
import { brokenCode, checkLogs } from "./checker/check-logs.ts";
import { checkServing } from "./checker/check-serving.ts";
import { checkReconciliation } from "./checker/check-stores.ts";
import { checkWebhooks } from "./checker/check-webhooks.ts";
import { type Check, CheckBuilder, isFailed } from "./checker/report.ts";
import { emptyHistory, type History, isRefusedKey, isUnknown, textOf } from "./history.ts";
import type { Fault } from "./nemesis/fault.ts";
import { faultsOf, type Injection, runNemesis } from "./nemesis/nemesis.ts";
import { Random } from "./random.ts";
import { type Variant, World } from "./topology/world.ts";
import { type Market, openMarket } from "./workload/market.ts";
import { attemptImpression, runPlayers } from "./workload/players.ts";
import { type Samples, sampleWallets } from "./workload/sampler.ts";
import { divideWallet, readWallets } from "./workload/slices.ts";
import { runAdvertisers } from "./workload/trade.ts";
import { WEBHOOK_RETRY_MS, Webhooks } from "./workload/webhooks.ts";

export interface SuiteOptions {
  seed: number;
  variant: Variant;
  /** Duration of the faults. Milliseconds. */
  durationMs: number;
  players?: number;
  withoutSafeguard?: string | undefined;
  /** Maximum wait at the end for all holds to close. Milliseconds; default: longer than the slowest backstop. */
  quietWithinMs?: number;
  /** Maximum injections per fault. Default: unlimited. */
  rounds?: number;
  /** Selects faults; default: all. */
  pick?: (faults: Fault[], random: Random) => Fault[];
  /** Keeps stores, logs and history of a run that fails, and says where. */
  keepsEvidence?: boolean;
  say?: (line: string) => void;
}

export interface SuiteReport {
  seed: number;
  variant: Variant;
  checks: Check[];
  injections: Injection[];
  /** Counts of answers, by `POST /match 200` and the like. */
  answers: Map<string, number>;
  impressions: number;
  samples: number;
  quietAfterMs: number;
  /** Log lines that report broken code: then the checks prove nothing. */
  brokenCode: string[];
}

const HOLD_TTL_SECONDS = 4;
const SESSION_IDLE_SECONDS = 3;
const PLAYERS = 8;
const PLAYER_PAUSE_MS = 120;
const FIRST_SLICES = 3;
const SLICED_WITHIN_MS = 60_000;
/** Billing's backstop walk visits every advertiser once a minute. */
const QUIET_WITHIN_MS = 90_000;
const DRAIN_ATTEMPTS = 20;

/** One run: the real topology under load and faults, then the checks of the invariants. */
export async function runSuite(options: SuiteOptions): Promise<SuiteReport> {
  const say = options.say ?? (() => undefined);
  const { seed, variant } = options;
  say(`seed ${seed}, ${variant} Redis, ${Math.round(options.durationMs / 1_000)} s`);
  const random = new Random(seed);
  const all = faultsOf(variant);
  const faults = options.pick?.(all, random.fork("pick")) ?? all;
  const world = await World.start({
    variant,
    replacesModules: faults.some((fault) => fault.replacesModules),
    holdTtlSeconds: HOLD_TTL_SECONDS,
    sessionIdleSeconds: SESSION_IDLE_SECONDS,
    withoutSafeguard: options.withoutSafeguard,
    environment: { WEBHOOK_ADDRESSES: "any", WEBHOOK_RETRY_MS: String(WEBHOOK_RETRY_MS) },
  });
  let webhooks: Webhooks | undefined;
  const history = emptyHistory();
  let hasHeld = false;
  try {
    const baseUrl = world.baseUrl;
    const market = await openMarket({ baseUrl: () => baseUrl, databaseUrl: world.postgres.url, history });
    webhooks = await Webhooks.open(world, market, random.fork("webhooks"));
    await divideFirst(world, market);
    const samples: Samples = {
      taken: 0,
      missed: 0,
      violations: [],
      versions: { examined: 0, violations: [] },
    };
    const injections = await runTogether(options, { world, faults, market, history, samples, random, say });
    const quietAfterMs = await becomeQuiet(
      { world, market, history },
      options.quietWithinMs ?? QUIET_WITHIN_MS,
    );
    await webhooks.drain(world);
    const checks = [
      ...(await checkAll({ world, market, history, samples, injections })),
      ...(await checkWebhooks(world, webhooks)),
    ];
    hasHeld = !checks.some(isFailed);
    return {
      seed,
      variant,
      checks,
      injections,
      answers: history.answers,
      impressions: history.impressions.filter(({ answers }) => answers.length > 0).length,
      samples: samples.taken,
      quietAfterMs,
      brokenCode: brokenCode(world),
    };
  } finally {
    const keepsFiles = options.keepsEvidence === true && !hasHeld;
    if (keepsFiles) say(`stores, logs and history: ${world.dir}`);
    try {
      if (keepsFiles) writeFileSync(join(world.dir, "history.json"), textOf(history));
    } finally {
      await world.stop({ keepsFiles });
      webhooks?.close();
    }
  }
}

/** One advertiser has slices from the start, one gets them from a fault, and one never does. */
async function divideFirst(world: World, market: Market): Promise<void> {
  const [, divided] = market.advertisers;
  if (divided === undefined) throw new Error("there are too few advertisers");
  await divideWallet(world, divided.advertiserId, { slices: FIRST_SLICES, timeoutMs: SLICED_WITHIN_MS });
}

interface Running {
  world: World;
  faults: readonly Fault[];
  market: Market;
  history: History;
  samples: Samples;
  random: Random;
  say: (line: string) => void;
}

/** Runs players, advertisers, sampler and nemesis concurrently; the nemesis ends first. */
async function runTogether(options: SuiteOptions, running: Running): Promise<Injection[]> {
  const { world, faults, market, history, samples, random, say } = running;
  const stop = new AbortController();
  const { signal } = stop;
  setMaxListeners(0, signal);
  const work = [
    runPlayers({
      market,
      history,
      random: random.fork("players"),
      players: options.players ?? PLAYERS,
      pauseMs: PLAYER_PAUSE_MS,
      holdTtlMs: HOLD_TTL_SECONDS * 1_000,
      signal,
    }),
    runAdvertisers({ market, history, random: random.fork("advertisers"), signal }),
    sampleWallets({
      world,
      market,
      samples,
      signal,
    }),
  ];
  try {
    return await runNemesis({
      world,
      market,
      history,
      faults,
      random: random.fork("nemesis"),
      rounds: options.rounds,
      durationMs: options.durationMs,
      say,
    });
  } finally {
    await world.heal().finally(() => stop.abort());
    await Promise.all(work);
  }
}

/**
 * Retries what may have been executed, like a client that needs the outcome, and waits until no hold is open, nothing
 * waits to be written, and no slice has money. Returns the duration.
 */
async function becomeQuiet(
  { world, market, history }: Pick<Running, "world" | "market" | "history">,
  timeoutMs: number,
): Promise<number> {
  const startedMs = Date.now();
  for (const operation of history.impressions) {
    if (operation.matchId === null && operation.idempotencyKey === null) continue;
    for (let attempt = 0; attempt < DRAIN_ATTEMPTS; attempt += 1) {
      const last = operation.attempts.at(-1);
      if (last !== undefined && !isUnknown(last) && !isRefusedKey(last)) break;
      await attemptImpression(market.developer, operation);
      await sleep(50);
    }
  }
  const producer = createBillingProducer(world.redis.proxiedUrl, { name: "faults" });
  try {
    await eventually(() => isQuiet(world, producer), {
      timeoutMs,
      everyMs: 200,
    }).catch(() => undefined); // The checks report what does not become quiet.
  } finally {
    await producer.close();
  }
  return Date.now() - startedMs;
}

async function isQuiet(world: World, producer: { depth(): Promise<number> }): Promise<boolean> {
  for (const { advertiserId, walletIds } of await readWallets(world)) {
    const counts = await Promise.all([
      ...walletIds.flatMap((walletId) => [
        world.directRedis.zcard(`{${walletId}}:holds`),
        world.directRedis.hlen(`{${walletId}}:outbox`),
        world.directRedis.hlen(`{${walletId}}:giveback`),
      ]),
      world.directRedis.scard(`{${advertiserId}}:granted`),
    ]);
    if (counts.some((count) => count > 0)) return false;
  }
  return (await producer.depth()) === 0;
}

async function checkAll(parts: {
  world: World;
  market: Market;
  history: History;
  samples: Samples;
  injections: Injection[];
}): Promise<Check[]> {
  const { world, market, history, samples, injections } = parts;
  const rows = await world.query<ImpressionRow & Record<string, string | null>>(
    `SELECT impression_id, match_id, campaign_id, creative_id, game_id, developer_account_id,
       price_millicents::text, operation_id, (extract(epoch FROM recorded_at) * 1000)::bigint::text AS recorded_at_ms
     FROM impressions`,
  );
  const aftermath = await readAftermath(world, history);
  const timing = { holdTtlMs: HOLD_TTL_SECONDS * 1_000, sessionIdleMs: SESSION_IDLE_SECONDS * 1_000 };
  return [
    ...checkImpressions(history, rows, aftermath),
    ...(await checkReconciliation({ world, market, history, aftermath, samples })),
    await checkAudit(world, aftermath),
    ...checkServing({ history, market, ...timing }),
    {
      name: "never over balance, budget or daily cap at any sampled instant",
      examined: samples.taken,
      violations: samples.violations,
    },
    checkLogs(world),
    checkInjections(injections),
  ];
}

function checkInjections(injections: readonly Injection[]): Check {
  const check = new CheckBuilder("every fault really happened");
  for (const { fault, happened, evidence } of injections)
    check.expect(happened, () => `${fault}: ${evidence}`);
  return check.end();
}
