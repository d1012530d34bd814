import { type ImpressionRecord, MAX_MATCH_AGE_MS } from "@diegetic/contracts";
import { DAY_MS } from "@diegetic/database";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { recordIn } from "../testing/market.fixture.ts";
import { billImpression, ClocksDisagree, decimalOfMillionths, RecordRefused } from "./billed-impression.ts";
import { groupsOf } from "./groups.ts";
import { countNewUsers } from "./reached-users.ts";
import { sumUp } from "./rollup-deltas.ts";

const NOW_MS = Date.UTC(2026, 10, 21);
const market = {
  campaigns: [
    {
      advertiserId: "adv_1",
      campaignId: "camp_1",
      creativeIds: ["crt_1", "crt_2"] as [string, string],
      affinityIds: ["aff_1", "aff_2"] as [string, string],
    },
  ],
  games: [{ gameId: "game", accountId: "acct_1" }],
};

describe("billImpression", () => {
  it("decides the UTC day by the millisecond", () => {
    const at = (recordedAtMs: number) => billImpression(recordIn(market, { recordedAtMs }), NOW_MS).day;
    expect(at(NOW_MS - 1)).toBe("2026-11-20");
    expect(at(NOW_MS)).toBe("2026-11-21");
  });

  it("looks for the impression in the next day as well once that may have begun", () => {
    const recordedAtMs = NOW_MS - 1;
    const at = (nowMs: number) => billImpression(recordIn(market, { recordedAtMs }), nowMs).otherDays;
    expect(at(NOW_MS)).toEqual(["2026-11-21"]);
    expect(at(recordedAtMs - 3_600_000)).toEqual(["2026-11-21"]);
    const atNoon = recordIn(market, { recordedAtMs: NOW_MS - DAY_MS / 2 });
    expect(billImpression(atNoon, NOW_MS - DAY_MS / 2).otherDays).toEqual([]);
  });

  it("looks for the impression in the day before, too, when its match was made right after midnight", () => {
    const record = recordIn(market, { recordedAtMs: NOW_MS + 3_000 });
    record.match.matched_at_ms = NOW_MS + 500;
    expect(billImpression(record, NOW_MS + 4_000).otherDays).toEqual(["2026-11-20"]);
  });

  it("looks for the impression in every day since the match, and in later days until now", () => {
    const recordedAtMs = NOW_MS + DAY_MS / 2;
    const record = recordIn(market, { recordedAtMs });
    record.match.matched_at_ms = NOW_MS - 2.5 * DAY_MS;
    expect(billImpression(record, recordedAtMs).otherDays).toEqual([
      "2026-11-18",
      "2026-11-19",
      "2026-11-20",
    ]);
    record.match.matched_at_ms = recordedAtMs;
    expect(billImpression(record, recordedAtMs + 2 * DAY_MS).otherDays).toEqual(["2026-11-22", "2026-11-23"]);
    expect(billImpression(record, recordedAtMs + 30 * DAY_MS).otherDays.at(-1)).toBe("2026-11-28");
  });

  it("works out the earning of the record's price and share", () => {
    const record = recordIn(market, { recordedAtMs: NOW_MS, priceMillicents: 255, basisPoints: 3_333 });
    // 255 000 microcents × 33.33 % = 84 991.5: half to even.
    expect(billImpression(record, NOW_MS).earningMicrocents).toBe(84_992n);
  });

  it("counts an affinity once per impression, and only where it contributed", () => {
    const contributions = [0.1, 0, 0.2].map((contribution, i) => ({ affinity: i % 2, contribution }));
    const record = recordIn(market, { recordedAtMs: NOW_MS, contributions });
    expect(billImpression(record, NOW_MS).contributionMillionths).toEqual(new Map([["aff_1", 300_000]]));
  });

  it.each<[string, (record: ImpressionRecord) => unknown]>([
    ["a missing match", (record) => Object.assign(record, { match: null })],
    ["an empty id", (record) => Object.assign(record.match, { campaign_id: "" })],
    ["an id that is no text", (record) => Object.assign(record, { creative_id: 5 })],
    ["a place that is no country", (record) => Object.assign(record.match, { country_code: "de" })],
    ["a fractional price", (record) => Object.assign(record.match, { price_millicents: 0.5 })],
    ["a price of nothing", (record) => Object.assign(record.match, { price_millicents: 0 })],
    [
      "a share above the whole",
      (record) => Object.assign(record.match, { revenue_share_basis_points: 10_001 }),
    ],
    ["a score that is no number", (record) => Object.assign(record.match, { affinity_score: Number.NaN })],
    ["a time that is no number", (record) => Object.assign(record, { recorded_at_ms: null })],
    ["a time before 1970", (record) => Object.assign(record, { recorded_at_ms: -1 })],
    ["a match's time that is no number", (record) => Object.assign(record.match, { matched_at_ms: "1" })],
    ["a version that is no number", (record) => Object.assign(record.match, { campaign_version: "1" })],
    ["affinities that are no list", (record) => Object.assign(record.match, { affinities: null })],
    ["an affinity that is nothing", (record) => Object.assign(record.match, { affinities: [null] })],
    [
      "an affinity without an id",
      (record) => Object.assign(record.match, { affinities: [{ contribution: 1 }] }),
    ],
    [
      "a contribution that is no number",
      (record) => Object.assign(record.match, { affinities: [{ affinity_id: "aff_1", contribution: "1" }] }),
    ],
    [
      "more affinities than a campaign has",
      (record) =>
        Object.assign(record.match, {
          affinities: Array.from({ length: 101 }, () => ({ affinity_id: "aff_1", contribution: 1 })),
        }),
    ],
  ])("refuses %s", (_name, spoil) => {
    const record = recordIn(market, { recordedAtMs: NOW_MS });
    spoil(record);
    expect(() => billImpression(record, NOW_MS)).toThrow(RecordRefused);
  });
});

