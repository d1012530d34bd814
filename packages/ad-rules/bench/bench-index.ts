/**
 * `npm run bench:index`: what one match, one change and one campaign cost in the index alone, on one core. Prints a table
 * and, as its last line, the same as JSON. `-- --campaigns 10,10000` chooses other worlds.
 */
import { CampaignIndex } from "../src/matching-index/campaign-index.ts";
import { Matching } from "../src/matching-index/matching.ts";
import type { Campaign } from "../src/types/campaign.ts";
import type { MatchScene } from "../src/types/request.ts";
import { SeededRandom } from "./random.ts";
import { type RequestKind, requestKinds } from "./requests.ts";
import { campaignJson } from "./world.ts";

const worldSizes = (argument("--campaigns") ?? "10,10000,100000").split(",").map(Number);
const rounds = Number(argument("--rounds") ?? 15);
const requestsPerKind = 1_000;
const warmUpRounds = 3;
/** As many as are put in in one turn of the event loop. */
const slice = 50;

interface Latency {
  p50: number;
  p99: number;
}
interface KindResult {
  candidates: number;
  prepare_us: Latency;
  select_us: Latency;
  together_us: Latency;
  worst_round_us: number;
}
interface WorldResult {
  campaigns: number;
  active: number;
  load_ms: number;
  load_block_ms: Latency & { longest: number };
  change_ms: Latency & { longest: number };
  index_mb_per_10000: number;
  with_campaigns_mb_per_10000: number;
  requests: Record<string, KindResult>;
}

interface World {
  size: number;
  matching: Matching;
  facts: Omit<WorldResult, "requests">;
}

function argument(name: string): string | undefined {
  const place = process.argv.indexOf(name);
  return place < 0 ? undefined : process.argv[place + 1];
}

