import { rounds } from "@diegetic/testing/rounds";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { affinities, campaign, creative, geoTarget, placement } from "../../tests/builders.ts";
import { eligibleCandidate } from "../../tests/eligible-candidate.ts";
import { candidatesPlainly, tiesPlainly } from "../../tests/select-plainly.ts";
import { anyCampaign, anyScene } from "../../tests/worlds.ts";
import { CampaignIndex } from "../matching-index/campaign-index.ts";
import { type CheckedRule, reasonCodes } from "../rules/all-rules.ts";
import type { Campaign } from "../types/campaign.ts";
import type { MatchScene } from "../types/request.ts";
import { type ExplainFacts, explain } from "./explain.ts";

const nowMs = Date.parse("2026-03-01T12:00:00Z");
const rich: ExplainFacts = {
  account: { depositedMillicents: 10_000, spentMillicents: 0, heldMillicents: 0 },
  campaign: {
    budgetMillicents: 10_000,
    spentMillicents: 0,
    heldMillicents: 0,
    dailyCapMillicents: null,
    spentTodayMillicents: 0,
  },
  developer: { openHolds: 0, heldMillicents: 0 },
  session: { ads: 0, maxAds: 10, appearances: new Map() },
  winningRank: null,
};
const request: MatchScene = { placement: placement(), context: {}, geo: null, nowMs };
type Given = [fields: Partial<Campaign>, changes?: Partial<typeof request>, facts?: Partial<ExplainFacts>];

const excludedPlaces = [
  geoTarget({
    target_type: "city",
    country_code: "DE",
    state_code: "BE",
    city_name: "Berlin",
    include: false,
  }),
  geoTarget({ target_type: "country", country_code: "FR", include: false }),
];

const failed = ([fields, changes, facts]: Given) =>
  explain(campaign(fields), { ...request, ...changes }, { ...rich, ...facts }).checks.filter(
    (one) => !one.passed,
  );

