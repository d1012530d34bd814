import type { Static } from "typebox";
import { campaignParts } from "../definition/campaign-parts.ts";
import {
  malformedName,
  missingName,
  notAllowedField,
  ownCampaignOnly,
  publishedSizes,
} from "../definition/common-errors.ts";
import { BLOCKLIST_RULE_TYPES } from "../definition/enumerations.ts";
import { exampleIds } from "../definition/example-ids.ts";
import { answerText, closed, nameText, oneOf, open, timestamp } from "../definition/fields.ts";
import { created, defineFeature, operation, refusal } from "../definition/operation.ts";
import Type from "../definition/type.ts";
import { quoteValue } from "../validation/sentence.ts";
import { validatorWithoutNulls, type WithoutNulls } from "../validation/validator.ts";
import { gameIdCheck } from "./placements.ts";

const ruleType = () =>
  oneOf(
    BLOCKLIST_RULE_TYPES,
    "Where the value is sought: keyword in every text of the scene as whole words, theme, category and action in that field, game_id in the request's.",
  );

export const blocklistRuleCreateSchema = open(
  {
    rule_type: ruleType(),
    value: nameText(
      "The value to block. A keyword has a letter or digit; a game_id is compared exactly, all others without regard to case.",
    ),
  },
  "A new blocklist rule of a campaign.",
);
export type BlocklistRuleCreate = WithoutNulls<Static<typeof blocklistRuleCreateSchema>>;
const checkGameId = gameIdCheck("value of a game_id rule");
/** The body of POST /campaigns/{id}/blocklist. Management checks that a keyword contains a word. */
export const blocklistRuleCreate = validatorWithoutNulls(
  blocklistRuleCreateSchema,
  ({ rule_type, value }) => {
    if (rule_type === "game_id") checkGameId(value);
  },
);

export const blocklistRuleSchema = closed(
  {
    id: answerText("The blocklist rule, blk_…"),
    campaign_id: answerText("The campaign that it belongs to."),
    rule_type: ruleType(),
    value: answerText("The value to block, as it was given."),
    created_at: timestamp("When the rule was created."),
  },
  "A value that excludes scenes which contain it.",
);
export type BlocklistRuleBody = Static<typeof blocklistRuleSchema>;

const blocklistSchema = Type.Array(blocklistRuleSchema, {
  description: "The campaign's blocklist rules in the order of their creation.",
});

/** Maximum rules per campaign. */
export const MAX_BLOCKLIST_RULES = 1_000;
const newRule = { rule_type: "keyword", value: "coffee addiction" };
const rule = {
  id: exampleIds.blocklistRule,
  campaign_id: exampleIds.campaign,
  ...newRule,
  created_at: exampleIds.moment,
};
export const keywordWithoutWord = refusal(
  400,
  "no_word",
  "The keyword could never occur.",
  (value: string) =>
    `value of a keyword rule must contain a letter or a digit, but ${quoteValue(value)} was sent`,
  "!?",
);
export const tooManyBlocklistRules = refusal(
  422,
  "too_many",
  `The campaign has ${MAX_BLOCKLIST_RULES} rules.`,
  `A campaign has at most ${MAX_BLOCKLIST_RULES} blocklist rules: delete one first.`,
);
export const noBlocklistRule = refusal(
  404,
  "no_rule",
  "The campaign has no such rule.",
  "The campaign has no blocklist rule of this id: GET /campaigns/{campaign_id}/blocklist lists those it has.",
);
const common = { group: "management", scope: "advertiser" } as const;
const all = "/campaigns/{campaign_id}/blocklist";

export const blocklistApi = defineFeature({
  tag: "Blocklist",
  description: "Scenes in which a campaign is not shown: those that contain a blocked value.",
  schemas: { BlocklistRule: blocklistRuleSchema, NewBlocklistRule: blocklistRuleCreateSchema },
  operations: {
    create: operation(`POST ${all}`, {
      ...common,
      operationId: "createBlocklistRule",
      summary: "Add a rule to the blocklist of a campaign",
      description: `A campaign has at most ${MAX_BLOCKLIST_RULES} rules.`,
      idempotent: true,
      request: { schema: blocklistRuleCreateSchema, example: newRule },
      success: [created("The new rule.", blocklistRuleSchema, rule)],
      refusals: [
        missingName("value"),
        malformedName("value"),
        keywordWithoutWord,
        ...ownCampaignOnly,
        notAllowedField(
          'rule_type must be one of keyword, theme, category, action, game_id, but "word" was sent',
        ),
        tooManyBlocklistRules,
        ...publishedSizes,
      ],
    }),
    ...campaignParts({
      path: all,
      parameter: "blocklist_rule_id",
      list: {
        operationId: "listBlocklistRules",
        summary: "List the blocklist of a campaign",
        answer: "The rules.",
        schema: blocklistSchema,
        example: rule,
      },
      remove: {
        operationId: "deleteBlocklistRule",
        summary: "Delete a rule of a blocklist",
        answer: "The rule is deleted.",
        missing: noBlocklistRule,
      },
    }),
  },
});
