const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u;

/** Whether nothing of the text can be seen: it is space, or characters such as a zero-width space (semantics: Texts). */
export function isBlankText(text: string): boolean {
  return !VISIBLE.test(text);
}
