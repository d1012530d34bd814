import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate } from "@diegetic/database";
import { startPostgres, startRedis } from "@diegetic/local-stores";
import { type Api, apiClient } from "@diegetic/testing/api";
import { interleave } from "../frame/rounds.ts";
import { median, metric, quantile, ratios } from "../frame/statistics.ts";
import type { Goal, Metric, Run, Suite } from "../frame/suite.ts";
import { serialise } from "../generator/source.ts";
import {
  cpuSeconds,
  type Measured,
  start,
  startMatchService,
  startPlainCampaigns,
} from "../serving/processes.ts";
import { createKey } from "./account.ts";
import { callAll } from "./caller.ts";
import { importMetric } from "./import.ts";

/** Reads and changes of campaigns, compared with the same in plain Express and pg. */
export const management: Suite = { names: ["management"], run: measure };

const MANAGEMENT = fileURLToPath(new URL("../../../services/management/bundle/main.js", import.meta.url));
const KEY = "igk_benchmark_advertiser_benchmark_advertiser";
const ACCOUNT = "acct_benchmark";
const CAMPAIGNS = 200;
const AT_A_TIME = 16;
const BID_CENTS = { lowest: 100, count: 9_900 };

/** One measurement: a number of requests of one kind, with a concurrency. */
interface Sample {
  perSecond: number;
  p50Ms: number;
  /** Of the service only. */
  cpuMs: number;
}

interface Stage {
  run: Run;
  databaseUrl: string;
  product: Measured;
  plain: Measured;
  campaignIds: readonly string[];
}

async function measure(run: Run): Promise<Metric[]> {
  const stage = await openStage(run);
  const subjects = subjectsOf(stage);
  for (const subject of Object.values(subjects)) await subject();
  run.say("everything is warm");
  const samples = await interleave(subjects, run.rounds);
  run.say("changes and reads are measured");
  return [...metricsOf(samples), await importMetric(run, stage)];
}

/** One management and one match process, which confirms each change as in production. */
async function openStage(run: Run): Promise<Stage> {
  const postgres = await startPostgres({ dir: join(run.directory, "postgres") });
  run.defer(() => postgres.stop());
  const redis = await startRedis({ dir: join(run.directory, "redis") });
  run.defer(() => redis.stop());
  await migrate(postgres.url);
  await createKey(postgres.url, ACCOUNT, KEY);
  const product = await start(MANAGEMENT, [], {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    INSTANCE_NAME: "management-bench",
    PLAYER_HASH_KEY: "k".repeat(32),
    AUTH_SECRET: "a secret of more than thirty-two characters",
    LOG_LEVEL: "error",
  });
  run.defer(() => product.stop());
  const match = await startMatchService(redis.url, "match-bench");
  run.defer(() => match.stop());
  const plain = await startPlainCampaigns(postgres.url);
  run.defer(() => plain.stop());
  const api = apiClient(`http://127.0.0.1:${product.port}/api`, KEY);
  const campaignIds = await createCampaigns(api);
  run.say(`${campaignIds.length} active campaigns are there`);
  return { run, databaseUrl: postgres.url, product, plain, campaignIds };
}

async function createCampaigns(api: Api): Promise<string[]> {
  await api.expect(201, "POST", "/register", { company_name: "Ember", contact_email: "bench@example.com" });
  await api.expect(200, "POST", "/deposit", { amount_cents: 1_000_000 });
  const ids: string[] = [];
  const createSome = async () => {
    while (ids.length < CAMPAIGNS) {
      const at = ids.push("") - 1;
      const plan = {
        name: `Campaign ${at}`,
        budget_cents: 10_000,
        cpm_bid_cents: 500,
        target_tags: ["tavern"],
      };
      const { id } = await api.expect(201, "POST", "/campaigns", plan);
      const creative = {
        creative_type: "narrative_hook",
        brand_name: "Ember",
        narrative_hook: "It smells of Ember.",
      };
      await api.expect(201, "POST", `/campaigns/${id}/creatives`, creative);
      await api.expect(200, "POST", `/campaigns/${id}/activate`);
      ids[at] = id;
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, createSome));
  return ids;
}

