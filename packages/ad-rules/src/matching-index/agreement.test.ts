import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { anyCampaign, anyRequest, campaignId } from "../../tests/worlds.ts";
import { drawCandidates, type SelectionRequest, selectCandidates } from "../candidates/select-candidates.ts";
import { selectPlainly } from "../model/select-plainly.ts";
import { drawWinner } from "../ranking/tie-draw.ts";
import type { Campaign } from "../types/campaign.ts";
import { CampaignIndex } from "./campaign-index.ts";

/** Pairs of a world and a request; PROPERTY_RUNS asks for more than the usual number. */
const pairs = Number(process.env.PROPERTY_RUNS ?? 5_000);
const requestsPerWorld = 5;
const worlds = { numRuns: Math.ceil(pairs / requestsPerWorld) };
const timeoutMs = 20_000 + pairs * 10;

/** So many that a term of them is applied to blocks as bits. */
const mostCopies = 250;
type Change = { put: Campaign; copies: number } | { remove: string } | { removeCopiesFrom: number };
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 12, arbitrary: anyCampaign.map((put) => ({ put, copies: 1 })) },
  // Enough copies to fill words, and to make bits of lists.
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
/** Changes, and a request after each few of them. */
const story = fc.array(fc.tuple(fc.array(change, { maxLength: 14 }), anyRequest), {
  minLength: requestsPerWorld,
  maxLength: requestsPerWorld,
});

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

/** What draws among the candidates of the model give for the same numbers. */
function drawPlainly(
  candidates: readonly { campaign: Campaign; rank: number }[],
  limit: number,
  numbers: number[],
) {
  const remaining = [...candidates];
  const drawn: string[] = [];
  while (drawn.length < limit && remaining.length > 0) {
    const [winner] = remaining.splice(drawWinner(remaining, numbers[drawn.length] ?? 0), 1);
    if (winner !== undefined) drawn.push(winner.campaign.campaign_id);
  }
  return drawn;
}

function expectAgreement(
  index: CampaignIndex,
  world: Map<string, Campaign>,
  request: SelectionRequest,
): void {
  const expected = selectPlainly(world.values(), request);
  expect(selectCandidates(index, request)).toEqual(expected);
  const numbers = Array.from({ length: request.limit }, (_, n) => (n * 0.618 + request.nowMs / 7) % 1);
  let drawn = 0;
  const inOrder = drawCandidates(index, request, () => numbers[drawn++] ?? 0);
  expect(inOrder.candidates.map((one) => one.campaign.campaign_id)).toEqual(
    drawPlainly(expected.candidates, request.limit, numbers),
  );
  expect({ ...inOrder, candidates: [] }).toEqual({ ...expected, candidates: [] });
}

describe("the index and the plain loop", () => {
  it(
    "agree on candidates, scores, contributions, draws and reasons, after any changes",
    () => {
      fc.assert(
        fc.property(story, fc.constantFrom(2, 8, 128), (chapters, longestList) => {
          const index = new CampaignIndex(longestList);
          const world = new Map<string, Campaign>();
          for (const [changes, request] of chapters) {
            for (const one of changes) apply(one, index, world);
            expectAgreement(index, world, request);
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
