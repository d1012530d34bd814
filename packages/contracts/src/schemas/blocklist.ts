import Type, { type Static } from "typebox";
import type { BlocklistRuleType } from "../snapshot.ts";
import { InvalidInput } from "../validation/invalid-input.ts";
import { createValidator, type WithoutNulls } from "../validation/validator.ts";
import { answerText, closed, nameText, oneOf, open, timestamp } from "./fields.ts";
import { gameIdParameter } from "./placement.ts";

export const BLOCKLIST_RULE_TYPES = [
  "keyword",
  "theme",
  "category",
  "action",
  "game_id",
] as const satisfies readonly BlocklistRuleType[];

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
/** The body of POST /campaigns/{id}/blocklist. Management checks that a keyword contains a word. */
export const blocklistRuleCreate = createValidator(blocklistRuleCreateSchema, ({ rule_type, value }) => {
  if (rule_type !== "game_id") return undefined;
  try {
    gameIdParameter(value);
    return undefined;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return new InvalidInput(error.status, error.detail.replace(/^game_id/, "value of a game_id rule"));
  }
});

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

export const blocklistSchema = Type.Array(blocklistRuleSchema, {
  description: "The campaign's blocklist rules in the order of their creation.",
});
