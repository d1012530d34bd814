import { rounds } from "@diegetic/testing/rounds";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  candidatesPlainly,
  pipelinePlainly,
  reasonPlainly,
  tiesPlainly,
} from "../../tests/select-plainly.ts";
import { advertiserId, anyCampaign, anyScene, campaignId } from "../../tests/worlds.ts";
import { type ExplainFacts, explain } from "../explain/explain.ts";
import { biasedPipeline } from "../pipeline/biased-pipeline.ts";
import { eligibilityRules } from "../rules/all-rules.ts";
import type { Campaign } from "../types/campaign.ts";
import type { MatchScene } from "../types/request.ts";
import { CampaignIndex } from "./campaign-index.ts";

/** Pairs of a world and a request; PROPERTY_RUNS overrides the usual number. */
const pairs = Number(process.env.PROPERTY_RUNS ?? rounds(2_000, 5_000));
const chaptersPerWorld = 5;
/** Explanations take more than half as long as everything else, so usually only the last chapter has them. */
const explainsAll = process.env.PROPERTY_RUNS !== undefined;
/** At least two requests per chapter. */
const worlds = { numRuns: Math.ceil(pairs / (chaptersPerWorld * 2)) };
const timeoutMs = 20_000 + pairs * 10;

const MAX_COPIES = 250;
type Change = { put: Campaign; copies: number } | { remove: string } | { removeCopiesFrom: number };
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 12, arbitrary: anyCampaign.map((put) => ({ put, copies: 1 })) },
  {
    weight: 1,
    arbitrary: fc.record({
      put: anyCampaign,
      copies: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 10, max: 60 }) }, fc.constant(MAX_COPIES)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(1, 2, 3, 20).map((removeCopiesFrom) => ({ removeCopiesFrom })),
  },
  { weight: 4, arbitrary: campaignId.map((remove) => ({ remove })) },
);
const dayMs = 86_400_000;
const passingMs = 250;
const longMs = 3_600_000;
type Refusal = { lastsMs: number } & (
  | { campaign: string; lacksMoney: boolean }
  | { advertiser: string; bidCents: number }
);
const lastsMs = fc.constantFrom(passingMs, longMs);
const refusal: fc.Arbitrary<Refusal> = fc.oneof(
  fc.record({ campaign: campaignId, lacksMoney: fc.boolean(), lastsMs }),
  fc.record({ advertiser: advertiserId, bidCents: fc.constantFrom(100, 990, 5_000), lastsMs }),
);
/** Changes, then a request with exclusions; then refusals, and the same request at other times. */
const chapter = fc.record({
  changes: fc.array(change, { maxLength: 14 }),
  scene: anyScene,
  exclude: fc.array(campaignId, { maxLength: 8 }),
  excludeAdvertisers: fc.array(advertiserId, { maxLength: 2 }),
  refusals: fc.array(refusal, { maxLength: 4 }),
  movesMs: fc.array(fc.constantFrom(0, 1, passingMs - 1, passingMs, -1, -dayMs, dayMs), {
    minLength: 1,
    maxLength: 2,
  }),
});
const story = fc.array(chapter, { minLength: chaptersPerWorld, maxLength: chaptersPerWorld });

function apply(one: Change, index: CampaignIndex, world: Map<string, Campaign>): void {
  if ("remove" in one) {
    index.remove(one.remove);
    world.delete(one.remove);
    return;
  }
  if ("removeCopiesFrom" in one) {
    for (let copy = one.removeCopiesFrom; copy <= MAX_COPIES; copy += 1) {
      apply({ remove: `copy_${copy}` }, index, world);
    }
    return;
  }
  for (let copy = 0; copy < one.copies; copy += 1) {
    const put = { ...one.put, campaign_id: copy === 0 ? one.put.campaign_id : `copy_${copy}` };
    index.upsert(put);
    world.set(put.campaign_id, put);
  }
}

/** Reference implementation of refusals: a list that is searched linearly. */
class PlainRefusals {
  #refusals: (Refusal & { sinceMs: number })[] = [];

