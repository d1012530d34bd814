import { setTimeout as sleep } from "node:timers/promises";
import { DEFAULT_IMPRESSION_TIMES, type RedisConnection } from "@diegetic/hot-state";
import { metric } from "../frame/statistics.ts";
import type { Metric, Run } from "../frame/suite.ts";
import { Traffic } from "./traffic.ts";

/** Times are shortened by this factor, except that charges are kept for a day: they are measured apart. */
const SHORTENED = 400;
const MATCHES_PER_SECOND = 500;
const STEP_MS = 50;
const RUN_SECONDS = 60;
/** A match lives for up to 12 s, and is removed a few seconds later. The second half of the run must be steady. */
const QUICK_RUN_SECONDS = 45;
const USUAL_MS = { ...DEFAULT_IMPRESSION_TIMES, sessionIdleMs: 1_800_000, resendMs: 600_000 };
const SEEN_SHARE = 0.6;
const SEEN_AFTER_MS = 30_000;
const MATCHES_OF_A_SESSION = 5;
const TWO_GIGABYTES = 2 * 2 ** 30;
const DAY_SECONDS = 86_400;
/** Of the run, for each of the two means that must agree. */
const COMPARED_SHARE = 0.25;

interface Sample {
  seconds: number;
  matches: number;
  bytes: number;
}

/** Constant load in shortened times, until Redis forgets as much as it learns. */
export async function measureSteadyState(redis: RedisConnection, run: Run): Promise<Metric[]> {
  await redis.flushall();
  const { holdTtlMs, lateImpressionMs, matchWithoutIdMs, sessionIdleMs, resendMs } = USUAL_MS;
  const shortened = (ms: number) => Math.round(ms / SHORTENED);
  const traffic = new Traffic(
    redis,
    {
      holdTtlMs: shortened(holdTtlMs),
      lateImpressionMs: shortened(lateImpressionMs),
      matchWithoutIdMs: shortened(matchWithoutIdMs),
      sessionIdleMs: shortened(sessionIdleMs),
      resendMs: shortened(resendMs),
    },
    MATCHES_OF_A_SESSION,
  );
  await traffic.open();
  const { samples, chargeBytes } = await load(redis, traffic, run.quick ? QUICK_RUN_SECONDS : RUN_SECONDS);
  const last = samples.at(-1);
  if (last === undefined) throw new Error("nothing was measured");
  const meanBetween = (from: number, to: number) => {
    const some = samples.filter(
      ({ seconds }) => seconds > from * last.seconds && seconds <= to * last.seconds,
    );
    return some.reduce((sum, { bytes }) => sum + bytes, 0) / some.length;
  };
  const plateau = meanBetween(1 - COMPARED_SHARE, 1);
  const growth = plateau / meanBetween(1 - 2 * COMPARED_SHARE, 1 - COMPARED_SHARE) - 1;
  const matchesPerSecond = last.matches / last.seconds;
  const byteSeconds = (plateau / matchesPerSecond) * SHORTENED + SEEN_SHARE * chargeBytes * DAY_SECONDS;
  const note = `times shortened ${SHORTENED}-fold, ${Math.round(matchesPerSecond)} matches a second`;
  return [
    metric(
      { id: "memory_plateau_bytes", label: "Redis in a steady state, without charges", unit: "B", note },
      [plateau],
    ),
    metric(
      {
        id: "memory_plateau_growth_percent",
        label: "its growth from the third to the last quarter of the run",
        unit: "%",
        goal: { atMost: 5 },
      },
      [growth * 100],
    ),
    metric(
      {
        id: "memory_steady_matches_per_second",
        label: "matches a second that 2 GB sustain, by the steady state",
        unit: "1/s",
        goal: { atLeast: 150, aim: 400 },
        note: `${SEEN_SHARE * 100} % seen within 30 s, five matches a session`,
      },
      [TWO_GIGABYTES / byteSeconds],
    ),
  ];
}

async function load(
  redis: RedisConnection,
  traffic: Traffic,
  seconds: number,
): Promise<{ samples: Sample[]; chargeBytes: number }> {
  const emptyBytes = await datasetBytes(redis);
  const startedMs = performance.now();
  const sinceStartMs = () => performance.now() - startedMs;
  const underWay = new Set<Promise<void>>();
  const samples: Sample[] = [];
  let matches = 0;
  let seen = 0;
  let charges = 0;
  let sampledMs = 0;
  while (sinceStartMs() < seconds * 1_000) {
    const due = Math.floor((sinceStartMs() / 1_000) * MATCHES_PER_SECOND) - matches;
    const taken = await traffic.take(due);
    matches += due;
    const share = Math.round(matches * SEEN_SHARE) - seen;
    seen += share;
    const seeing = sleep(SEEN_AFTER_MS / SHORTENED).then(() => traffic.see(taken.slice(0, share)));
    underWay.add(seeing);
    void seeing.finally(() => underWay.delete(seeing));
    await traffic.releaseLapsed();
    if (sinceStartMs() > sampledMs + 500) {
      sampledMs = sinceStartMs();
      charges = await chargesBytes(redis);
      const bytes = (await datasetBytes(redis)) - emptyBytes - charges;
      samples.push({ seconds: sampledMs / 1_000, matches, bytes });
    }
    await sleep(STEP_MS);
  }
  await Promise.all(underWay);
  return { samples, chargeBytes: charges / Math.max(1, seen) };
}

async function chargesBytes(redis: RedisConnection): Promise<number> {
  let bytes = 0;
  for (let cursor = "0"; ; ) {
    const [next, keys] = await redis.scan(cursor, "MATCH", "*:charged:*", "COUNT", 5_000);
    for (const key of keys) bytes += Number(await redis.call("MEMORY", "USAGE", key, "SAMPLES", "0"));
    if (next === "0") return bytes;
    cursor = next;
  }
}

export async function datasetBytes(redis: RedisConnection): Promise<number> {
  const info = String(await redis.info("memory"));
  return Number(/^used_memory_dataset:(\d+)/m.exec(info)?.[1]);
}
