import { blocklistRuleCreateSchema, blocklistRuleSchema, blocklistSchema } from "../schemas/blocklist.ts";
import {
  campaignTooLarge,
  malformedField,
  missingField,
  notAllowedField,
  ownCampaignOnly,
} from "./common-refusals.ts";
import { exampleIds } from "./example-ids.ts";
import { defineFeature, refusal } from "./operation.ts";

const newRule = { rule_type: "keyword", value: "coffee addiction" };
const rule = {
  id: exampleIds.blocklistRule,
  campaign_id: exampleIds.campaign,
  ...newRule,
  created_at: exampleIds.moment,
};
const common = { group: "management", scope: "advertiser" } as const;
const all = "/campaigns/{campaign_id}/blocklist";

export const blocklistApi = defineFeature({
  tag: "Blocklist",
  description: "Scenes in which a campaign is not shown: those that contain a blocked value.",
  schemas: { BlocklistRule: blocklistRuleSchema, NewBlocklistRule: blocklistRuleCreateSchema },
  operations: {
    create: {
      ...common,
      operationId: "createBlocklistRule",
      method: "POST",
      path: all,
      summary: "Add a rule to the blocklist of a campaign",
      description: "A campaign has at most 1000 rules.",
      idempotent: true,
      request: { schema: blocklistRuleCreateSchema, example: newRule },
      success: [{ status: 201, description: "The new rule.", schema: blocklistRuleSchema, example: rule }],
      refusals: [
        missingField("value is required: it must be text of at most 200 characters that is not blank"),
        malformedField("value must be text of at most 200 characters that is not blank, but 7 was sent"),
        refusal(
          400,
          "no_word",
          "The keyword could never occur.",
          'value of a keyword rule must contain a letter or a digit, but "!?" was sent',
        ),
        ...ownCampaignOnly,
        notAllowedField(
          'rule_type must be one of keyword, theme, category, action, game_id, but "word" was sent',
        ),
        refusal(
          422,
          "too_many",
          "The campaign has 1000 rules.",
          "A campaign has at most 1000 blocklist rules: delete one first.",
        ),
        ...campaignTooLarge,
      ],
    },
    list: {
      ...common,
      operationId: "listBlocklistRules",
      method: "GET",
      path: all,
      summary: "List the blocklist of a campaign",
      description: "In the order of their creation.",
      paged: true,
      success: [{ status: 200, description: "The rules.", schema: blocklistSchema, example: [rule] }],
      refusals: ownCampaignOnly,
    },
    remove: {
      ...common,
      operationId: "deleteBlocklistRule",
      method: "DELETE",
      path: `${all}/{blocklist_rule_id}`,
      summary: "Delete a rule of a blocklist",
      description: "Matches after the answer ignore it.",
      success: [{ status: 204, description: "The rule is deleted." }],
      refusals: [
        ...ownCampaignOnly,
        refusal(
          404,
          "no_rule",
          "The campaign has no such rule.",
          "The campaign has no blocklist rule of this id: GET /campaigns/{campaign_id}/blocklist lists those it has.",
        ),
      ],
    },
  },
});