type Kind = "patch" | "get";
const SERVERS = ["product", "plain"] as const;
const SHAPES: readonly { kind: Kind; atATime: number }[] = [
  { kind: "patch", atATime: AT_A_TIME },
  { kind: "patch", atATime: 1 },
  { kind: "get", atATime: AT_A_TIME },
  { kind: "get", atATime: 1 },
];

function subjectsOf(stage: Stage): Record<string, () => Promise<Sample>> {
  const subjects: Record<string, () => Promise<Sample>> = {};
  for (const { kind, atATime } of SHAPES) {
    for (const server of SERVERS) {
      subjects[nameOf(kind, atATime, server)] = () => sample(stage, server, kind, atATime);
    }
  }
  return subjects;
}

function nameOf(kind: Kind, atATime: number, server: (typeof SERVERS)[number]): string {
  return `${kind}_${atATime}_${server}`;
}

let bid = 0;

async function sample(
  stage: Stage,
  server: (typeof SERVERS)[number],
  kind: Kind,
  atATime: number,
): Promise<Sample> {
  const { run, campaignIds } = stage;
  // A sample lasts for a second or more.
  const count = ((run.quick ? 200 : 1_000) * (kind === "get" ? 4 : 1)) / (atATime === 1 ? 4 : 1);
  const base = server === "product" ? "/api/campaigns/" : "/campaigns/";
  const requests = Array.from({ length: count }, (_, n) => {
    const path = base + campaignIds[n % campaignIds.length];
    if (kind === "get") return serialise(path, "", KEY, "GET");
    bid += 1;
    const body = { cpm_bid_cents: BID_CENTS.lowest + (bid % BID_CENTS.count) };
    return serialise(path, JSON.stringify(body), KEY, "PATCH");
  });
  const { pid, port } = stage[server];
  const cpuBefore = cpuSeconds(pid);
  const { seconds, latencies } = await callAll(port, atATime, requests);
  return {
    perSecond: count / seconds,
    p50Ms: quantile(latencies, 0.5),
    cpuMs: ((cpuSeconds(pid) - cpuBefore) / count) * 1_000,
  };
}

function metricsOf(samples: Record<string, Sample[]>): Metric[] {
  const of = (kind: Kind, atATime: number, server: (typeof SERVERS)[number]) =>
    samples[nameOf(kind, atATime, server)] ?? [];
  const rates = (taken: readonly Sample[]) => taken.map(({ perSecond }) => perSecond);
  const metrics: Metric[] = [];
  for (const { kind, atATime } of SHAPES) {
    const request = `${kind.toUpperCase()} /campaigns/{id}, ${atATime} at a time`;
    for (const server of SERVERS) {
      const taken = of(kind, atATime, server);
      const name = nameOf(kind, atATime, server);
      const label = server === "product" ? request : `${request}, plain Express and pg`;
      const note = `p50 ${median(taken.map(({ p50Ms }) => p50Ms)).toFixed(2)} ms`;
      metrics.push(
        metric({ id: `${name}_per_second`, label, unit: "1/s", note }, rates(taken)),
        metric(
          { id: `${name}_cpu_ms`, label: `${label}: processor time each`, unit: "ms" },
          taken.map(({ cpuMs }) => cpuMs),
        ),
      );
    }
    const goal = goalOf(kind, atATime);
    const shares = ratios(rates(of(kind, atATime, "product")), rates(of(kind, atATime, "plain")));
    metrics.push(
      metric({ id: `${kind}_${atATime}_to_plain`, label: `${request} / plain`, unit: "×", ...goal }, shares),
    );
  }
  const alone = of("patch", 1, "product").map(({ p50Ms }) => p50Ms);
  const label = "PATCH /campaigns/{id}, one at a time, p50";
  metrics.push(metric({ id: "patch_1_p50_ms", label, unit: "ms", goal: { atMost: 10, aim: 5 } }, alone));
  return metrics;
}

function goalOf(kind: Kind, atATime: number): { goal?: Goal } {
  if (atATime === 1) return {};
  return { goal: kind === "patch" ? { atLeast: 0.4, aim: 0.6 } : { atLeast: 0.6, aim: 0.8 } };
}
