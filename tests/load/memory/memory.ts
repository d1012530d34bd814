import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectRedis, DEFAULT_IMPRESSION_TIMES, type RedisConnection } from "@diegetic/hot-state";
import { startRedis } from "@diegetic/local-stores";
import { metric } from "../frame/statistics.ts";
import type { Goal, Metric, Run, Suite } from "../frame/suite.ts";
import { datasetBytes, measureSteadyState } from "./steady-state.ts";
import { type Lives, Traffic } from "./traffic.ts";

/** Memory of a match in Redis, by state, and the sustainable matches per second in 2 GB. */
export const memory: Suite = { names: ["memory"], run: measure };

const MATCHES = 10_000;
const QUICK_MATCHES = 4_000;
/** Later matches, which remove expired entries. */
const FOLLOWING_SHARE = 0.5;
const SHORT_MS = 1_000;
const POLL_MS = 100;
const SAMPLED_KEYS = 200;
const USUAL: Lives = { ...DEFAULT_IMPRESSION_TIMES, sessionIdleMs: 1_800_000 };

const TWO_GIGABYTES = 2 * 2 ** 30;
const MATCHES_OF_A_SESSION = 5;
const SEEN_SHARE = 0.6;
const SEEN_AFTER_SECONDS = 30;
const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;

const STATES = {
  open: ["hold open, with session and caps", { atMost: 1_000, aim: 650 }],
  seen: ["seen, session living", { atMost: 500, aim: 350 }],
  lapsed: ["unseen, hold lapsed, session living", { atMost: 420, aim: 300 }],
  seenLater: ["seen, after its session ended", { atMost: 120, aim: 64 }],
  lapsedLater: ["unseen, an hour after its hold lapsed, session ended", { atMost: 20, aim: 0 }],
} as const satisfies Record<string, readonly [string, Goal]>;

type State = keyof typeof STATES;

/** Results of one round, per match. */
interface Measured {
  bytes: Record<State, number>;
  /** Keys of sessions and caps left after the session. */
  keysLeft: number;
  /** Of a match that was seen, without these keys. */
  chargeBytes: number;
  sessionBytes: number;
  capBytes: number;
  capSeconds: number;
}

interface Stage {
  redis: RedisConnection;
  matches: number;
}

async function measure(run: Run): Promise<Metric[]> {
  const store = await startRedis({ dir: join(run.directory, "memory") });
  run.defer(() => store.stop());
  const redis = connectRedis(store.url, { name: "benchmark", commandTimeoutMs: 60_000 });
  run.defer(() => redis.disconnect());
  const stage = { redis, matches: run.quick ? QUICK_MATCHES : MATCHES };
  const rounds: Measured[] = [];
  for (let round = 0; round < run.rounds; round += 1) {
    rounds.push(await measureRound(stage));
    run.say(`memory, round ${round + 1}`);
  }
  const steady = await measureSteadyState(redis, run);
  run.say("memory, steady state");
  return [...metricsOf(rounds), ...steady];
}

async function measureRound(stage: Stage): Promise<Measured> {
  const living = await measureLiving(stage);
  const lapsed = await measureLapsed(stage);
  const seenLater = await measureSeenLater(stage);
  const lapsedLater = await measureLapsedLater(stage, living.bytes.open);
  const bytes = { ...living.bytes, lapsed, seenLater: seenLater.bytes, lapsedLater };
  return { ...living, bytes, keysLeft: seenLater.keysLeft, chargeBytes: seenLater.chargeBytes };
}

async function measureLiving(stage: Stage) {
  const world = await World.open(stage, {});
  const taken = await world.traffic.take(stage.matches);
  const open = await world.bytes();
  const [sessions, caps] = await Promise.all([world.keys("session"), world.keys("cap")]);
  const [sessionBytes, capBytes] = await Promise.all([
    memoryOf(stage.redis, sessions),
    memoryOf(stage.redis, caps),
  ]);
  const capSeconds = (await stage.redis.pttl(caps[0] ?? "")) / 1_000;
  await world.traffic.see(taken);
  return { bytes: { open, seen: await world.bytes() }, sessionBytes, capBytes, capSeconds };
}

async function measureLapsed(stage: Stage): Promise<number> {
  const world = await World.open(stage, { holdTtlMs: SHORT_MS });
  await world.traffic.take(stage.matches);
  await world.releaseAll();
  return world.bytes();
}

async function measureSeenLater(stage: Stage) {
  const world = await World.open(stage, { sessionIdleMs: SHORT_MS });
  await world.traffic.see(await world.traffic.take(stage.matches));
  await world.sessionsToEnd();
  const keys = [...(await world.keys("session")), ...(await world.keys("cap"))];
  const bytes = await world.bytes();
  for (const key of keys) await stage.redis.unlink(key);
  return { bytes, keysLeft: keys.length / stage.matches, chargeBytes: await world.bytes() };
}

