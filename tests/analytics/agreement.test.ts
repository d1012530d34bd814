import type { ImpressionRecord } from "@diegetic/contracts";
import { rounds } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import { type Caller, creativeBody } from "../../services/management/src/testing/harness.ts";
import {
  campaignAnswers,
  campaignSummary,
  creatorAnswers,
  earningsAnswers,
  type ModelCampaign,
  revenueAnswer,
  type SeenImpression,
} from "./model.fixture.ts";
import { type Advertiser, AnalyticsWorld, DAY_MS, NOON_MS } from "./world.fixture.ts";

const DEPOSITED_CENTS = 10_000;
const SHARE_PCT = 33.33;
/** The default of `GET /analytics/campaigns`. */
const SERIES_DAYS = 14;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const AFFINITY_BODIES = [
  { affinity_type: "mood", affinity_value: "calm", weight: 1.5 },
  { affinity_type: "camera", affinity_value: "wide", weight: 0.25 },
  { affinity_type: "theme", affinity_value: "noir", weight: 3 },
];

let world: AnalyticsWorld;
beforeAll(async () => {
  world = await AnalyticsWorld.open();
});
afterAll(() => world.stop());

const match = fc.record({
  kind: fc.constant("match" as const),
  campaign: fc.nat(2),
  creative: fc.nat(3),
  game: fc.nat(2),
  user: fc.nat(4),
  countryCode: fc.constantFrom(null, "DE", "US", "AT"),
  /** Before now; most of it within a few days. */
  ageMs: fc.oneof(fc.nat(3 * DAY_MS), fc.nat(60 * DAY_MS)),
  priceMillicents: fc.integer({ min: 100, max: 10_000 }),
  basisPoints: fc.constantFrom(0, 3_333, 7_000, 10_000),
  contributions: fc.array(fc.record({ affinity: fc.nat(3), quarters: fc.nat(12) }), { maxLength: 3 }),
});
const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: match },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("bill" as const), from: fc.nat(30), to: fc.nat(30) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom("affinity", "no affinity", "affinities", "creative", "no creative", "change"),
        campaign: fc.nat(2),
        which: fc.nat(3),
      }),
    },
  ),
  { minLength: 5, maxLength: 45 },
);
const plans = [
  { daily_cap_cents: 40 },
  { start_date: "2026-11-12", end_date: "2026-11-30", daily_cap_cents: 500 },
  {},
];

/** Two advertisers with three campaigns, and a developer with three games; what happens to them is noted in a model. */
class Run {
  readonly seen: SeenImpression[] = [];
  readonly #pending: { record: ImpressionRecord; seen: SeenImpression }[] = [];
  readonly #billed = new Set<string>();
  #affinities = 0;
  readonly campaigns: ModelCampaign[] = [];
  readonly gameIds: string[] = [];
  owners: [Advertiser, Advertiser];
  developer: Caller;

  private constructor(owners: [Advertiser, Advertiser], developer: Caller) {
    this.owners = owners;
    this.developer = developer;
  }

  static async open(activeDays: number): Promise<Run> {
    const { harness } = world;
    const owners: [Advertiser, Advertiser] = [
      await harness.advertiser(DEPOSITED_CENTS),
      await harness.advertiser(DEPOSITED_CENTS),
    ];
    const run = new Run(owners, await harness.caller());
    for (let i = 0; i < 3; i++) {
      const gameId = `${run.developer.accountId}-${i}`;
      const body = { creator_id: "c", placement_types: ["narrative_hook"], revenue_share_pct: SHARE_PCT };
      await run.developer.post(`/placements/${gameId}`, body).expect(201);
      run.gameIds.push(gameId);
    }
    for (const index of [0, 1, 2]) await run.#createCampaign(index, activeDays);
    return run;
  }

  ownerOf(campaign: ModelCampaign): Advertiser {
    return this.owners[0].advertiserId === campaign.advertiserId ? this.owners[0] : this.owners[1];
  }

