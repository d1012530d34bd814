/** The series of a game's calls. */
export const CALLS = [
  { key: "requests", label: "Requests", role: "other" },
  { key: "matches", label: "Matches", role: "own" },
  { key: "impressions", label: "Impressions", role: "blue" },
] as const;
