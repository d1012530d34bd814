/** Of a campaign's name in the API, which counts whole Unicode characters. */
const MAX_NAME_CHARACTERS = 200;
const SUFFIX = " (copy)";

/** The name of a campaign's copy: the original's, shortened where "(copy)" would not fit behind it. */
export function nameOfCopy(name: string): string {
  return `${[...name].slice(0, MAX_NAME_CHARACTERS - SUFFIX.length).join("")}${SUFFIX}`;
}