  async #createCampaign(index: number, activeDays: number): Promise<void> {
    const owner = this.owners[index < 2 ? 0 : 1];
    const body = { budget_cents: 1_000, cpm_bid_cents: 1_000, ...plans[index] };
    const { campaignId, creativeId } = await world.draft(owner, body);
    const activatedAtMs = NOON_MS - activeDays * DAY_MS;
    if (index < 2) {
      world.nowMs = activatedAtMs;
      await owner.post(`/campaigns/${campaignId}/activate`).expect(200);
      world.nowMs = NOON_MS;
    }
    const { body: campaign } = await owner.get(`/campaigns/${campaignId}`).expect(200);
    this.campaigns.push({
      id: campaignId,
      advertiserId: owner.advertiserId,
      name: campaign.name,
      status: index < 2 ? "active" : "draft",
      budgetCents: campaign.budget_cents,
      dailyCapCents: campaign.daily_cap_cents,
      cpmBidCents: campaign.cpm_bid_cents,
      startDate: campaign.start_date,
      endDate: campaign.end_date,
      firstActivatedAtMs: index < 2 ? activatedAtMs : null,
      creatives: [{ id: creativeId, deleted: false }],
      affinities: [],
    });
  }

  async match(chosen: typeof match extends fc.Arbitrary<infer Choice> ? Choice : never): Promise<void> {
    const campaign = pick(this.campaigns, chosen.campaign);
    const affinityIds = campaign.affinities.map(({ id }) => id);
    const contributions = new Map<string, number>();
    for (const { affinity, quarters } of chosen.contributions) {
      if (affinityIds.length > 0) contributions.set(pick(affinityIds, affinity), quarters / 4);
    }
    const seen: SeenImpression = {
      campaignId: campaign.id,
      advertiserId: campaign.advertiserId,
      creativeId: pick(campaign.creatives, chosen.creative).id,
      gameId: pick(this.gameIds, chosen.game),
      user: `user-${chosen.user}`,
      countryCode: chosen.countryCode,
      recordedAtMs: NOON_MS - chosen.ageMs,
      priceMillicents: chosen.priceMillicents,
      basisPoints: chosen.basisPoints,
      contributions: [...contributions].map(([affinity_id, contribution]) => ({ affinity_id, contribution })),
      affinityIds,
    };
    const record = await world.impression({ ...seen, developerAccountId: this.developer.accountId });
    this.#pending.push({ record, seen });
  }

  /** Some of what was matched, in any order and possibly again. */
  async bill(from: number, to: number): Promise<void> {
    const chosen = this.#pending.slice(Math.min(from, to), Math.max(from, to));
    if (from > to) chosen.reverse();
    await world.bill(chosen.map(({ record }) => record));
    for (const { record, seen } of chosen) {
      if (!this.#billed.has(record.impression_id)) this.seen.push(seen);
      this.#billed.add(record.impression_id);
    }
  }

  async change(kind: string, campaign: ModelCampaign, which: number): Promise<void> {
    const owner = this.ownerOf(campaign);
    const path = `/campaigns/${campaign.id}`;
    const bodies = AFFINITY_BODIES.slice(0, which);
    switch (kind) {
      case "affinity": {
        const like = pick(AFFINITY_BODIES, which);
        const body = { ...like, affinity_value: `${like.affinity_value} ${this.#affinities++}` };
        const created = await owner.post(`${path}/affinities`, body).expect(201);
        campaign.affinities.push({ id: created.body.id, body });
        break;
      }
      case "no affinity": {
        const [gone] = campaign.affinities.splice(which, 1);
        if (gone !== undefined) await owner.delete(`${path}/affinities/${gone.id}`).expect(204);
        break;
      }
      case "affinities": {
        const created = await owner.put(`${path}/affinities/bulk`, { affinities: bodies }).expect(200);
        campaign.affinities = bodies.map((body, i) => ({ id: created.body[i].id, body }));
        break;
      }
      case "creative": {
        const created = await owner.post(`${path}/creatives`, creativeBody).expect(201);
        campaign.creatives.push({ id: created.body.id, deleted: false });
        break;
      }
      case "no creative": {
        const current = campaign.creatives.filter(({ deleted }) => !deleted);
        const creative = pick(current, which);
        if (current.length === 1) break;
        await owner.delete(`/creatives/${creative.id}`).expect(204);
        creative.deleted = true;
        break;
      }
      default:
        campaign.name = `Changed ${which}`;
        await owner.patch(path, { name: campaign.name }).expect(200);
    }
  }

  async expectAgreement(days: number): Promise<void> {
    for (const campaign of this.campaigns) {
      const expected = campaignAnswers(campaign, this.seen, NOON_MS, days);
      const read = async (path: string) =>
        (await this.ownerOf(campaign).get(`/campaigns/${campaign.id}/${path}`).expect(200)).body;
      expect(await read("stats")).toEqual(expected.stats);
      expect(await read(`analytics/daily?days=${days}`)).toEqual(expected.daily);
      expect(await read("analytics/creatives")).toEqual(expected.creatives);
      expect(await read("analytics/geo")).toEqual(expected.geo);
      expect(await read("analytics/affinities")).toEqual(expected.affinities);
      expect(await read("analytics/pacing")).toEqual(expected.pacing);
      await this.expectSums(read, expected.stats.spent_millicents);
    }
    for (const owner of this.owners) {
      const own = this.campaigns.filter(({ advertiserId }) => advertiserId === owner.advertiserId);
      const { body } = await owner.get("/revenue").expect(200);
      expect(body).toEqual(revenueAnswer(DEPOSITED_CENTS, own, this.seen));
      const summaries = await owner.get("/analytics/campaigns").expect(200);
      expect(summaries.body.campaigns).toEqual(
        own.map((campaign) => campaignSummary(campaign, this.seen, NOON_MS, SERIES_DAYS)).reverse(),
      );
    }
    const expected = creatorAnswers(this.gameIds, SHARE_PCT, this.seen, NOON_MS);
    expect((await this.developer.get("/creator-revenue").expect(200)).body).toEqual(expected.all);
    for (const game of expected.games) {
      const { body } = await this.developer.get(`/creator-revenue/${game.game_id}`).expect(200);
      expect(body).toEqual(game);
    }
    const period = { from: dayOf(NOON_MS - (days - 1) * DAY_MS), to: dayOf(NOON_MS) };
    await this.expectEarnings(period);
    await this.expectEarnings({ ...period, to: dayOf(NOON_MS - DAY_MS) }, this.gameIds[0]);
  }

  private async expectEarnings(period: { from: string; to: string }, gameId?: string): Promise<void> {
    if (period.from > period.to) return;
    const query = new URLSearchParams({ ...period, ...(gameId !== undefined && { game_id: gameId }) });
    const expected = earningsAnswers(this.seen, period, gameId);
    const { body } = await this.developer.get(`/earnings/advertisers?${query}`).expect(200);
    expect(body).toEqual(expected.byAdvertiser);
    for (const { advertiserId, days } of expected.advertisers) {
      query.set("advertiser_id", advertiserId);
      expect((await this.developer.get(`/earnings?${query}`).expect(200)).body).toEqual(days);
    }
  }

  /** The exact amounts of a table's rows add up to the campaign's total; rounded ones need not. */
  private async expectSums(read: (path: string) => Promise<unknown>, total: number): Promise<void> {
    type Rows = Record<string, { spent_millicents: number }[]>;
    const tables: [path: string, rows: string][] = [
      ["analytics/daily?days=365", "days"],
      ["analytics/creatives", "creatives"],
      ["analytics/geo", "countries"],
    ];
    for (const [path, rows] of tables) {
      const table = ((await read(path)) as Rows)[rows] ?? [];
      expect(table.reduce((sum, row) => sum + row.spent_millicents, 0)).toBe(total);
    }
  }
}

function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error("the list is empty");
  return item;
}

it("answers what a naive count of any impressions says", async () => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.integer({ min: 1, max: 365 }),
      fc.integer({ min: 0, max: 12 }),
      async (list, days, activeDays) => {
        const run = await Run.open(activeDays);
        for (const step of list) {
          if (step.kind === "match") await run.match(step);
          else if (step.kind === "bill") await run.bill(step.from, step.to);
          else await run.change(step.kind, pick(run.campaigns, step.campaign), step.which);
        }
        await run.expectAgreement(days);
        await run.bill(0, list.length);
        await run.expectAgreement(days);
      },
    ),
    { numRuns: rounds(4, 10), interruptAfterTimeLimit: 100_000 },
  );
});
