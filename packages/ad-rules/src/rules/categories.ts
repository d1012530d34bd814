/**
 * Rule 6: target_categories filter. If any are named, the context's category must be one of them
 * (docs/behaviour.md#rule-6-target-categories). Both in comparable form; null: the context names no category.
 */
export function categoriesAdmit(targets: ReadonlySet<string>, contextCategory: string | null): boolean {
  return targets.size === 0 || (contextCategory !== null && targets.has(contextCategory));
}
