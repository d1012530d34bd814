import {
  chargedCents,
  earningMicrocents,
  feeMicrocents,
  percentToBasisPoints,
  priceMillicents,
} from "@diegetic/money";
import { jsonIn, type Row, readDocument, sectionOf, tableIn } from "@diegetic/testing/markdown";
import { describe, expect, it } from "@jest/globals";
import { affinities, campaign, creative, geoTarget, placement } from "../tests/builders.ts";
import { eligibleCandidate } from "../tests/eligible-candidate.ts";
import { prepareContext } from "./context/prepared-context.ts";
import { type ExplainFacts, explain } from "./explain/explain.ts";
import { CampaignIndex } from "./matching-index/campaign-index.ts";
import { biasedPipeline } from "./pipeline/biased-pipeline.ts";
import { rankOf } from "./ranking/rank.ts";
import { reasonCodes } from "./rules/all-rules.ts";
import { affinityParts, affinityScore, compileAffinities } from "./scoring/affinity-score.ts";
import type { Affinity, Campaign } from "./types/campaign.ts";
import type { GameContext, Placement, PlayerGeo } from "./types/request.ts";

/** Computes the tables and examples of docs/matching.md with the index and with the functions of explanations. */
const document = readDocument("docs/matching.md");
const scene = sectionOf(document, "The scene of the examples");
const game = placement(scene.json[0] as Partial<Placement>);
const sample = scene.json[1] as { player_geo: PlayerGeo; game_context: GameContext };
const request = {
  placement: game,
  context: sample.game_context,
  geo: sample.player_geo,
  nowMs: Date.parse("2026-11-21T19:30:00Z"),
};
const rich: ExplainFacts = {
  account: { depositedMillicents: 1_000_000, spentMillicents: 0, heldMillicents: 0 },
  campaign: {
    budgetMillicents: 1_000_000,
    spentMillicents: 0,
    heldMillicents: 0,
    dailyCapMillicents: null,
    spentTodayMillicents: 0,
  },
  developer: { openHolds: 0, heldMillicents: 0 },
  session: { ads: 0, maxAds: 10, appearances: new Map() },
  winningRank: null,
};

const cell = (row: Row, name: string): string => {
  const text = row[name];
  if (text === undefined) throw new Error(`no column "${name}"`);
  return text;
};
const numberIn = (row: Row, name: string) => Number(cell(row, name));
const millicentsIn = (row: Row, name: string) => Math.round(numberIn(row, name) * 1_000);

const scored = tableIn(document, "Example: a score");
const emberAffinities: Affinity[] = affinities(
  ...scored
    .slice(0, -1)
    .map((row): [Affinity["affinity_type"], string, number] => [
      cell(row, "Affinity") as Affinity["affinity_type"],
      cell(row, "Value"),
      numberIn(row, "Weight"),
    ]),
);
/** Affinities that give the other candidates their scores in the table. */
const otherAffinities: Record<string, Affinity[]> = {
  "Silver Stag": affinities(["action", "drink", 0.6]),
  "Nordic Rope": affinities(["mood", "tense", 0.25]),
};

const ranked = tableIn(document, "Example: three candidates");
const contenders = ranked.map((row): Campaign => {
  const name = cell(row, "Campaign");
  return campaign({
    campaign_id: name,
    advertiser_id: `adv_${name}`,
    cpm_bid_cents: numberIn(row, "Bid"),
    priority: numberIn(row, "Priority"),
    affinities: otherAffinities[name] ?? emberAffinities,
  });
});
const index = new CampaignIndex();
for (const one of contenders) index.upsert(one);

describe("docs/matching.md: who may serve", () => {
  it.each(tableIn(document, "Example: who is left"))("$Fails: $What the campaign has", (row) => {
    const given = JSON.parse(cell(row, "What the campaign has")) as Partial<Campaign>;
    const own = campaign({
      ...given,
      creatives: (given.creatives ?? [creative()]).map(creative),
      geo_targets: (given.geo_targets ?? []).map(geoTarget),
    });
    const failed = explain(own, request, rich)
      .checks.filter((check) => !check.passed)
      .map((check) => check.code);
    expect(failed.join(", ") || "none").toBe(cell(row, "Fails"));
    expect(eligibleCandidate(own, request) !== null).toBe(failed.length === 0);
  });
});

const scoreOf = (one: Campaign) =>
  affinityScore(compileAffinities(one.affinities), prepareContext(request.context));