  add(refusal: Refusal, index: CampaignIndex, sinceMs: number): void {
    const untilMs = sinceMs + refusal.lastsMs;
    if ("campaign" in refusal) index.refuse(refusal.campaign, { ...refusal, sinceMs, untilMs });
    else index.refuseAdvertiser(refusal.advertiser, { ...refusal, sinceMs, untilMs });
    this.#refusals = this.#refusals.filter(
      (one) => !("campaign" in one && "campaign" in refusal && one.campaign === refusal.campaign),
    );
    // The lowest refused bid of an advertiser applies as long as the last refusal.
    const bids = this.#of(refusal)
      .filter((one) => one.lastsMs === refusal.lastsMs)
      .map((one) => one.bidCents);
    this.#refusals.push(
      "campaign" in refusal
        ? { ...refusal, sinceMs }
        : { ...refusal, bidCents: Math.min(refusal.bidCents, ...bids), sinceMs },
    );
  }

  /** Drops refusals that are over or start later. Long ones tolerate that the clock is set back a little. */
  setClock(nowMs: number): void {
    this.#refusals = this.#refusals.filter(({ sinceMs, lastsMs: forMs }) => {
      const fromMs = forMs === longMs ? sinceMs - 1_000 : sinceMs;
      return fromMs <= nowMs && nowMs < sinceMs + forMs;
    });
  }

  of({ campaign_id, advertiser_id, cpm_bid_cents }: Campaign): "none" | "money" | "other" {
    const own = this.#refusals.find((one) => "campaign" in one && one.campaign === campaign_id);
    if (own !== undefined && "campaign" in own) return own.lacksMoney ? "money" : "other";
    const denies = this.#of({ advertiser: advertiser_id }).some(({ bidCents }) => cpm_bid_cents >= bidCents);
    return denies ? "money" : "none";
  }

  #of(refusal: object): { bidCents: number; lastsMs: number }[] {
    return this.#refusals.filter(
      (one) => "advertiser" in one && "advertiser" in refusal && one.advertiser === refusal.advertiser,
    ) as (Refusal & { bidCents: number })[];
  }

  /** Ends all refusals, as newer versions of the campaigns would. */
  end(index: CampaignIndex, world: ReadonlyMap<string, Campaign>): void {
    for (const one of this.#refusals) {
      if ("advertiser" in one) index.readmitAdvertiser(one.advertiser);
      else {
        const campaign = world.get(one.campaign);
        if (campaign !== undefined) index.upsert(campaign);
      }
    }
    this.#refusals = [];
  }
}

function expectAgreement(
  index: CampaignIndex,
  world: Map<string, Campaign>,
  refusals: PlainRefusals,
  scene: MatchScene,
  excluded: { exclude: readonly string[]; excludeAdvertisers: readonly string[] },
): void {
  refusals.setClock(scene.nowMs);
  while (index.tidy(scene.nowMs));
  const eligible = candidatesPlainly(world.values(), scene).filter(
    ({ campaign }) =>
      !excluded.exclude.includes(campaign.campaign_id) &&
      !excluded.excludeAdvertisers.includes(campaign.advertiser_id),
  );
  const candidates = eligible.filter((one) => refusals.of(one.campaign) === "none");
  const lackedMoney =
    candidates.length === 0 && eligible.some((one) => refusals.of(one.campaign) === "money");
  const ties = tiesPlainly(candidates);
  const found = index.ties(scene, excluded);
  const byId = (list: readonly { campaign: Campaign; rank: number }[]) =>
    new Map(list.map((one) => [one.campaign.campaign_id, one.rank]));
  expect(found).toHaveLength(ties.length);
  expect(byId(found)).toEqual(byId(ties));
  for (const { campaign } of found) expect(campaign).toEqual(world.get(campaign.campaign_id));
  expect(index.highest(scene, 3, excluded).map((one) => one.rank)).toEqual(
    eligible.slice(0, 3).map((one) => one.rank),
  );
  const winners = new Map(ties.map((one) => [one.campaign.campaign_id, one]));
  for (const number of [0, 0.25, 0.5, 0.999_999]) {
    const { candidate, ...drawn } = index.draw(scene, () => number, excluded);
    const winner = winners.get(candidate?.campaign.campaign_id ?? "");
    if (candidate === null || winner === undefined) {
      expect(candidate).toBeNull();
      expect(winners.size).toBe(0);
    } else {
      const { exactRank, ...expected } = winner;
      expect(candidate).toEqual(expected);
      expect(biasedPipeline(candidate.campaign.affinities)).toEqual(pipelinePlainly(winner.campaign));
    }
    expect(drawn).toMatchObject({ lackedMoney, passedOver: candidates.length === 0 && eligible.length > 0 });
    if (candidate !== null) continue;
    expect(index.reasonForNone(scene.placement, drawn.lackedMoney)).toBe(
      reasonPlainly(world.values(), scene, lackedMoney),
    );
  }
}