function heapMegabytes(): number {
  if (globalThis.gc === undefined) throw new Error("run with --expose-gc");
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function latency(samples: number[]): Latency {
  const sorted = [...samples].sort((left, right) => left - right);
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
}

/** Parses and puts in slices, as the catalog does; the whole slice is one block of the event loop. */
function load(size: number): World {
  const heapBefore = heapMegabytes();
  let campaigns: Campaign[] = [];
  for (let number = 0; number < size; number += 1)
    campaigns.push(JSON.parse(campaignJson(number)) as Campaign);
  const campaignsMegabytes = heapMegabytes() - heapBefore;
  // Looked at once more, so that they were alive while they were measured.
  if (campaigns.length !== size) throw new Error("campaigns are missing");
  campaigns = [];
  const before = heapMegabytes();
  const matching = new Matching();
  const index = new CampaignIndex(matching);
  const blocks: number[] = [];
  for (let number = 0; number < size; number += slice) {
    const texts = Array.from({ length: Math.min(slice, size - number) }, (_, n) => campaignJson(number + n));
    const startedMs = performance.now();
    for (const text of texts) index.upsert(JSON.parse(text) as Campaign);
    blocks.push(performance.now() - startedMs);
  }
  const withCampaigns = heapMegabytes() - before;
  const changes: number[] = [];
  const random = new SeededRandom(3);
  for (let n = 0; n < 2_000; n += 1) {
    const changed = JSON.parse(campaignJson(random.whole(0, size - 1), 2 + (n % 50))) as Campaign;
    const startedMs = performance.now();
    index.upsert(changed);
    changes.push(performance.now() - startedMs);
  }
  return {
    size,
    matching,
    facts: {
      campaigns: size,
      active: index.activeCount,
      load_ms: blocks.reduce((sum, one) => sum + one, 0),
      load_block_ms: { ...latency(blocks), longest: Math.max(...blocks) },
      change_ms: { ...latency(changes), longest: Math.max(...changes) },
      index_mb_per_10000: ((withCampaigns - campaignsMegabytes) / size) * 10_000,
      with_campaigns_mb_per_10000: (withCampaigns / size) * 10_000,
    },
  };
}

const draws = new SeededRandom(11);
let sink = 0;

/** Microseconds per request, one number each. */
interface Samples {
  prepare: Float64Array;
  select: Float64Array;
}

/** One round over the requests, each of them once, so that none finds its own traces in the caches. */
function round(matching: Matching, requests: readonly MatchScene[]): Samples {
  const prepare = new Float64Array(requests.length);
  const select = new Float64Array(requests.length);
  for (const [at, request] of requests.entries()) {
    const started = process.hrtime.bigint();
    matching.open(request, []);
    const ready = process.hrtime.bigint();
    const found = matching.draw(draws.next);
    matching.close();
    const done = process.hrtime.bigint();
    if (found !== null) sink += 1;
    prepare[at] = Number(ready - started) / 1_000;
    select[at] = Number(done - ready) / 1_000;
  }
  return { prepare, select };
}

/** Keeps of each request the shortest time. */
function keepShortest(best: Float64Array, round: Float64Array): void {
  for (const [at, one] of round.entries()) best[at] = Math.min(best[at] ?? one, one);
}

/**
 * The quantiles are over different requests; of each request the quietest round counts, because the machine is shared and
 * what others do to it is not to be measured. `worst_round_us` is the p99 with nothing left out, in the worst round.
 */
function measureKind(worlds: readonly World[], kind: RequestKind, results: WorldResult[]): void {
  const random = new SeededRandom(17);
  const requests = Array.from({ length: requestsPerKind }, () => requestKinds[kind](random));
  const kept = worlds.map(() => ({
    prepare: new Float64Array(requestsPerKind).fill(Number.POSITIVE_INFINITY),
    select: new Float64Array(requestsPerKind).fill(Number.POSITIVE_INFINITY),
    together: new Float64Array(requestsPerKind).fill(Number.POSITIVE_INFINITY),
    worst: 0,
    candidates: 0,
  }));
  for (let n = -warmUpRounds; n < rounds; n += 1) {
    for (const [place, { matching }] of worlds.entries()) {
      const best = kept[place];
      sink = 0;
      const { prepare, select } = round(matching, requests);
      if (n < 0 || best === undefined) continue;
      keepShortest(best.prepare, prepare);
      keepShortest(best.select, select);
      keepShortest(
        best.together,
        prepare.map((one, at) => one + (select[at] ?? 0)),
      );
      best.worst = Math.max(best.worst, latency([...select]).p99);
      best.candidates = sink / requestsPerKind;
    }
  }
  for (const [place, { prepare, select, together, worst, candidates }] of kept.entries()) {
    const requestsOf = results[place]?.requests;
    if (requestsOf === undefined) continue;
    requestsOf[kind] = {
      candidates,
      prepare_us: latency([...prepare]),
      select_us: latency([...select]),
      together_us: latency([...together]),
      worst_round_us: worst,
    };
  }
}

function measure(worlds: readonly World[]): WorldResult[] {
  const results = worlds.map(({ facts }): WorldResult => ({ ...facts, requests: {} }));
  for (const kind of Object.keys(requestKinds) as RequestKind[]) measureKind(worlds, kind, results);
  return results;
}

function print(results: readonly WorldResult[]): void {
  const round1 = (value: number) => Math.round(value * 10) / 10;
  const round3 = (value: number) => Math.round(value * 1000) / 1000;
  console.table(
    results.map((one) => ({
      campaigns: one.campaigns,
      active: one.active,
      "load ms": round1(one.load_ms),
      [`load of ${slice} p50 ms`]: round3(one.load_block_ms.p50),
      [`load of ${slice} p99 ms`]: round3(one.load_block_ms.p99),
      "longest ms": round3(one.load_block_ms.longest),
      "change p50 ms": round3(one.change_ms.p50),
      "change p99 ms": round3(one.change_ms.p99),
      "change longest ms": round3(one.change_ms.longest),
      "index MB/10000": round1(one.index_mb_per_10000),
      "with campaigns MB/10000": round1(one.with_campaigns_mb_per_10000),
    })),
  );
  console.table(
    results.flatMap(({ campaigns, requests }) =>
      Object.entries(requests).map(([kind, one]) => ({
        campaigns,
        request: kind,
        candidates: round1(one.candidates),
        "select p50 µs": round1(one.select_us.p50),
        "select p99 µs": round1(one.select_us.p99),
        "prepare p50 µs": round1(one.prepare_us.p50),
        "prepare p99 µs": round1(one.prepare_us.p99),
        "together p50 µs": round1(one.together_us.p50),
        "together p99 µs": round1(one.together_us.p99),
        "worst round p99 µs": round1(one.worst_round_us),
      })),
    ),
  );
  console.log(JSON.stringify(results));
}

print(measure(worldSizes.map(load)));
