import type { CompiledCampaign } from "../compiled/compiled-campaign.ts";
import type { PreparedRequest } from "../compiled/prepared-request.ts";
import { blocklistAdmits, compileBlocklist } from "../rules/blocklist.ts";
import { categoriesAdmit } from "../rules/categories.ts";
import { creativesOfTypes } from "../rules/creative-type.ts";
import { compileGeo, geoAdmits } from "../rules/geo.ts";
import { type DateSpan, parseDate } from "../rules/schedule.ts";
import { compileTags, tagsAdmit } from "../rules/tags.ts";
import { comparable } from "../text/equality.ts";
import { occurs, phrase, searchable } from "../text/words.ts";
import type { BlocklistRule, BlocklistRuleType } from "../types/campaign.ts";
import type { GameContext, PlayerGeo } from "../types/request.ts";
import { type Check, type CheckedRule, check } from "./reason-codes.ts";
import { listed, placeName, playerName, quoted } from "./wording.ts";

/** A request in two forms: as sent, for the sentences, and prepared for the rules. */
export interface ExplainedRequest {
  prepared: PreparedRequest;
  context: GameContext;
  geo: PlayerGeo | null;
}

/** Checks rules 1 to 7 separately and in order. agreement.test.ts verifies that they agree with the index. */
export function eligibilityChecks(campaign: CompiledCampaign, request: ExplainedRequest): Check[] {
  return [
    ...campaignChecks(campaign, request.prepared.nowMs),
    ...placementChecks(campaign, request.prepared),
    ...geoChecks(campaign, request),
    ...blocklistChecks(campaign, request),
    ...targetChecks(campaign, request),
  ];
}

function campaignChecks({ source }: CompiledCampaign, nowMs: number): Check[] {
  const now = new Date(nowMs).toISOString();
  const dated = (
    rule: "start_date" | "end_date",
    { holds, yes, no }: { holds: (date: DateSpan) => boolean; yes: string; no: string },
  ) => {
    const text = source[rule];
    if (text === null) return check(rule, true, `The campaign has no ${rule}.`);
    const date = parseDate(text);
    const named = `The campaign's ${rule} ${JSON.stringify(text)}`;
    if (date === undefined) {
      return check(rule, false, `${named} cannot be read as a date, so the campaign does not serve.`);
    }
    const meant = date.firstMs === date.lastMs ? "" : " (the whole day, UTC)";
    const passes = holds(date);
    return check(rule, passes, `${named}${meant} ${passes ? yes : no}; it is now ${now}.`);
  };
  return [
    check("status", source.status === "active", `The campaign is ${source.status}; only active ones serve.`),
    dated("start_date", {
      holds: ({ firstMs }) => firstMs <= nowMs,
      yes: "has come",
      no: "has not come yet",
    }),
    dated("end_date", { holds: ({ lastMs }) => nowMs <= lastMs, yes: "has not passed", no: "has passed" }),
  ];
}

function placementChecks({ source, names }: CompiledCampaign, request: PreparedRequest): Check[] {
  const { isActive, blockedAdvertisers, blockedCategories } = request.placement;
  const affine = source.affinities.filter((one) => one.affinity_type === "category");
  const categories = [...source.target_categories, ...affine.map((one) => one.affinity_value)];
  const blocked = categories.filter((category) => blockedCategories.has(comparable(category)));
  const own = [...new Set(source.creatives.map((creative) => creative.creative_type))];
  const accepted = creativesOfTypes(source.creatives, request.placementTypes);
  return [
    check("placement_active", isActive, `The placement of the game is ${isActive ? "active" : "disabled"}.`),
    check(
      "blocked_advertisers",
      !blockedAdvertisers.has(names.advertiser),
      blockedAdvertisers.has(names.advertiser)
        ? `The placement blocks the advertiser ${source.advertiser_id}.`
        : blockedAdvertisers.size === 0
          ? "The placement blocks no advertisers."
          : `The advertiser ${source.advertiser_id} is not among those that the placement blocks (${blockedAdvertisers.size}).`,
    ),
    check(
      "blocked_categories",
      blocked.length === 0,
      blocked.length === 0
        ? nothingBlocked(categories, blockedCategories.size)
        : `The placement blocks ${quoted(blocked)}, which the campaign targets or is affine to.`,
    ),
    check(
      "placement_types",
      accepted.length > 0,
      `The placement accepts ${listed(request.placementTypes) || "nothing"}; the campaign has ${listed(own) || "no creatives"}.`,
    ),
  ];
}

function nothingBlocked(categories: readonly string[], blockedCategories: number): string {
  if (blockedCategories === 0) return "The placement blocks no categories.";
  if (categories.length === 0) return "The campaign has no categories that the placement could block.";
  return `The campaign's categories (${quoted(categories)}) are not among those that the placement blocks (${blockedCategories}).`;
}

