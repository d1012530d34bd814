import type { IdPrefix } from "@diegetic/contracts";

/** Whether the text is a valid identifier of this kind; an invalid one is not looked up. */
export function isIdentifier(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[a-z]+_[0-9a-z]{1,60}$/.test(text);
}
