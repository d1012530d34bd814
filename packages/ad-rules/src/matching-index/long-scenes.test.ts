import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { campaign, geoTarget, placement } from "../../tests/builders.ts";
import type { MatchScene } from "../types/request.ts";
import { CampaignIndex } from "./campaign-index.ts";

const WORDS = ["storm", "harbor", "ember", "raven", "tavern"];
const CAMPAIGNS = 6;

const someWords = fc.subarray(WORDS, { maxLength: 2 });
const someCampaign = fc.record({
  number: fc.integer({ min: 0, max: CAMPAIGNS - 1 }),
  removed: fc.boolean(),
  tags: someWords,
  keywords: someWords,
  mood: fc.constantFrom(...WORDS),
  country: fc.constantFrom("DE", "FR", null),
  bid: fc.integer({ min: 100, max: 105 }),
});
const someStep = fc.oneof(
  fc.record({ change: someCampaign }),
  fc.record({ placement: fc.integer({ min: 0, max: 1 }), geo: fc.integer({ min: 0, max: 1 }) }),
);

const contextOf = (words: string[]): MatchScene["context"] => ({
  narrative: words.join(" "),
  actions: Array.from({ length: 30 }, () => "z".repeat(200)),
  mood_tags: words.slice(0, 2),
});

it("a scene with long texts has the same ties however often it is searched for, whatever changes meanwhile", () => {
  fc.assert(
    fc.property(someWords, fc.array(someStep, { minLength: 5, maxLength: 40 }), (words, steps) => {
      const index = new CampaignIndex();
      const context = contextOf(words);
      const placements = [placement(), placement({ blocked_categories: ["ember"] })];
      const geos = [{ country_code: "DE" }, null];
      for (const step of steps) {
        if ("change" in step) {
          const { number, removed, tags, keywords, mood, country, bid } = step.change;
          const id = `camp_${number}`;
          if (removed) index.remove(id);
          else
            index.upsert(
              campaign({
                campaign_id: id,
                cpm_bid_cents: bid,
                target_tags: tags,
                blocklist: keywords.map((value) => ({ rule_type: "keyword", value })),
                affinities: [
                  { affinity_id: "aff_1", affinity_type: "mood", affinity_value: mood, weight: 1 },
                  { affinity_id: "aff_2", affinity_type: "category", affinity_value: mood, weight: 1 },
                ],
                geo_targets:
                  country === null ? [] : [geoTarget({ target_type: "country", country_code: country })],
              }),
            );
          continue;
        }
        const scene = { placement: placements[step.placement] ?? placement(), geo: geos[step.geo], nowMs: 0 };
        const ties = (of: MatchScene["context"]) =>
          index
            .ties({ ...scene, context: of })
            .map(({ campaign: { campaign_id }, rank }) => `${campaign_id} ${rank}`)
            .sort();
        expect(ties(context)).toEqual(ties(contextOf(words)));
      }
    }),
  );
});