describe("explain", () => {
  it("passes every check, in the order of the table, for a campaign that serves", () => {
    const explanation = explain(campaign(), request, rich);
    expect(explanation.wouldServe).toBe(true);
    expect(explanation.checks.map(({ rule, code }) => [rule, code])).toEqual(
      Object.entries(reasonCodes).map(([rule, { code }]) => [rule, code]),
    );
    expect(explanation.checks.every((one) => one.passed)).toBe(true);
  });

  it.each<[CheckedRule, string, Given]>([
    ["status", "paused", [{ status: "paused" }]],
    [
      "start_date",
      '"2026-03-02" (the whole day, UTC) has not come yet; it is now 2026-03-01T12:00:00.000Z.',
      [{ start_date: "2026-03-02" }],
    ],
    ["start_date", '"2026-03-01T13:00Z" has not come yet', [{ start_date: "2026-03-01T13:00Z" }]],
    ["end_date", '"2026-02-28" (the whole day, UTC) has passed', [{ end_date: "2026-02-28" }]],
    ["placement_active", "disabled", [{}, { placement: placement({ is_active: false }) }]],
    ["blocked_advertisers", "adv_1", [{}, { placement: placement({ blocked_advertisers: ["adv_1"] }) }]],
    [
      "blocked_categories",
      '"RPG "',
      [
        { affinities: affinities(["category", "RPG "]) },
        { placement: placement({ blocked_categories: ["rpg"] }) },
      ],
    ],
    [
      "placement_types",
      "location_brand",
      [
        { creatives: [creative({ creative_type: "location_brand" })] },
        { placement: placement({ placement_types: ["narrative_hook"] }) },
      ],
    ],
    [
      "geo_includes",
      "country US",
      [{ geo_targets: [geoTarget({ target_type: "country", country_code: "US" })] }],
    ],
    ["blocked_games", '"game-1"', [{ blocklist: [{ rule_type: "game_id", value: "game-1" }] }]],
    [
      "blocked_keywords",
      'The campaign blocks "Gun", found in narrative, actions.',
      [
        { blocklist: [{ rule_type: "keyword", value: "Gun" }] },
        { context: { narrative: "A gun.", location: "begun", actions: ["run", "draw gun"] } },
      ],
    ],
    [
      "target_categories",
      '"puzzle" is not among the campaign\'s target categories ("rpg")',
      [{ target_categories: ["rpg"] }, { context: { category: "puzzle" } }],
    ],
    ["target_tags", '"Rain"', [{ target_tags: ["Rain"] }, { context: { narrative: "A train." } }]],
    [
      "balance",
      "0.999 cents left",
      [{}, {}, { account: { depositedMillicents: 2_000, spentMillicents: 1_000, heldMillicents: 1 } }],
    ],
    ["balance", "not known", [{}, {}, { account: null }]],
    [
      "budget",
      "open holds of 49.5 cents",
      [{ cpm_bid_cents: 1_001 }, {}, { developer: { openHolds: 100, heldMillicents: 4_950 * 10 } }],
    ],
    [
      "budget",
      "The budget has 0 cents left",
      [
        {},
        {},
        {
          campaign: {
            budgetMillicents: 1_000,
            spentMillicents: 500,
            heldMillicents: 900,
            dailyCapMillicents: null,
            spentTodayMillicents: 0,
          },
        },
      ],
    ],
    [
      "daily_cap",
      "0.5 cents left",
      [
        {},
        {},
        {
          campaign: {
            budgetMillicents: 9_000,
            spentMillicents: 500,
            heldMillicents: 500,
            dailyCapMillicents: 1_500,
            spentTodayMillicents: 500,
          },
        },
      ],
    ],
    [
      "max_ads_per_session",
      "10 of at most 10",
      [{}, {}, { session: { ads: 10, maxAds: 10, appearances: new Map() } }],
    ],
    [
      "max_uses_per_game",
      "The only accepted creative has appeared",
      [{}, {}, { session: { ads: 3, maxAds: 10, appearances: new Map([["crt_1", 3]]) } }],
    ],
  ])("%s alone fails and says %s", (rule, words, given) => {
    const checks = failed(given);
    expect(checks.map((one) => one.rule)).toEqual([rule]);
    expect(checks[0]?.detail).toContain(words);
  });

  it("says when there is nothing to compare with", () => {
    const { checks } = explain(campaign({ creatives: [creative({})] }), request, {
      ...rich,
      winningRank: null,
    });
    const details = Object.fromEntries(checks.map(({ code, detail }) => [code, detail]));
    expect(details).toMatchObject({
      102: "The campaign sets no start_date.",
      202: "The placement blocks no advertisers.",
      203: "The placement blocks no categories.",
      301: "The campaign excludes no places.",
      302: "The campaign includes no places, so any place will do.",
      303: "The campaign blocks no keywords.",
      308: "The campaign targets no categories, so any will do.",
    });
  });

  it("names a matching excluded place next to an unreadable one", () => {
    const places = [
      geoTarget({ target_type: "state", country_code: "US", include: false }),
      geoTarget({ target_type: "country", country_code: "FR", include: false }),
    ];
    const [check] = failed([{ geo_targets: places }, { geo: { country_code: "FR" } } as object]);
    expect(check).toMatchObject({ rule: "geo_excludes" });
    expect(check?.detail).toBe(
      "A place that the campaign excludes lacks what its type requires, so the campaign serves nowhere. " +
        "The campaign excludes country FR. The player's place is given as country FR.",
    );
  });

  it.each<[rule: CheckedRule, detail: string, Given]>([
    [
      "blocked_themes",
      'None of the themes that the campaign blocks ("war") equals theme_id "total war".',
      [{ blocklist: [{ rule_type: "theme", value: "war" }] }, { context: { theme_id: "total war" } }],
    ],
    [
      "blocked_themes",
      'The campaign blocks "war"; the context has no theme.',
      [{ blocklist: [{ rule_type: "theme", value: "war" }] }, { context: { theme_id: " " } }],
    ],
    [
      "blocked_context_categories",
      'The campaign blocks "war"; the context has no category.',
      [{ blocklist: [{ rule_type: "category", value: "war" }] }],
    ],
    [
      "blocked_actions",
      'The campaign blocks "fight", equal to an action ("Run", "Fight").',
      [
        { blocklist: ["fight", "rest"].map((value) => ({ rule_type: "action", value })) },
        { context: { actions: ["Run", " ", "Fight", "run"] } },
      ],
    ],
    [
      "blocked_keywords",
      'The campaign blocks "rain", found in narrative, mood_tags; "50 cent", found in narrative.',
      [
        { blocklist: ["rain", "50 cent"].map((value) => ({ rule_type: "keyword", value })) },
        { context: { narrative: "Rain for 50 cent.", mood_tags: ["rain"] } },
      ],
    ],
    [
      "target_categories",
      'The context has no category; the campaign targets "rpg".',
      [{ target_categories: ["rpg"] }, { context: { category: " " } }],
    ],
    [
      "target_tags",
      'None of the target tags "tavern" equals the theme, category, location, a mood or an action, or occurs in the narrative.',
      [{ target_tags: ["tavern"] }, { context: { location: "old tavern" } }],
    ],
    [
      "geo_excludes",
      'No place that the campaign excludes matches: city "Berlin" of BE, DE; country FR. The player\'s place is not given.',
      [{ geo_targets: excludedPlaces }],
    ],
    [
      "geo_includes",
      "The campaign includes no places, so any place that it does not exclude will do.",
      [{ geo_targets: excludedPlaces }],
    ],
    [
      "blocked_categories",
      'The placement blocks "RPG", which the campaign targets or is affine to.',
      [
        { target_categories: ["RPG"], affinities: affinities(["category", "rpg"], ["category", "Rpg"]) },
        { placement: placement({ blocked_categories: ["rpg"] }) },
      ],
    ],
    ["status", "The campaign is a draft; only active ones serve.", [{ status: "draft" }]],
    [
      "max_uses_per_game",
      '1 of 2 accepted creatives has appearances left: "crt_2".',
      [
        { creatives: [creative(), creative({ creative_id: "crt_2" })] },
        {},
        { session: { ads: 3, maxAds: 10, appearances: new Map([["crt_1", 3]]) } },
      ],
    ],
  ])("of %s says %s", (rule, detail, [fields, changes, facts]) => {
    const { checks } = explain(campaign(fields), { ...request, ...changes }, { ...rich, ...facts });
    expect(checks.find((one) => one.rule === rule)?.detail).toBe(detail);
  });

  it("describes dates that pass", () => {
    const own = campaign({ start_date: "2026-03-01", end_date: "2026-03-01T12:00Z" });
    const details = explain(own, request, rich).checks.map((one) => one.detail);
    expect(details.slice(1, 3)).toEqual([
      'The campaign\'s start_date "2026-03-01" (the whole day, UTC) has come; it is now 2026-03-01T12:00:00.000Z.',
      'The campaign\'s end_date "2026-03-01T12:00Z" has not passed; it is now 2026-03-01T12:00:00.000Z.',
    ]);
  });

  it("names the distance to a circle", () => {
    const circle = geoTarget({ target_type: "radius", lat: 0, lng: 0, radius_km: 100 });
    expect(failed([{ geo_targets: [circle] }, { geo: { lat: 0, lng: 1 } } as object])[0]?.detail).toBe(
      "The campaign includes only within 100 km of 0, 0 (the player is 111.196 km away). The player's place is given as lat 0, lng 1.",
    );
    // 5.0003 km.
    const near = { geo: { lat: 0, lng: 0.044969 } } as object;
    const five = geoTarget({ target_type: "radius", lat: 0, lng: 0, radius_km: 5 });
    expect(failed([{ geo_targets: [five] }, near])[0]?.detail).toContain("(the player is 5.001 km away)");
  });

  it("continues after the first failure, and returns score, parts with zeros, and ranks", () => {
    const own = campaign({
      status: "paused",
      affinities: affinities(["mood", "tense", 2], ["mood", "calm", 1]),
    });
    const explanation = explain(
      own,
      { ...request, context: { mood_tags: ["tense"] } },
      { ...rich, winningRank: 1_684 },
    );
    expect(explanation).toMatchObject({
      affinityScore: 2,
      rank: 1_666.667,
      winningRank: 1_684,
      wouldServe: false,
    });
    expect(explanation.affinityParts.map((part) => part.contribution)).toEqual([2, 0]);
    expect(explanation.checks).toHaveLength(Object.keys(reasonCodes).length);
  });

  it("serves within 1 % of the winning rank, not below", () => {
    const serves = (winningRank: number) => explain(campaign(), request, { ...rich, winningRank }).wouldServe;
    expect([900, 1_000, 1_010, 1_011].map(serves)).toEqual([true, true, true, false]);
  });

  it("names the lowest bid that would win, as the index ranks it", () => {
    let found = 0;
    fc.assert(
      fc.property(
        anyCampaign,
        fc.array(anyCampaign, { minLength: 1, maxLength: 5 }),
        anyScene,
        fc.record({
          balance: fc.integer({ min: 0, max: 12_000 }),
          rivalBid: fc.integer({ min: 100, max: 10_000 }),
        }),
        (own, others, selection, { balance, rivalBid }) => {
          const index = new CampaignIndex();
          const rivals = others.filter((one) => one.campaign_id !== own.campaign_id);
          for (const one of rivals) index.upsert({ ...one, cpm_bid_cents: rivalBid });
          const winningRank = index.highest(selection, 1)[0]?.rank ?? null;
          const account = { depositedMillicents: balance, spentMillicents: 0, heldMillicents: 0 };
          const facts: ExplainFacts = { ...rich, account, winningRank };
          const servesAt = (bidCents: number) => {
            const bidding = { ...own, cpm_bid_cents: bidCents };
            index.upsert(bidding);
            const isTied = index.ties(selection).some((one) => one.campaign.campaign_id === own.campaign_id);
            const isPaid = bidCents <= Math.min(balance, 10_000);
            expect(explain(bidding, selection, facts).wouldServe).toBe(isTied && isPaid);
            return isTied && isPaid;
          };
          const { bidToWinCents } = explain(own, selection, facts);
          if (bidToWinCents === null) {
            for (const bidCents of [100, Math.max(100, Math.min(balance, 10_000)), 10_000]) {
              expect(servesAt(bidCents)).toBe(false);
            }
            return;
          }
          found += 1;
          expect(servesAt(bidToWinCents)).toBe(true);
          if (bidToWinCents > 100) expect(servesAt(bidToWinCents - 1)).toBe(false);
        },
      ),
      { numRuns: rounds(400, 1_000) },
    );
    expect(found).toBeGreaterThan(10);
  });

  it("summarises in one sentence why it would or would not serve", () => {
    const summaryOf = ([fields, changes, facts]: Given) => {
      const { summary, bidToWinCents } = explain(
        campaign(fields),
        { ...request, ...changes },
        { ...rich, ...facts },
      );
      return [bidToWinCents, summary];
    };
    expect(summaryOf([{}])).toEqual([
      100,
      "The campaign would serve: every check passes, and there is no other candidate.",
    ]);
    expect(summaryOf([{}, {}, { winningRank: 1_010 }])).toEqual([
      1_000,
      "The campaign would serve: every check passes, and its rank of 1000 is within 1 % of the highest, with the best other rank of 1010.",
    ]);
    expect(summaryOf([{}, {}, { winningRank: 2_000 }])).toEqual([
      1_980,
      "The campaign would not serve, because its rank of 1000 is more than 1 % below the best other rank of 2000; a bid of 1980 cents would rank within 1 % of the highest.",
    ]);
    expect(summaryOf([{}, {}, { winningRank: 12_000 }])).toEqual([
      null,
      "The campaign would not serve, because its rank of 1000 is more than 1 % below the best other rank of 12000, and no allowed bid that its money covers would be enough.",
    ]);
    expect(summaryOf([{ status: "paused", target_tags: ["Rain"] }, {}, { winningRank: 2_000 }])).toEqual([
      null,
      "The campaign would not serve, because 2 checks fail: status, target_tags.",
    ]);
    const poor = { depositedMillicents: 700, spentMillicents: 0, heldMillicents: 0 };
    expect(summaryOf([{}, {}, { account: poor, winningRank: 600 }])).toEqual([
      594,
      "The campaign would not serve, because 1 check fails: balance; its money covers a bid of 594 cents, which would rank within 1 % of the highest.",
    ]);
    expect(summaryOf([{}, {}, { account: poor }])).toEqual([
      100,
      "The campaign would not serve, because 1 check fails: balance; its money covers a bid of 100 cents.",
    ]);
  });

  it("reveals nothing about a session in another account's game", () => {
    const session = { ads: 0, maxAds: 4, appearances: new Map(), countsAsNew: true };
    const { checks } = explain(campaign(), request, { ...rich, session });
    expect(checks.find((one) => one.rule === "max_ads_per_session")?.detail).toBe(
      "The game belongs to another account: the player session counts as new and has had 0 of at most 4 ads.",
    );
  });

  it("agrees with the rules and the ranks of matching", () => {
    fc.assert(
      fc.property(
        anyCampaign,
        fc.array(anyCampaign, { maxLength: 5 }),
        anyScene,
        (own, others, selection) => {
          const index = new CampaignIndex();
          const world = new Map([...others, own].map((one) => [one.campaign_id, one]));
          for (const one of world.values()) index.upsert(one);
          const winningRank = index.highest(selection, 1, { exclude: [own.campaign_id] })[0]?.rank ?? null;
          const explanation = explain(own, selection, { ...rich, winningRank });
          const passes = explanation.checks.filter((one) => one.code < 400).every((one) => one.passed);
          expect(passes).toBe(eligibleCandidate(own, selection) !== null);
          const ties = tiesPlainly(candidatesPlainly(world.values(), selection));
          const wins = ties.some((one) => one.campaign.campaign_id === own.campaign_id);
          const paid = explanation.checks.filter((one) => one.code >= 400).every((one) => one.passed);
          expect(explanation.wouldServe).toBe(wins && paid);
        },
      ),
      { numRuns: rounds(400, 1_000) },
    );
  });
});
