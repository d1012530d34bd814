const names = new Intl.DisplayNames("en", { type: "region", fallback: "code" });

/** A country as people call it; null is a player of unknown place. */
export function countryName(code: string | null): string {
  if (code === null) return "Unknown place";
  return /^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code;
}
