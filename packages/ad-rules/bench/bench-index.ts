/**
 * `npm run bench:index` measures the cost of a match, a change and a campaign in the index alone, on one core. Prints
 * tables, and the same as JSON in its last line. `-- --campaigns 10,10000 --rounds 5` sets world sizes and rounds.
 */
import { parseArgs } from "node:util";
import { CampaignIndex } from "../src/matching-index/campaign-index.ts";
import { Matching, type Steps } from "../src/matching-index/matching.ts";
import type { Campaign } from "../src/types/campaign.ts";
import type { MatchScene } from "../src/types/request.ts";
import { SeededRandom } from "./random.ts";
import { type RequestKind, requestKinds } from "./requests.ts";
import { specialWorlds } from "./special-worlds.ts";
import { campaignJson } from "./world.ts";

const WRONG_USE_EXIT_CODE = 2;
const USAGE = "Usage: npm run bench:index [-- --campaigns 10,10000,100000 --rounds 15 --special 20000]";
const options = readArguments();
const worldSizes = numbers("--campaigns", options.campaigns);
const [rounds = 0] = numbers("--rounds", options.rounds, 1);
const [specialSize = 0] = numbers("--special", options.special, 1);
const requestsPerKind = 1_000;
const warmUpRounds = 3;

interface World {
  name: string;
  index: CampaignIndex;
  matching: Matching;
}

function readArguments() {
  const options = {
    campaigns: { type: "string", default: "10,10000,100000" },
    rounds: { type: "string", default: "15" },
    special: { type: "string", default: "20000" },
    help: { type: "boolean", default: false },
  } as const;
  try {
    const { values } = parseArgs({ options });
    if (!values.help) return values;
    process.stdout.write(`${USAGE}\n`);
    process.exit(0);
  } catch (error) {
    return wrongUse((error as Error).message.split(". ", 1)[0] ?? "");
  }
}

/** Parses comma-separated integers from 1 to a million. */
function numbers(name: string, text: string, maxCount = 100): number[] {
  const found = text.split(",").map((part) => (/^\d{1,7}$/.test(part) ? Number(part) : 0));
  if (found.length <= maxCount && found.every((one) => one >= 1 && one <= 1_000_000)) return found;
  const allowed = maxCount === 1 ? "an integer" : "comma-separated integers, each";
  return wrongUse(`${name} is "${text}": it must be ${allowed} from 1 to 1000000`);
}

function wrongUse(sentence: string): never {
  process.stderr.write(`${sentence.replace(/\.$/, "")}.\n${USAGE}\n`);
  process.exit(WRONG_USE_EXIT_CODE);
}

function heapMegabytes(): number {
  if (globalThis.gc === undefined) throw new Error("run with --expose-gc");
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}

function emptyWorld(name: string): World {
  const matching = new Matching(1);
  return { name, matching, index: new CampaignIndex({ matching, keepsTargets: false }) };
}

function summary(samples: ArrayLike<number>) {
  const sorted = Array.from(samples).sort((left, right) => left - right);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const mean = sorted.reduce((sum, one) => sum + one, 0) / sorted.length;
  return { mean, p50: at(0.5), p99: at(0.99), longest: at(1) };
}

/** Parses and inserts campaigns one by one, as the snapshot follower does; then changes some. */
function load(size: number) {
  const before = heapMegabytes();
  const world = emptyWorld(`${size}`);
  const blocks: number[] = [];
  for (let number = 0; number < size; number += 1) {
    const text = campaignJson(number);
    const startedMs = performance.now();
    world.index.upsert(JSON.parse(text) as Campaign);
    blocks.push(performance.now() - startedMs);
  }
  const megabytes = heapMegabytes() - before;
  const changes: number[] = [];
  const random = new SeededRandom(3);
  for (let n = 0; n < 2_000; n += 1) {
    const changed = JSON.parse(campaignJson(random.whole(0, size - 1), 2 + (n % 50))) as Campaign;
    const startedMs = performance.now();
    world.index.upsert(changed);
    changes.push(performance.now() - startedMs);
  }
  const block = summary(blocks);
  const change = summary(changes);
  const facts = {
    campaigns: size,
    active: world.index.activeCount,
    "MB/10000": (megabytes / size) * 10_000,
    "load ms": blocks.reduce((sum, one) => sum + one, 0),
    "load p99 ms": block.p99,
    "load longest ms": block.longest,
    "change p50 ms": change.p50,
    "change p99 ms": change.p99,
    "change longest ms": change.longest,
  };
  return { world, facts };
}

