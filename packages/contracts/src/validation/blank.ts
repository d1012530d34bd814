/** Matches a visible character, neither space nor ignorable. */
export const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u;

/**
 * Whether the text has no visible character: only space, or characters such as a zero-width space
 * (docs/behaviour.md#blank-texts).
 */
export function isBlankText(text: string): boolean {
  const first = text.charCodeAt(0);
  // Printable ASCII: the start of nearly every text.
  if (first > 0x20 && first < 0x7f) return false;
  return !VISIBLE.test(text);
}