function geoChecks({ source, geo }: CompiledCampaign, { prepared, geo: player }: ExplainedRequest): Check[] {
  const includes = source.geo_targets.filter((target) => target.include);
  const excludes = source.geo_targets.filter((target) => !target.include);
  const named = (targets: typeof includes) => listed(targets.map((target) => placeName(target, player)));
  const readable = excludes.filter((target) => !compileGeo([target]).hasUnreadableExclude);
  const excluding = readable.filter((target) => !geoAdmits(compileGeo([target]), prepared.player));
  const including = includes.filter((target) => geoAdmits(compileGeo([target]), prepared.player));
  const where = playerName(player);
  return [
    check(
      "geo_excludes",
      excluding.length === 0 && !geo.hasUnreadableExclude,
      [
        geo.hasUnreadableExclude
          ? "A place that the campaign excludes lacks what its type requires, so the campaign serves nowhere."
          : "",
        excluding.length > 0
          ? `The campaign excludes ${named(excluding)}; ${where}.`
          : readable.length > 0
            ? `The campaign excludes ${named(readable)}, which does not match; ${where}.`
            : "",
      ]
        .filter((sentence) => sentence !== "")
        .join(" ") || "The campaign excludes no places.",
    ),
    check(
      "geo_includes",
      includes.length === 0 || including.length > 0,
      includes.length === 0
        ? "The campaign includes no places, so it serves everywhere else."
        : including.length > 0
          ? `The campaign includes ${named(including)}; ${where}.`
          : `The campaign includes only ${named(includes)}; ${where}.`,
    ),
  ];
}

const blocklistRules: readonly [BlocklistRuleType, CheckedRule][] = [
  ["keyword", "blocked_keywords"],
  ["theme", "blocked_themes"],
  ["category", "blocked_context_categories"],
  ["action", "blocked_actions"],
  ["game_id", "blocked_games"],
];

function blocklistChecks({ source }: CompiledCampaign, { prepared, context }: ExplainedRequest): Check[] {
  const compared: Record<BlocklistRuleType, string> = {
    keyword: "the texts of the context",
    theme: `theme_id ${JSON.stringify(context.theme_id ?? null)}`,
    category: `category ${JSON.stringify(context.category ?? null)}`,
    action: `the actions (${quoted(context.actions ?? []) || "none"})`,
    game_id: `game_id ${JSON.stringify(prepared.gameId)}`,
  };
  const found = (type: BlocklistRuleType, hits: readonly BlocklistRule[]) =>
    type === "keyword"
      ? listed(
          hits.map(
            ({ value }) => `${JSON.stringify(value)}, found in ${textsWith(value, context).join(", ")}`,
          ),
        )
      : `${quoted(hits.map((one) => one.value))}, found in ${compared[type]}`;
  return blocklistRules.map(([type, rule]) => {
    const own = source.blocklist.filter((one) => one.rule_type === type);
    const hits = own.filter(
      (one) => !blocklistAdmits(compileBlocklist([one]), prepared.context, prepared.gameId),
    );
    const detail =
      hits.length > 0
        ? `The campaign blocks ${found(type, hits)}.`
        : own.length === 0
          ? `The campaign has no blocklist rule of the type ${type}.`
          : `The campaign blocks ${quoted(own.map((one) => one.value))}, not found in ${compared[type]}.`;
    return check(rule, hits.length === 0, detail);
  });
}

/** The fields of the context in which a keyword occurs. */
function textsWith(keyword: string, context: GameContext): string[] {
  const sought = phrase(keyword);
  const fields = ["narrative", "location", "theme_id", "category", "mood_tags", "actions"] as const;
  return fields.filter((field) => [context[field]].flat().some((text) => occurs(sought, searchable(text))));
}

function targetChecks(campaign: CompiledCampaign, { prepared, context }: ExplainedRequest): Check[] {
  const { target_tags: tags, target_categories: categories } = campaign.source;
  const hits = tags.filter((tag) => tagsAdmit(compileTags([tag]), prepared.context));
  const hasCategory = categoriesAdmit(campaign.targetCategories, prepared.context.category);
  const category =
    typeof context.category === "string"
      ? `The category ${JSON.stringify(context.category)}`
      : "A context without a category";
  return [
    check(
      "target_categories",
      hasCategory,
      campaign.targetCategories.size === 0
        ? "The campaign targets no categories, so any will do."
        : hasCategory
          ? `${category} is among the campaign's target categories (${quoted(categories)}).`
          : `${category} is not among the campaign's target categories (${quoted(categories)}).`,
    ),
    check(
      "target_tags",
      tagsAdmit(campaign.targetTags, prepared.context),
      tags.length === 0
        ? "The campaign targets no tags, so any context will do."
        : hits.length > 0
          ? `The context has ${quoted(hits)} of the target tags.`
          : `None of the target tags ${quoted(tags)} occurs in the context.`,
    ),
  ];
}
