import type { SeriesRole } from "../../charts/chart-data.ts";
import { formatList, formatNoun } from "../../format/format.ts";
import { CREATIVE_TYPES } from "../../scene/creative-types.ts";
import { ADVERTISE_PATH } from "../advertise/advertise-path.ts";
import { gamePath } from "./game-path.ts";
import type { Placement } from "./placement.ts";

/** What a reason for no ad means, and what helps. */
export interface Advice {
  label: string;
  means: string;
  /** Where it differs: of a request whose player is new. */
  meansInTest?: string;
  helps: string;
  /** The colour of the reason in every chart. */
  role: SeriesRole;
}

const REASONS: Readonly<Record<string, Advice>> = {
  no_eligible_campaign: {
    label: "No campaign fits",
    means: "Campaigns run, but none fits, or the player has seen what does as often as allowed.",
    meansInTest: "Campaigns run, but none fits this scene in this game.",
    helps: "Send more of the scene and the player's country; accept more types; block fewer categories.",
    role: "own",
  },
  session_cap: {
    label: "Player has seen enough",
    means: "The player has seen as many ads as this game allows in one session.",
    helps: "Raise the ads per session in the settings, if the story bears it.",
    role: "other",
  },
  budget: {
    label: "Budgets used up",
    means: "Campaigns fit, but their money is used up, or held for other matches.",
    helps:
      "Daily caps begin anew at 00:00 UTC. Or too many matches of your account wait for an impression. Record impressions as soon as they are seen.",
    role: "blue",
  },
  placement_disabled: {
    label: "Ads are off",
    means: "The game asks, but its ads are turned off.",
    helps: "Turn ads on.",
    role: "ink",
  },
  no_campaigns: {
    label: "No campaign runs",
    means: "No advertiser has an active campaign.",
    helps: "Nothing in your game. To try it now, run a campaign of your own: one account can do both.",
    role: "green",
  },
};

export const REASON_NAMES: readonly string[] = Object.keys(REASONS);

export function reasonAdvice(reason: string): Advice {
  return (
    REASONS[reason] ?? {
      label: reason.replaceAll("_", " "),
      means: "The service gave this reason.",
      helps: "See the page on integrating.",
      role: "other",
    }
  );
}

/** Something that a developer can do about a reason, and the page for it, if there is one. */
export interface Fix {
  helps: string;
  link?: { label: string; path: string };
}

type GameRules = Pick<
  Placement,
  "is_active" | "placement_types" | "blocked_categories" | "blocked_advertisers"
>;

/**
 * What a developer can do about the reason in a game.
 * @param rules what the game allows; undefined: not known yet
 */
export function reasonFixes(reason: string, game: string, rules: GameRules | undefined): Fix[] {
  const path = gamePath(game);
  const { helps } = reasonAdvice(reason);
  switch (reason) {
    case "placement_disabled":
      return rules?.is_active
        ? [{ helps: "Ads are on again: the next request can get one." }]
        : [{ helps, link: { label: "Open the game to turn ads on", path } }];
    case "session_cap":
      return [{ helps, link: { label: "See ads per session", path: `${path}/settings` } }];
    case "budget":
      return [{ helps, link: { label: "See all reasons for no ad", path: `${path}/reasons` } }];
    case "no_campaigns":
      return [{ helps, link: { label: "Set up a campaign", path: ADVERTISE_PATH } }];
    case "no_eligible_campaign":
      return rules === undefined
        ? [{ helps, link: seeWords(path) }]
        : [...limitsOf(rules, path), { helps: SAY_MORE, link: seeWords(path) }];
    default:
      return [{ helps }];
  }
}

const SAY_MORE = "Send more of the scene, and the player's country.";
const seeWords = (path: string) => ({ label: "See which words fit", path: `${path}/words` });

/** What in the settings of the game keeps campaigns out. */
function limitsOf(rules: GameRules, path: string): Fix[] {
  const { placement_types: types, blocked_categories: categories, blocked_advertisers: advertisers } = rules;
  const refused = CREATIVE_TYPES.filter(({ value }) => !types.includes(value));
  const limits = [
    ...(refused.length === 0
      ? []
      : [
          `This game takes no ${formatList(
            refused.map(({ label }) => label.toLowerCase()),
            "disjunction",
          )}: accept more types of ads.`,
        ]),
    ...(categories.length === 0
      ? []
      : [`It keeps out campaigns for ${formatList(categories)}: block fewer categories.`]),
  ];
  return [
    ...(limits.length === 0
      ? []
      : [{ helps: limits.join(" "), link: { label: "Change the settings", path: `${path}/settings` } }]),
    ...(advertisers.length === 0
      ? []
      : [
          {
            helps: `It blocks ${formatNoun(advertisers.length, "advertiser")}.`,
            link: { label: "See who is blocked", path: `${path}/advertisers` },
          },
        ]),
  ];
}
