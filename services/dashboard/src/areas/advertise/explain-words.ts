import type { AnswerOf } from "../../api/operations.ts";
import { countryName } from "../../format/countries.ts";
import {
  formatCents,
  formatDayWithYear,
  formatList,
  formatTerm,
  formatUtcMoment,
  withMoney,
} from "../../format/format.ts";
import { CREATIVE_TYPES } from "../../scene/creative-types.ts";
import { flightDays, momentOfDate } from "./flight.ts";

export type Explanation = AnswerOf<"POST /campaigns/{campaign_id}/explain">;
export type Check = Explanation["checks"][number];
type Rule = Check["rule"];

/** Rules whose names alone do not say whose they are. */
const LABELS: Readonly<Partial<Record<Rule, string>>> = {
  start_date: "First day",
  end_date: "Last day",
  placement_active: "The game takes ads",
  blocked_advertisers: "Advertisers that the game blocks",
  blocked_categories: "Categories that the game blocks",
  placement_types: "Types of creative that the game takes",
  geo_excludes: "Places that the campaign excludes",
  geo_includes: "Places that the campaign includes",
  blocked_keywords: "Keywords that the campaign blocks",
  blocked_themes: "Themes that the campaign blocks",
  blocked_context_categories: "Categories that the campaign blocks",
  blocked_actions: "Actions that the campaign blocks",
  blocked_games: "Games that the campaign blocks",
  max_ads_per_session: "Ads of one player session",
  max_uses_per_game: "Uses of a creative in one player session",
};

/** What a check of an explanation is called. */
export function ruleLabel(rule: Rule): string {
  return LABELS[rule] ?? formatTerm(rule);
}

interface RuleFix {
  label: string;
  /** Below the campaign's address, or an address of its own. */
  to: string;
}

const PLACES: RuleFix = { label: "Change the places", to: "targeting" };
const BLOCKLIST: RuleFix = { label: "Change what is blocked", to: "targeting" };

/** Where an advertiser changes what a rule compares; undefined where the game's developer decides. */
const FIXES: Readonly<Record<Rule, RuleFix | undefined>> = {
  status: { label: "Activate the campaign", to: "" },
  start_date: { label: "Change the dates", to: "settings" },
  end_date: { label: "Change the dates", to: "settings" },
  placement_active: undefined,
  blocked_advertisers: undefined,
  blocked_categories: { label: "Change the categories", to: "settings" },
  placement_types: { label: "Write a creative", to: "creatives/new" },
  geo_excludes: PLACES,
  geo_includes: PLACES,
  blocked_keywords: BLOCKLIST,
  blocked_themes: BLOCKLIST,
  blocked_context_categories: BLOCKLIST,
  blocked_actions: BLOCKLIST,
  blocked_games: BLOCKLIST,
  target_categories: { label: "Change the categories", to: "settings" },
  target_tags: { label: "Change the tags", to: "settings" },
  balance: { label: "Deposit", to: "/money" },
  budget: { label: "Raise the budget", to: "settings" },
  daily_cap: { label: "Raise the daily cap", to: "settings" },
  max_ads_per_session: undefined,
  max_uses_per_game: { label: "Change the creatives", to: "lines" },
};

export function ruleFix(rule: Rule, campaignId: string): RuleFix | undefined {
  const fix = FIXES[rule];
  if (fix === undefined || fix.to.startsWith("/")) return fix;
  return { ...fix, to: `/campaigns/${campaignId}${fix.to && `/${fix.to}`}` };
}

/** A date as a day, or as the moment that the matching reads in it; undefined: it is none. */
function dateWords(date: string): string | undefined {
  const moment = momentOfDate(date);
  if (moment !== undefined) return formatUtcMoment(moment);
  const { first } = flightDays({ start_date: date, end_date: null });
  return first && formatDayWithYear(first);
}

type LineOf = (creativeId: string) => string | undefined;

/** Matches from every quote on, so that its time is linear. */
const QUOTED = /("(?:[^"\\]|\\[\s\S]?)*"?)/;

