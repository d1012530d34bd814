import type { GameContext } from "../types/request.ts";
import { defineRule } from "./rule.ts";
import { quotedOnce } from "./wording.ts";

/**
 * Rule 6: if the campaign names target_categories, the context's category must be one of them
 * (docs/behaviour.md#rule-6-target-categories). Both must be in comparable form; null: the context has no category.
 */
export function categoriesAdmit(targets: ReadonlySet<string>, contextCategory: string | null): boolean {
  return targets.size === 0 || (contextCategory !== null && targets.has(contextCategory));
}

export const categoriesRule = defineRule(
  {
    target_categories: {
      code: 308,
      meaning: "The category is one of the campaign's targets, if it has any.",
    },
  },
  (
    {
      source,
      targetCategories,
    }: { source: { target_categories: readonly string[] }; targetCategories: ReadonlySet<string> },
    {
      prepared,
      context,
    }: { prepared: { context: { category: string | null } }; context: Pick<GameContext, "category"> },
  ) => {
    const passes = categoriesAdmit(targetCategories, prepared.context.category);
    const targets = quotedOnce(source.target_categories);
    return {
      target_categories: [
        passes,
        targetCategories.size === 0
          ? "The campaign targets no categories, so any will do."
          : prepared.context.category === null
            ? `The context has no category; the campaign targets ${targets}.`
            : `The category ${JSON.stringify(context.category)} is ${passes ? "among" : "not among"} the campaign's target categories (${targets}).`,
      ],
    };
  },
);