const unlimited = { spentMillicents: 0, heldMillicents: 0 };
const facts: ExplainFacts = {
  account: { ...unlimited, depositedMillicents: 1_000_000 },
  campaign: {
    ...unlimited,
    budgetMillicents: 1_000_000,
    dailyCapMillicents: null,
    spentTodayMillicents: 0,
  },
  developer: { openHolds: 0, heldMillicents: 0 },
  session: { ads: 0, maxAds: 1, appearances: new Map() },
  winningRank: null,
};

/** Expects that explanations agree with the index on eligibility, score, parts and rank. Nothing may be refused. */
function expectExplanations(index: CampaignIndex, world: Map<string, Campaign>, scene: MatchScene): void {
  const eligible = index.highest(scene, world.size + 1).map((one) => one.campaign.campaign_id);
  for (const [id, own] of world) {
    // Copies differ only in their ids.
    if (id.startsWith("copy_")) continue;
    const { checks, ...explained } = explain(own, scene, facts);
    const passes = checks.every(({ passed }) => passed);
    if (passes !== eligible.includes(id)) expect([own, passes]).toEqual([own, !passes]);
    if (!passes) continue;
    const { candidate } = index.draw(scene, () => 0, { exclude: eligible.filter((other) => other !== id) });
    expect({
      id: explained.campaignId,
      rank: explained.rank,
      affinityScore: explained.affinityScore,
      affinityParts: explained.affinityParts.filter((part) => part.contribution > 0),
    }).toEqual({
      id: candidate?.campaign.campaign_id,
      rank: candidate?.rank,
      affinityScore: candidate?.affinityScore,
      affinityParts: candidate?.affinityParts,
    });
  }
}

describe("the index and the reference implementation", () => {
  it(
    "agree on winners, ranks, scores, contributions, pipelines and reasons, after any sequence of changes",
    () => {
      fc.assert(
        fc.property(story, (chapters) => {
          const index = new CampaignIndex();
          const world = new Map<string, Campaign>();
          for (const [number, chapter] of chapters.entries()) {
            const { changes, scene, refusals: refused, movesMs, ...excluded } = chapter;
            const refusals = new PlainRefusals();
            for (const one of changes) apply(one, index, world);
            expectAgreement(index, world, refusals, scene, excluded);
            if (explainsAll || number === chaptersPerWorld - 1) expectExplanations(index, world, scene);
            for (const one of refused) refusals.add(one, index, scene.nowMs);
            for (const moveMs of movesMs) {
              expectAgreement(index, world, refusals, { ...scene, nowMs: scene.nowMs + moveMs }, excluded);
            }
            refusals.end(index, world);
          }
          expect(index.size).toBe(world.size);
          expect(index.activeCount).toBe([...world.values()].filter((one) => one.status === "active").length);
          for (const [id, { version, advertiser_id: advertiserId, creatives }] of world) {
            expect(index.versionOf(id)).toBe(version);
            expect(index.idsOf(id)).toEqual({
              advertiserId,
              creativeIds: creatives.map((one) => one.creative_id),
            });
          }
        }),
        worlds,
      );
    },
    timeoutMs,
  );

  it("meet worlds in which each check fails", () => {
    const failed = new Set<string>();
    const scenes = fc.sample(anyScene, { seed: 1, numRuns: 100 });
    for (const own of fc.sample(anyCampaign, { seed: 1, numRuns: 500 })) {
      for (const scene of scenes) {
        for (const check of explain(own, scene, facts).checks) if (!check.passed) failed.add(check.rule);
      }
    }
    expect([...failed].sort()).toEqual(eligibilityRules.flatMap((one) => Object.keys(one.reasons)).sort());
  });
});
