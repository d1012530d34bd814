import type { IdPrefix } from "@diegetic/contracts";

/** Whether the text can be an identifier of this kind: what else stands in a path names nothing, and is not looked up. */
export function isIdentifier(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[a-z]+_[0-9a-z]{1,60}$/.test(text);
}
