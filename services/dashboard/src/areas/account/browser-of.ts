const BROWSERS: readonly [name: string, pattern: RegExp][] = [
  ["Edge", /Edg\//],
  ["Opera", /OPR\//],
  ["Firefox", /Firefox\//],
  ["Chrome", /(Headless)?Chrome\//],
  ["Safari", /Safari\//],
];
const SYSTEMS: readonly [name: string, pattern: RegExp][] = [
  ["Android", /Android/],
  ["iPhone or iPad", /iPhone|iPad/],
  ["Windows", /Windows/],
  ["macOS", /Mac OS X/],
  ["Linux", /Linux/],
];

/** A user agent as people name it: "Firefox on Linux". */
export function browserOf(userAgent: string | null): string {
  if (userAgent === null) return "Unknown browser";
  const find = (list: readonly [string, RegExp][]) =>
    list.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (browser === undefined) return "Unknown browser";
  return system === undefined ? browser : `${browser} on ${system}`;
}
