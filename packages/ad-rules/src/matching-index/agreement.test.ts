import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { candidatesPlainly, tiesPlainly } from "../../tests/select-plainly.ts";
import { anyCampaign, anyScene, campaignId } from "../../tests/worlds.ts";
import type { Campaign } from "../types/campaign.ts";
import type { MatchScene } from "../types/request.ts";
import { CampaignIndex } from "./campaign-index.ts";

/** Pairs of a world and a request; PROPERTY_RUNS asks for more than the usual number. */
const pairs = Number(process.env.PROPERTY_RUNS ?? 5_000);
const requestsPerWorld = 5;
const worlds = { numRuns: Math.ceil(pairs / requestsPerWorld) };
const timeoutMs = 20_000 + pairs * 10;

const mostCopies = 250;
type Change = { put: Campaign; copies: number } | { remove: string } | { removeCopiesFrom: number };
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 12, arbitrary: anyCampaign.map((put) => ({ put, copies: 1 })) },
  {
    weight: 1,
    arbitrary: fc.record({
      put: anyCampaign,
      copies: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 10, max: 60 }) }, fc.constant(mostCopies)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(1, 2, 3, 20).map((removeCopiesFrom) => ({ removeCopiesFrom })),
  },
  { weight: 4, arbitrary: campaignId.map((remove) => ({ remove })) },
);
/** Changes, then a request, of which some campaigns are left out. */
const chapter = fc.record({
  changes: fc.array(change, { maxLength: 14 }),
  scene: anyScene,
  exclude: fc.array(campaignId, { maxLength: 8 }),
});
const story = fc.array(chapter, { minLength: requestsPerWorld, maxLength: requestsPerWorld });

function apply(one: Change, index: CampaignIndex, world: Map<string, Campaign>): void {
  if ("remove" in one) {
    index.remove(one.remove);
    world.delete(one.remove);
    return;
  }
  if ("removeCopiesFrom" in one) {
    for (let copy = one.removeCopiesFrom; copy <= mostCopies; copy += 1) {
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

function expectAgreement(
  index: CampaignIndex,
  world: Map<string, Campaign>,
  scene: MatchScene,
  exclude: readonly string[],
): void {
  const candidates = candidatesPlainly(world.values(), scene).filter(
    (one) => !exclude.includes(one.campaign.campaign_id),
  );
  const ties = tiesPlainly(candidates);
  const found = index.ties(scene, { exclude });
  const byId = (list: readonly { campaign: Campaign; rank: number }[]) =>
    new Map(list.map((one) => [one.campaign.campaign_id, one.rank]));
  expect(found).toHaveLength(ties.length);
  expect(byId(found)).toEqual(byId(ties));
  expect(index.highest(scene, 3, { exclude }).map((one) => one.rank)).toEqual(
    candidates.slice(0, 3).map((one) => one.rank),
  );
  const winners = new Map(ties.map((one) => [one.campaign.campaign_id, one]));
  for (const number of [0, 0.25, 0.5, 0.999_999]) {
    const { candidate, lackedMoney } = index.draw(scene, () => number, { exclude });
    expect(candidate).toEqual(winners.get(candidate?.campaign.campaign_id ?? "") ?? null);
    expect(candidate === null).toBe(winners.size === 0);
    expect(lackedMoney).toBe(false);
  }
}

describe("the index and the plain loop", () => {
  it(
    "agree on who can be drawn, ranks, scores and contributions, after any changes",
    () => {
      fc.assert(
        fc.property(story, (chapters) => {
          const index = new CampaignIndex();
          const world = new Map<string, Campaign>();
          for (const { changes, scene, exclude } of chapters) {
            for (const one of changes) apply(one, index, world);
            expectAgreement(index, world, scene, exclude);
          }
          expect(index.size).toBe(world.size);
          expect(index.activeCount).toBe([...world.values()].filter((one) => one.status === "active").length);
          for (const [id, one] of world) expect(index.get(id)).toBe(one);
        }),
        worlds,
      );
    },
    timeoutMs,
  );
});