describe("clocks", () => {
  it.each([0, NOW_MS + 3 * DAY_MS])(
    "of Redis and billing that disagree make a record wait: %i",
    (recordedAtMs) => {
      expect(() => billImpression(recordIn(market, { recordedAtMs }), NOW_MS)).toThrow(ClocksDisagree);
    },
  );

  it.each([
    ["ahead by days", NOW_MS + 3 * DAY_MS, NOW_MS],
    ["of 1970", 5, NOW_MS - MAX_MATCH_AGE_MS],
    ["five days late", NOW_MS - 5 * DAY_MS, NOW_MS - 5 * DAY_MS],
    ["a little late", NOW_MS - 7, NOW_MS - 7],
  ])("of a match instance never refuse an impression: %s", (_name, matchedAtMs, expected) => {
    const record = recordIn(market, { recordedAtMs: NOW_MS });
    record.match.matched_at_ms = matchedAtMs;
    expect(billImpression(record, NOW_MS).matchedAtMs).toBe(expected);
  });
});

describe("decimalOfMillionths", () => {
  it("writes every amount exactly", () => {
    fc.assert(
      fc.property(fc.nat(Number.MAX_SAFE_INTEGER), (millionths) => {
        expect(BigInt(decimalOfMillionths(millionths).replace(".", ""))).toBe(BigInt(millionths));
      }),
    );
    expect(decimalOfMillionths(5)).toBe("0.000005");
  });
});

describe("sumUp", () => {
  it("sums each table by its own key", () => {
    const impressions = [
      { user: 1, countryCode: "DE" },
      { user: 1, countryCode: null },
      { user: 2, countryCode: "DE", creative: 1 },
    ].map((choice) => billImpression(recordIn(market, { ...choice, recordedAtMs: NOW_MS }), NOW_MS));
    const groups = groupsOf(impressions);
    const deltas = sumUp(impressions, groups);
    const sum = {
      impressions: 3,
      spentMillicents: 750,
      earningMicrocents: 525_000,
      affinityScoreMillionths: 3_750_000,
    };
    expect(deltas.advertisers).toEqual([{ ...sum, first: impressions[0] }]);
    expect(deltas.campaigns).toMatchObject([sum]);
    expect(deltas.creatives).toMatchObject([
      { impressions: 2, first: { record: { creative_id: "crt_1" } } },
      { impressions: 1, first: { record: { creative_id: "crt_2" } } },
    ]);
    expect(deltas.countries).toMatchObject([
      { impressions: 1, first: { record: { match: { country_code: null } } } },
      { impressions: 2, first: { record: { match: { country_code: "DE" } } } },
    ]);
    // Nobody is known, then the player of the first row is known, but not by that country.
    const unknown = countNewUsers(groups, []);
    expect(unknown).toEqual({
      campaigns: Int32Array.of(2),
      campaignRollups: Int32Array.of(2),
      creatives: Int32Array.of(1, 1),
      countries: Int32Array.of(1, 2),
    });
    const ordinal = (groups.reach.codes[0] ?? 0) + 1;
    const partly = countNewUsers(groups, [{ ordinal, day: true, creative: true, country: false }]);
    expect(partly.countries).toEqual(Int32Array.of(1, 2));
    expect(deltas.affinities).toEqual([
      { id: "aff_1", campaignId: "camp_1", impressions: 3, contributionSum: "3.750000" },
    ]);
    for (const table of [
      "campaignVersions",
      "campaignRollups",
      "campaignGames",
      "gameAdvertisers",
      "gameTotals",
      "gameRollups",
      "charges",
    ] as const) {
      expect(deltas[table]).toMatchObject([sum]);
    }
  });
});
