import type { AnswerOf } from "../../api/operations.ts";
import { formatCount } from "../../format/format.ts";

export type ApiKey = AnswerOf<"GET /api-keys">[number];
type Scope = ApiKey["scopes"][number];

interface ScopeText {
  value: Scope;
  label: string;
  description: string;
}

/** What a key may be used for, in the words of the page. */
export const SCOPES: readonly ScopeText[] = [
  {
    value: "serving",
    label: "Serving",
    description: "Ask for ads and record impressions. All that a game server needs.",
  },
  {
    value: "developer",
    label: "Developer",
    description: "Change games and read their earnings and traffic.",
  },
  {
    value: "advertiser",
    label: "Advertiser",
    description: "Change campaigns, deposit money and read analytics.",
  },
];

/** The API shows the largest limit for a key that has none. */
const NO_LIMIT = 2_147_483_647;

export function limitText(limit: number | null): string {
  if (limit === null) return "Default";
  if (limit >= NO_LIMIT) return "None";
  return `${formatCount(limit)} a minute`;
}
