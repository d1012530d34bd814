import { describe, expect, it } from "@jest/globals";
import { detailWords, ruleFix, verdictOf } from "./explain-words.ts";

type Check = Parameters<typeof detailWords>[0];

const lineOf = (id: string) => (id === "crt_01kb" ? "A kettle sings." : undefined);

describe("detailWords", () => {
  it.each<[rule: Check["rule"], detail: string, words: string]>([
    [
      "start_date",
      'The campaign\'s start_date "2026-12-01" (the whole day, UTC) has not come yet; it is now 2026-11-26T08:05:00.000Z.',
      "The campaign's first day Dec 1, 2026 (the whole day, UTC) has not come yet; it is now Nov 26, 2026, 8:05 AM UTC.",
    ],
    // Without an offset, and with one of hours only: forms that a browser reads as its own time, or not at all.
    [
      "end_date",
      'The campaign\'s end_date "2026-12-01T10:00" has not passed; it is now 2026-11-26T08:05:00.000Z.',
      "The campaign's last day Dec 1, 2026, 10:00 AM UTC has not passed; it is now Nov 26, 2026, 8:05 AM UTC.",
    ],
    [
      "end_date",
      'The campaign\'s end_date "2026-12-01T10:00:30+02" has not passed; it is now 2026-11-26T08:05:00.000Z.',
      "The campaign's last day Dec 1, 2026, 8:00 AM UTC has not passed; it is now Nov 26, 2026, 8:05 AM UTC.",
    ],
    [
      "start_date",
      'The campaign\'s start_date "2026-12-01 10:00+0200" has not come yet; it is now 2026-11-26T08:05:00.000Z.',
      "The campaign's first day Dec 1, 2026, 8:00 AM UTC has not come yet; it is now Nov 26, 2026, 8:05 AM UTC.",
    ],
    [
      "end_date",
      'The campaign\'s end_date "2026-13-40" cannot be read as a date, so the campaign does not serve.',
      'The campaign\'s last day "2026-13-40" cannot be read as a date, so the campaign does not serve.',
    ],
    ["end_date", "The campaign sets no end_date.", "The campaign sets no last day."],
    [
      "max_uses_per_game",
      '2 of 3 accepted creatives have appearances left: "crt_01kb", "crt_gone".',
      "2 of 3 accepted creatives have appearances left: “A kettle sings.”, a deleted creative.",
    ],
    [
      "max_uses_per_game",
      "All 2 accepted creatives have appeared max_uses_per_game times in this player session.",
      "All 2 accepted creatives have appeared as often as allowed in this player session.",
    ],
    [
      "geo_includes",
      "The campaign includes only country DE. The player's place is given as country FR.",
      "The campaign includes only Germany. The player's place is given as France.",
    ],
    [
      "placement_types",
      "The placement accepts narrative_hook; the campaign has product_mention.",
      "The placement accepts narrative hook; the campaign has product mention.",
    ],
    [
      "blocked_advertisers",
      "The placement blocks the advertiser adv_01kb.",
      "The placement blocks your company.",
    ],
    [
      "balance",
      "The balance has 1980 cents left over and above spent and held; an impression costs 1 cent.",
      "The balance has $19.80 left over and above spent and held; an impression costs $0.01.",
    ],
  ])("of %s reads %s", (rule, detail, words) => {
    expect(detailWords({ rule, detail }, lineOf).replaceAll("\u202f", " ")).toBe(words);
  });

  it("leaves texts of people as they are", () => {
    const values = [
      "50 cent",
      "country DE",
      "2026-12-01",
      "2026-12-01T10:00Z",
      "narrative_hook",
      "theme_id",
      "start_date",
      "crt_01kb",
      'the advertiser adv_1 says "1 cent"',
    ];
    for (const value of values) {
      const quoted = JSON.stringify(value);
      const detail = `The campaign blocks ${quoted}, found in theme_id ${quoted}, mood_tags.`;
      expect(detailWords({ rule: "blocked_keywords", detail }, lineOf)).toBe(
        `The campaign blocks ${quoted}, found in theme ${quoted}, moods.`,
      );
    }
  });
});

describe("ruleFix", () => {
  it("leads to where the rule is changed, if the advertiser can change it", () => {
    expect(ruleFix("geo_includes", "camp_1")?.to).toBe("/campaigns/camp_1/targeting");
    expect(ruleFix("status", "camp_1")?.to).toBe("/campaigns/camp_1");
    expect(ruleFix("balance", "camp_1")?.to).toBe("/money");
    expect(ruleFix("max_ads_per_session", "camp_1")).toBeUndefined();
  });
});

describe("verdictOf", () => {
  const check = (rule: "geo_excludes" | "geo_includes", passed: boolean) => ({
    code: 301,
    rule,
    passed,
    detail: "",
  });
  const answer = {
    campaign_id: "camp_1",
    would_serve: true,
    checks: [check("geo_excludes", true)],
    affinity_score: 0,
    affinity_parts: [],
    rank: 1_000,
    winning_rank: 495,
    bid_to_win_cents: 495,
    summary: "",
    session_counts_as_new: false,
  };

  it("names the rules that fail as the page does", () => {
    const checks = [check("geo_excludes", false), check("geo_includes", false)];
    const failing = { ...answer, would_serve: false, checks, bid_to_win_cents: null };
    expect(verdictOf(failing, 1_000)).toEqual({
      title: "The campaign is not served: 2 rules fail.",
      sentences: ["They are “Places that the campaign excludes” and “Places that the campaign includes”."],
    });
  });

  it("says what a lower bid would do without advising it", () => {
    expect(verdictOf(answer, 1_000).sentences).toEqual([
      "Every rule passes, and its rank of $10.00 is the highest. The best other campaign's rank is $4.95.",
      "In this scene, $4.95 would already tie with the best other campaign.",
    ]);
    expect(verdictOf({ ...answer, winning_rank: 1_005 }, 1_000).sentences).toContain(
      "Every rule passes, and its rank of $10.00 is within 1% of the highest. The best other campaign's rank is $10.05.",
    );
    expect(verdictOf({ ...answer, winning_rank: null, bid_to_win_cents: 100 }, 1_000).sentences).toEqual([
      "Every rule passes, and no other campaign fits this scene.",
    ]);
  });

  it("says that another campaign ranks higher, and when no bid would be enough", () => {
    const outbid = { ...answer, would_serve: false, winning_rank: 2_000, bid_to_win_cents: 2_000 };
    expect(verdictOf(outbid, 1_000).sentences).toEqual([
      "Its rank of $10.00 is more than 1% below the best other campaign's rank of $20.00.",
      "Your own other campaigns count, too.",
    ]);
    expect(verdictOf({ ...outbid, bid_to_win_cents: null }, 1_000).sentences.at(-1)).toBe(
      "No allowed bid that its money covers would be enough.",
    );
  });
});