/**
 * What a check compared, in the words of the pages: the API names fields, ids and dates as programs read them. Texts of
 * people are quoted and stay as they are.
 * @param lineOf the line of a creative; undefined: deleted
 */
export function detailWords({ rule, detail }: Pick<Check, "rule" | "detail">, lineOf: LineOf): string {
  // Every second part is a quoted value.
  const parts = detail.split(QUOTED);
  return parts
    .map((part, index) => (index % 2 === 0 ? plainWords(part) : quotedWords(rule, part, lineOf)))
    .join("");
}

/** The dates of a campaign and the ids of its creatives are quoted as well. */
function quotedWords(rule: Rule, quoted: string, lineOf: LineOf): string {
  switch (rule) {
    case "start_date":
    case "end_date":
      return dateWords(JSON.parse(quoted) as string) ?? quoted;
    case "max_uses_per_game": {
      const line = lineOf(JSON.parse(quoted) as string);
      return line === undefined ? "a deleted creative" : `“${line}”`;
    }
    default:
      return quoted;
  }
}

const ISO_MOMENT = /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g;

function plainWords(text: string): string {
  return withMoney(text)
    .replaceAll(/\bcountry ([A-Z]{2})\b/g, (_all, code: string) => countryName(code))
    .replaceAll(ISO_MOMENT, formatUtcMoment)
    .replaceAll(
      /\b(t)he advertiser adv_\w+/gi,
      (_all, first: string) => `${first === "T" ? "Y" : "y"}our company`,
    )
    .replace("max_uses_per_game times", "as often as allowed")
    .replaceAll(/\b[a-z]+_[a-z]+\b/g, (term) =>
      CREATIVE_TYPES.some(({ value }) => value === term) ? formatTerm(term).toLowerCase() : term,
    )
    .replaceAll("start_date", "first day")
    .replaceAll("end_date", "last day")
    .replaceAll("theme_id", "theme")
    .replaceAll("game_id", "game")
    .replaceAll("mood_tags", "moods");
}

/** Why the campaign is or is not served, and what another bid would do. */
export function verdictOf(answer: Explanation, bidCents: number): { title: string; sentences: string[] } {
  const { checks, rank, winning_rank: best, bid_to_win_cents: bidToWin } = answer;
  const failed = checks.filter(({ passed }) => !passed);
  const isLower = bidToWin !== null && bidToWin < bidCents;
  if (answer.would_serve) {
    const sentences =
      best === null
        ? ["Every rule passes, and no other campaign fits this scene."]
        : [
            `Every rule passes, and its rank of ${formatCents(rank)} is ${rank > best ? "the highest" : "within 1% of the highest"}. The best other campaign's rank is ${formatCents(best)}.`,
          ];
    if (isLower && best !== null) {
      sentences.push(
        `In this scene, ${formatCents(bidToWin)} would already tie with the best other campaign.`,
      );
    }
    return { title: "The campaign would be served in this scene.", sentences };
  }
  if (failed.length > 0) {
    const rules = failed.length === 1 ? "one rule fails" : `${failed.length} rules fail`;
    const names = formatList(failed.map(({ rule }) => `“${ruleLabel(rule)}”`));
    return {
      title: `The campaign is not served: ${rules}.`,
      sentences: [
        `${failed.length === 1 ? "It is" : "They are"} ${names}.`,
        ...(isLower ? [`In this scene, what is left would pay for a bid of ${formatCents(bidToWin)}.`] : []),
      ],
    };
  }
  return {
    title: "Every rule passes, but another campaign ranks higher.",
    sentences: [
      `Its rank of ${formatCents(rank)} is more than 1% below the best other campaign's rank of ${formatCents(best ?? 0)}.`,
      // Who raises a bid above an own campaign pays more for the same scenes.
      "Your own other campaigns count, too.",
      ...(bidToWin === null ? ["No allowed bid that its money covers would be enough."] : []),
    ],
  };
}