function sizeOf(name: string): number {
  return Math.min(specialSize, specialWorlds[name]?.maxSize ?? Number.POSITIVE_INFINITY);
}

function loadSpecial(name: string): World {
  const world = emptyWorld(name);
  const special = specialWorlds[name];
  for (let number = 0; number < sizeOf(name); number += 1) {
    const campaign = special?.campaign(number);
    if (campaign === undefined) break;
    world.index.upsert(campaign);
    if (special?.refused) {
      world.index.refuseAdvertiser(campaign.advertiser_id, {
        bidCents: 1,
        sinceMs: 0,
        untilMs: Number.POSITIVE_INFINITY,
      });
    }
  }
  return world;
}

const draws = new SeededRandom(11);

/**
 * The quantiles are over different requests. The fastest round of each request counts, because other load on a shared
 * machine must not be measured. Each request runs once per round, so that it does not find its own data in the caches.
 */
function measure({ name, matching }: World, kind: string, make: (random: SeededRandom) => MatchScene) {
  const random = new SeededRandom(17);
  const requests = Array.from({ length: requestsPerKind }, () => make(random));
  const together = new Float64Array(requestsPerKind).fill(Number.POSITIVE_INFINITY);
  const select = together.slice();
  let found = 0;
  let before = matching.steps;
  for (let n = -warmUpRounds; n < rounds; n += 1) {
    found = 0;
    before = matching.steps;
    for (const [at, request] of requests.entries()) {
      const started = process.hrtime.bigint();
      matching.open(request, []);
      const ready = process.hrtime.bigint();
      if (matching.draw(draws.next) !== null) found += 1;
      matching.close();
      const done = process.hrtime.bigint();
      if (n < 0) continue;
      together[at] = Math.min(together[at] ?? 0, Number(done - started) / 1_000);
      select[at] = Math.min(select[at] ?? 0, Number(done - ready) / 1_000);
    }
  }
  const [all, alone] = [summary(together), summary(select)];
  return {
    world: name,
    request: kind,
    "found %": (found / requestsPerKind) * 100,
    "together mean µs": all.mean,
    "together p50 µs": all.p50,
    "together p99 µs": all.p99,
    "select mean µs": alone.mean,
    "select p50 µs": alone.p50,
    "select p99 µs": alone.p99,
    ...stepsPerRequest(before, matching.steps),
  };
}

function stepsPerRequest(before: Steps, after: Steps) {
  const each = (name: keyof Steps) => (after[name] - before[name]) / requestsPerKind;
  return {
    texts: each("textsFound"),
    terms: each("termsActivated"),
    postings: each("postingsWalked"),
    entries: each("entriesRead"),
    records: each("recordsRead"),
  };
}

function print(rows: readonly Record<string, string | number>[]): void {
  const short = (value: string | number) =>
    typeof value === "number" ? Math.round(value * 100) / 100 : value;
  console.table(
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, short(value)]))),
  );
}

const worlds = worldSizes.map(load);
const costs = worlds.flatMap(({ world }) =>
  (Object.keys(requestKinds) as RequestKind[]).map((kind) => measure(world, kind, requestKinds[kind])),
);
const special = Object.entries(specialWorlds).map(([name, { request }]) =>
  measure(loadSpecial(name), `${sizeOf(name)} campaigns`, request),
);
const facts = worlds.map((one) => one.facts);
print(costs);
print(special);
print(facts);
console.log(JSON.stringify({ costs, special, facts }));
