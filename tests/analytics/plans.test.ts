import { Prisma } from "@diegetic/database";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  affinitiesQuery,
  countriesQuery,
  creativesQuery,
  daysQuery,
  ownCampaignStatement,
  type Query,
  spendingQuery,
  statsQuery,
} from "../../services/management/src/features/analytics/statements.ts";
import {
  readEarnings,
  readEarningsByAdvertiser,
} from "../../services/management/src/features/revenue/earnings-store.ts";
import type { Caller } from "../../services/management/src/testing/harness.ts";
import { type Advertiser, AnalyticsWorld } from "./world.fixture.ts";

const READ_BY_ANALYTICS = [
  "advertisers",
  "affinities",
  "campaign_countries",
  "campaign_games",
  "campaign_rollups",
  "campaign_version_rollups",
  "campaigns",
  "creatives",
  "quarantined_impressions",
  "wallet_settlements",
];

let world: AnalyticsWorld;
let owner: Advertiser;
let developer: Caller;
let campaignId: string;

beforeAll(async () => {
  world = await AnalyticsWorld.open();
  owner = await world.harness.advertiser(1_000);
  developer = await world.harness.caller();
  await developer
    .post("/placements/game", { creator_id: "c", placement_types: ["narrative_hook"] })
    .expect(201);
  const campaign = await world.draft(owner);
  campaignId = campaign.campaignId;
  const affinity = { affinity_type: "mood", affinity_value: "calm" };
  await owner.post(`/campaigns/${campaignId}/affinities`, affinity).expect(201);
  const facts = { ...campaign, gameId: "game", developerAccountId: developer.accountId };
  await world.see(facts, { ...facts, user: "other", countryCode: "DE" });
});
afterAll(() => world.stop());

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  Plans?: PlanNode[];
  /** Only of a plan that was run. */
  "Actual Rows"?: number;
  "Actual Loops"?: number;
}

function* nodesOf(node: PlanNode): Generator<PlanNode> {
  yield node;
  for (const child of node.Plans ?? []) yield* nodesOf(child);
}

/** The plan of a statement where a table is read whole only when no index could serve. */
async function explain(statement: Prisma.Sql, { runs = false } = {}): Promise<PlanNode[]> {
  return world.database.$transaction(async (transaction) => {
    await transaction.$executeRaw`SET LOCAL enable_seqscan = off`;
    const rows = await transaction.$queryRaw<{ "QUERY PLAN": { Plan: PlanNode }[] }[]>(
      Prisma.sql`EXPLAIN (ANALYZE ${runs ? Prisma.sql`true` : Prisma.sql`false`}, FORMAT JSON) ${statement}`,
    );
    return rows.flatMap((row) => row["QUERY PLAN"]).flatMap(({ Plan }) => [...nodesOf(Plan)]);
  });
}

describe("the plan of analytics", () => {
  it.each<[string, Query]>([
    ["the totals", statsQuery],
    ["the days", daysQuery("2026-11-01")],
    ["the creatives", creativesQuery],
    ["the countries", countriesQuery],
    ["the affinities", affinitiesQuery],
    ["pacing", spendingQuery("2026-11-21")],
  ])("of %s reads rollups by their keys, and no impressions", async (_what, query) => {
    const nodes = await explain(ownCampaignStatement(owner.accountId, campaignId, query));
    const relations = nodes.flatMap((node) => node["Relation Name"] ?? []);
    expect(relations.length).toBeGreaterThan(0);
    expect(READ_BY_ANALYTICS).toEqual(expect.arrayContaining(relations));
    expect(nodes.map((node) => node["Node Type"])).not.toContain("Seq Scan");
  });
});

it("reads the versions of a campaign once, however many affinities it has", async () => {
  const { campaignId: changed } = await world.draft(owner);
  const affinities = Array.from({ length: 10 }, (_, n) => ({
    affinity_type: "mood",
    affinity_value: `mood ${n}`,
  }));
  await owner.put(`/campaigns/${changed}/affinities/bulk`, { affinities }).expect(200);
  await world.database.$executeRaw`
    INSERT INTO campaign_version_rollups (campaign_id, campaign_version, impressions)
    SELECT ${changed}, version, 1 FROM generate_series(1, 100) AS version`;
  const nodes = await explain(ownCampaignStatement(owner.accountId, changed, affinitiesQuery), {
    runs: true,
  });
  const reading = nodes.filter((node) => node["Relation Name"] === "campaign_version_rollups");
  const rows = reading.map((node) => (node["Actual Rows"] ?? 0) * (node["Actual Loops"] ?? 0));
  expect(rows).toHaveLength(1);
  expect(rows[0]).toBeGreaterThan(0);
  expect(rows[0]).toBeLessThanOrEqual(100);
});

it("reads the advertisers of a period by the key of their rollup, and no impressions", async () => {
  const queries: Prisma.Sql[] = [];
  const reader = {
    close: async () => {},
    query: async <Row extends object>(statement: Prisma.Sql) => {
      queries.push(statement);
      return world.database.$queryRaw<Row[]>(statement);
    },
  };
  const requested = {
    accountId: developer.accountId,
    gameId: undefined,
    from: "2026-11-01",
    to: "2026-11-21",
    hasBrands: true,
  };
  const window = { limit: 500, offset: 0 };
  const { rows } = await readEarningsByAdvertiser(reader, requested, window);
  const [{ advertiserId = null } = {}] = rows;
  expect(advertiserId).toBe(owner.advertiserId);
  await readEarnings(reader, { ...requested, advertiserId: owner.advertiserId }, window);
  await readEarningsByAdvertiser(reader, { ...requested, hasBrands: false }, window);
  expect(queries).toHaveLength(3);
  const readTables = async (query: Prisma.Sql | undefined) =>
    (await explain(query ?? Prisma.empty)).map((node) => node["Relation Name"]);
  expect(await readTables(queries[0])).toContain("creatives");
  expect(await readTables(queries[2])).not.toContain("creatives");
  for (const query of queries) {
    const nodes = await explain(query);
    expect(nodes.map((node) => node["Relation Name"])).toContain("game_advertiser_rollups");
    expect(nodes.map((node) => node["Relation Name"])).not.toContain("impressions");
    expect(nodes.map((node) => node["Node Type"])).not.toContain("Seq Scan");
  }
});

it("answers the same when there are no impressions to read", async () => {
  const campaign = `/campaigns/${campaignId}`;
  const read = async () => {
    const bodies: unknown[] = [];
    for (const name of ["daily", "creatives", "geo", "affinities", "pacing"]) {
      bodies.push((await owner.get(`${campaign}/analytics/${name}`).expect(200)).body);
    }
    for (const path of [`${campaign}/stats`, "/revenue", "/campaigns", "/profile"]) {
      bodies.push((await owner.get(path).expect(200)).body);
    }
    for (const path of ["/creator-revenue", "/creator-revenue/game", "/earnings/advertisers"]) {
      bodies.push((await developer.get(path).expect(200)).body);
    }
    return bodies;
  };
  const before = await read();
  await world.database.$executeRaw`DROP TABLE impressions`;
  expect(await read()).toEqual(before);
});
