/** Texts for which the quick ways of normalising and of finding words are right. */
export const onlyAscii = /^[\0-\x7f]*$/;

/** What nobody sees, such as a zero-width space, a soft hyphen or a variation selector: no text differs by it. */
const invisible = /\p{Default_Ignorable_Code_Point}+/gu;

/**
 * The form in which two texts are compared: NFKC, lower case, without surrounding space and what is invisible; accents
 * count (docs/behaviour.md#equality-of-texts).
 */
export function comparable(text: string): string {
  const visible = onlyAscii.test(text) ? text : text.replace(invisible, "");
  const form = visible.normalize("NFKC").toLowerCase();
  if (onlyAscii.test(form)) return form.trim();
  // Lower-casing can leave what NFKC would compose, and a sigma depends on what follows it: bring both to one form.
  return form.normalize("NFKC").replaceAll("ς", "σ").trim();
}

/** The comparable form, or null for an absent or blank text. */
export function comparableOrNull(text: string | null | undefined): string | null {
  return (text && comparable(text)) || null;
}

const nothing: ReadonlySet<string> = new Set();

/** The comparable forms of a list without its blank entries. */
export function comparableSet(texts: Iterable<string> | null | undefined): ReadonlySet<string> {
  // Most lists of most campaigns are empty: they share one set.
  let set: Set<string> | null = null;
  for (const text of texts ?? []) {
    const form = comparable(text);
    if (form === "") continue;
    set ??= new Set();
    set.add(form);
  }
  return set ?? nothing;
}

/** Whether the sets have an entry in common. */
export function overlap(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  const [few, many] = left.size <= right.size ? [left, right] : [right, left];
  for (const entry of few) if (many.has(entry)) return true;
  return false;
}