describe("docs/matching.md: score, rank, tie", () => {
  it("adds what it says", () => {
    const context = prepareContext(request.context);
    const parts = affinityParts(compileAffinities(emberAffinities), context);
    expect(parts.map((part) => part.contribution)).toEqual(
      scored.slice(0, -1).map((row) => numberIn(row, "Adds")),
    );
    const score = numberIn(scored.at(-1) ?? {}, "Adds");
    expect(affinityScore(compileAffinities(emberAffinities), context)).toBe(score);
    expect(eligibleCandidate(campaign({ affinities: emberAffinities }), request)).toMatchObject({
      affinityScore: score,
      affinityParts: parts.filter((part) => part.contribution > 0),
    });
  });

  it("ranks as it says", () => {
    const found = index
      .highest(request, 8)
      .map(({ campaign: one, rank }) => [one.campaign_id, scoreOf(one), rank]);
    expect(found).toEqual(
      ranked.map((row) => [cell(row, "Campaign"), numberIn(row, "Score"), numberIn(row, "Rank")]),
    );
  });

  it.each(tableIn(document, "Rank"))("a score of $Score lifts a bid by the factor $Factor", (row) => {
    expect(rankOf(1_000_000, numberIn(row, "Score"))).toBe(numberIn(row, "Factor") * 1_000_000);
  });

  it("draws as often as it says", () => {
    const [, shares = 0] = cell(ranked[0] ?? {}, "Wins")
      .split(" of ")
      .map(Number);
    const wins = new Map(contenders.map((one) => [one.campaign_id, 0]));
    for (let share = 0; share < shares; share += 1) {
      const random = () => (share + 0.5) / shares;
      const winner = index.draw(request, random).candidate?.campaign.campaign_id ?? "";
      wins.set(winner, (wins.get(winner) ?? 0) + 1);
    }
    expect([...wins]).toEqual(
      ranked.map((row) => [cell(row, "Campaign"), Number.parseInt(cell(row, "Wins"), 10)]),
    );
    expect(ranked.map((row) => cell(row, "Wins").split(" of ")[1])).toEqual(ranked.map(() => String(shares)));
  });

  it("biases the scene as it says", () => {
    expect(biasedPipeline(emberAffinities)).toEqual(jsonIn(document, "Example: overrides"));
  });
});

describe("docs/matching.md: money", () => {
  it.each(tableIn(document, "What it costs"))("a bid of $Bid", (row) => {
    const price = priceMillicents(numberIn(row, "Bid"));
    const share = percentToBasisPoints(numberIn(row, "Developer's share, %")) ?? -1;
    expect([
      chargedCents(price),
      Number(earningMicrocents(price, share)) / 1e6,
      Number(feeMicrocents(price, share)) / 1e6,
    ]).toEqual([
      numberIn(row, "You pay, cents"),
      numberIn(row, "Developer earns, cents"),
      numberIn(row, "Platform keeps, cents"),
    ]);
  });

  it.each(tableIn(document, "Example: what is left"))("what is left of the $Limit", (row) => {
    const [amount, spent, held] = ["Amount", "Spent", "Held"].map((name) =>
      millicentsIn(row, `${name}, cents`),
    );
    const totals = { spentMillicents: spent ?? 0, heldMillicents: held ?? 0 };
    const inCampaign = {
      budgetMillicents: 1_000_000,
      dailyCapMillicents: null,
      spentTodayMillicents: 0,
      ...totals,
    };
    const facts: Record<string, Partial<ExplainFacts>> = {
      balance: { account: { depositedMillicents: amount ?? 0, ...totals } },
      budget: { campaign: { ...inCampaign, budgetMillicents: amount ?? 0 } },
      daily_cap: {
        campaign: { ...inCampaign, dailyCapMillicents: amount ?? 0, spentTodayMillicents: spent ?? 0 },
      },
    };
    const limit = cell(row, "Limit");
    const { checks } = explain(campaign({ cpm_bid_cents: 1_250 }), request, { ...rich, ...facts[limit] });
    const check = checks.find((one) => one.rule === limit);
    expect(check?.passed).toBe(cell(row, "Covers one more") === "yes");
    expect(check?.detail).toContain(` has ${cell(row, "Left, cents")} cents left`);
  });
});

describe("docs/matching.md: explanation", () => {
  it.each([
    ["says how far the third candidate is from winning", 0, 0],
    ["says what a higher bid would do", 1, 10],
  ])("%s", (_title, example, moreCents) => {
    const third = contenders.find((one) => one.campaign_id === "Nordic Rope") ?? campaign();
    const own = { ...third, cpm_bid_cents: third.cpm_bid_cents + moreCents };
    const winningRank = index.highest(request, 1, { exclude: [own.campaign_id] })[0]?.rank ?? null;
    const explanation = explain(own, request, { ...rich, winningRank });
    expect(explanation.checks.filter((check) => !check.passed)).toEqual([]);
    expect({
      would_serve: explanation.wouldServe,
      affinity_score: explanation.affinityScore,
      rank: explanation.rank,
      winning_rank: explanation.winningRank,
      bid_to_win_cents: explanation.bidToWinCents,
    }).toEqual(sectionOf(document, "Example: so near").json[example]);
  });

  it("lists every reason code", () => {
    expect(tableIn(document, "Reason codes")).toEqual(
      Object.entries(reasonCodes).map(([rule, { code, meaning }]) => ({
        Code: String(code),
        Rule: rule,
        "Passes when": meaning,
      })),
    );
  });
});
