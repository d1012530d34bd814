import type { PreparedContext } from "../context/prepared-context.ts";
import { comparable } from "../text/equality.ts";
import { occurs, type Phrase, phrase } from "../text/words.ts";
import { defineRule } from "./rule.ts";
import { quotedOnce } from "./wording.ts";

/** A tag in two forms: for comparing, and for searching the narrative. */
export interface Tag {
  value: string;
  phrase: Phrase | null;
}

/** Normalises the tags once, for all requests. */
export function compileTags(tags: readonly string[]): Tag[] {
  return tags.map((tag) => ({ value: comparable(tag), phrase: phrase(tag) }));
}

/**
 * Rule 7: if the campaign names target_tags, at least one must equal theme_id, category, location, a mood tag or an
 * action, or occur as whole words in the narrative (docs/behaviour.md#rule-7-target-tags).
 */
export function tagsAdmit(tags: readonly Tag[], context: PreparedContext): boolean {
  return (
    tags.length === 0 ||
    tags.some((tag) => context.terms.has(tag.value) || occurs(tag.phrase, context.narrative))
  );
}

export const tagsRule = defineRule(
  {
    target_tags: {
      code: 309,
      meaning: "One of the campaign's target tags occurs in the context, if it has any.",
    },
  },
  (
    { source, targetTags }: { source: { target_tags: readonly string[] }; targetTags: readonly Tag[] },
    { prepared: { context } }: { prepared: { context: PreparedContext } },
  ) => {
    const tags = source.target_tags;
    const hits = tags.filter((tag) => tagsAdmit(compileTags([tag]), context));
    return {
      target_tags: [
        tagsAdmit(targetTags, context),
        tags.length === 0
          ? "The campaign targets no tags, so any context will do."
          : hits.length > 0
            ? `The context has ${quotedOnce(hits)} of the target tags.`
            : `None of the target tags ${quotedOnce(tags)} equals the theme, category, location, a mood or an action, or occurs in the narrative.`,
      ],
    };
  },
);
