/** Texts for which the fast paths of normalising and of finding words are correct. */
export const onlyAscii = /^[\0-\x7f]*$/;

/** Invisible characters, such as zero-width spaces, soft hyphens and variation selectors; comparison ignores them. */
const invisible = /\p{Default_Ignorable_Code_Point}+/gu;

/**
 * Normalises a text for comparison: NFKC, lower case, without surrounding space and invisible characters. Accents count
 * (docs/behaviour.md#equality-of-texts).
 */
export function comparable(text: string): string {
  const visible = onlyAscii.test(text) ? text : text.replace(invisible, "");
  const form = visible.normalize("NFKC").toLowerCase();
  if (onlyAscii.test(form)) return form.trim();
  // Lower-casing can leave sequences that NFKC composes, and the form of a sigma depends on its successor.
  return form.normalize("NFKC").replaceAll("ς", "σ").trim();
}

/** The comparable form, or null for an absent or blank text. */
export function comparableOrNull(text: string | null | undefined): string | null {
  return (text && comparable(text)) || null;
}

const nothing: ReadonlySet<string> = new Set();

/** The comparable forms of a list without its blank entries. */
export function comparableSet(texts: Iterable<string> | null | undefined): ReadonlySet<string> {
  // Most lists are empty, so they share one set.
  let set: Set<string> | null = null;
  for (const text of texts ?? []) {
    const form = comparable(text);
    if (form === "") continue;
    set ??= new Set();
    set.add(form);
  }
  return set ?? nothing;
}

export function overlap(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  const [few, many] = left.size <= right.size ? [left, right] : [right, left];
  for (const entry of few) if (many.has(entry)) return true;
  return false;
}