async function measureLapsedLater(stage: Stage, openBytes: number): Promise<number> {
  const lives = {
    ...USUAL,
    holdTtlMs: SHORT_MS,
    sessionIdleMs: SHORT_MS,
    matchWithoutIdMs: SHORT_MS,
    resendMs: SHORT_MS,
  };
  const world = await World.open(stage, lives);
  await world.traffic.take(stage.matches);
  await world.releaseAll();
  await world.sessionsToEnd();
  await sleep(3 * SHORT_MS);
  // Later matches remove entries; their own holds stay open.
  const { sessionIdleMs } = USUAL;
  await world.traffic.take(stage.matches * FOLLOWING_SHARE, { ...lives, sessionIdleMs });
  return Math.max(0, (await world.bytes()) - FOLLOWING_SHARE * openBytes);
}

/** An empty Redis with its own traffic. */
class World {
  readonly traffic: Traffic;
  readonly #stage: Stage;
  #emptyBytes = 0;

  private constructor(stage: Stage, lives: Partial<Lives>) {
    this.#stage = stage;
    this.traffic = new Traffic(stage.redis, { ...USUAL, ...lives });
  }

  static async open(stage: Stage, lives: Partial<Lives>): Promise<World> {
    await stage.redis.flushall();
    const world = new World(stage, lives);
    await world.traffic.open();
    world.#emptyBytes = await datasetBytes(stage.redis);
    return world;
  }

  /** Since opening, per match. */
  async bytes(): Promise<number> {
    return ((await datasetBytes(this.#stage.redis)) - this.#emptyBytes) / this.#stage.matches;
  }

  async keys(kind: "session" | "cap"): Promise<string[]> {
    const found: string[] = [];
    for (let cursor = "0"; ; ) {
      const [next, keys] = await this.#stage.redis.scan(cursor, "MATCH", `*:${kind}:*`, "COUNT", 5_000);
      found.push(...keys);
      if (next === "0") return found;
      cursor = next;
    }
  }

  async releaseAll(): Promise<void> {
    for (let left = this.#stage.matches; left > 0; ) {
      left -= await this.traffic.releaseLapsed();
      if (left > 0) await sleep(POLL_MS);
    }
  }

  async sessionsToEnd(): Promise<void> {
    while ((await this.keys("session")).length > 0) await sleep(POLL_MS);
  }
}

/** Mean over some of the keys; 0 without keys. */
async function memoryOf(redis: RedisConnection, keys: readonly string[]): Promise<number> {
  const some = keys.slice(0, SAMPLED_KEYS);
  const sizes = await Promise.all(some.map((key) => redis.call("MEMORY", "USAGE", key, "SAMPLES", "0")));
  return sizes.reduce<number>((sum, size) => sum + Number(size), 0) / Math.max(1, some.length);
}

/**
 * Sustainable matches per second in 2 GB: memory per match times its lifetime. Sessions and caps are counted
 * separately, because the matches of a session share them.
 */
function sustained({ bytes, chargeBytes, sessionBytes, capBytes, capSeconds }: Measured): number {
  const leftBytes = bytes.seenLater - chargeBytes;
  const player = sessionBytes + leftBytes;
  const { holdTtlMs, sessionIdleMs } = USUAL;
  const openBytes = bytes.open - player;
  const seen = openBytes * SEEN_AFTER_SECONDS + chargeBytes * DAY_SECONDS;
  const unseen =
    (openBytes * holdTtlMs) / 1_000 +
    (bytes.lapsed - player) * HOUR_SECONDS +
    Math.max(0, bytes.lapsedLater - leftBytes) * (DAY_SECONDS - HOUR_SECONDS);
  const session = (sessionBytes * sessionIdleMs) / 1_000 + capBytes * capSeconds;
  const byteSeconds = SEEN_SHARE * seen + (1 - SEEN_SHARE) * unseen + session / MATCHES_OF_A_SESSION;
  return TWO_GIGABYTES / byteSeconds;
}

function metricsOf(rounds: readonly Measured[]): Metric[] {
  const states = Object.entries(STATES) as [State, readonly [string, Goal]][];
  return [
    ...states.map(([state, [label, goal]]) =>
      metric(
        { id: `memory_${state}_bytes`, label: `Redis per match: ${label}`, unit: "B", goal },
        rounds.map(({ bytes }) => bytes[state]),
      ),
    ),
    metric(
      {
        id: "memory_keys_left",
        label: "keys of session and caps after the session ended",
        unit: "keys",
        goal: { atMost: 0 },
      },
      rounds.map(({ keysLeft }) => keysLeft),
    ),
    metric(
      { id: "memory_charge_bytes", label: "Redis per charge that retries may ask for", unit: "B" },
      rounds.map(({ chargeBytes }) => chargeBytes),
    ),
    metric(
      { id: "memory_session_key_bytes", label: "key of a session with one match", unit: "B" },
      rounds.map(({ sessionBytes }) => sessionBytes),
    ),
    metric(
      { id: "memory_cap_key_bytes", label: "key of its caps with one advertiser", unit: "B" },
      rounds.map(({ capBytes }) => capBytes),
    ),
    metric(
      {
        id: "memory_sustained_matches_per_second",
        label: "matches a second that 2 GB sustain",
        unit: "1/s",
        goal: { atLeast: 150, aim: 400 },
        note: "60 % seen within 30 s, five matches a session",
      },
      rounds.map(sustained),
    ),
  ];
}
