/** A text as the API compares it with another. */
export function comparable(text: string): string {
  return text.normalize("NFKC").trim().toLowerCase();
}
