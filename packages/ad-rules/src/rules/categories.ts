/**
 * Rule 6: if the campaign names target_categories, the context's category must be one of them
 * (docs/behaviour.md#rule-6-target-categories). Both must be in comparable form; null: the context has no category.
 */
export function categoriesAdmit(targets: ReadonlySet<string>, contextCategory: string | null): boolean {
  return targets.size === 0 || (contextCategory !== null && targets.has(contextCategory));
}
