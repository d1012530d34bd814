import { NO_MATCH_REASONS } from "../definition/enumerations.ts";

interface HeaderObject {
  description: string;
  required: boolean;
  schema: object;
  example: unknown;
}

const rateLimitHeaders = {
  "X-RateLimit-Limit": {
    description: "Requests per minute that the key has in this endpoint group; 2147483647: no limit.",
    required: true,
    schema: { type: "integer", minimum: 1, maximum: 2_147_483_647 },
    example: 100,
  },
  "X-RateLimit-Remaining": {
    description: "Requests left in the current minute; 2147483647: no limit.",
    required: true,
    schema: { type: "integer", minimum: 0, maximum: 2_147_483_647 },
    example: 99,
  },
  "X-RateLimit-Reset": {
    description: "Unix time in seconds at which the next minute of the limit begins.",
    required: true,
    schema: { type: "integer", minimum: 0 },
    example: 1_796_117_460,
  },
} satisfies Record<string, HeaderObject>;

const singleHeaders = {
  Link: {
    description:
      'Addition. Where the next page is: `</api/campaigns?limit=50&cursor=camp_…>; rel="next"`. Absent on the last page.',
    required: false,
    schema: { type: "string", pattern: '^<[^>]+>; rel="next"$' },
    example: '</api/campaigns?limit=50&cursor=camp_01kbgy4h0m2d6p8q3r5t7v9wxy>; rel="next"',
  },
  "Idempotency-Replayed": {
    description:
      "Addition. Present when this is the stored answer of an earlier request with the same `Idempotency-Key`.",
    required: false,
    schema: { type: "string", const: "true" },
    example: "true",
  },
  "X-No-Match-Reason": {
    description:
      "Why no ad was matched: the placement is disabled, no campaign is active at all, the player session has had its ads, money of those that fit is used up, or none fits.",
    required: true,
    schema: { type: "string", enum: NO_MATCH_REASONS },
    example: "no_eligible_campaign",
  },
  "Set-Cookie": {
    description:
      "The session's cookie, `HttpOnly` and `SameSite=Strict`; or an expired one, by which the browser forgets it.",
    required: true,
    schema: { type: "string" },
    example: "diegetic_session=…; Max-Age=1209600; Path=/; HttpOnly; SameSite=Strict",
  },
  Allow: {
    description: "The methods of the path.",
    required: true,
    schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" },
    example: "GET, HEAD, PATCH",
  },
  "WWW-Authenticate": {
    description: "How to authenticate.",
    required: true,
    schema: { type: "string", const: "Bearer" },
    example: "Bearer",
  },
  "Retry-After": {
    description: "Seconds to wait before the next attempt.",
    required: true,
    schema: { type: "integer", minimum: 1, maximum: 60 },
    example: 12,
  },
} satisfies Record<string, HeaderObject>;

export const headers: Readonly<Record<string, HeaderObject>> = { ...rateLimitHeaders, ...singleHeaders };

/** The `headers` of an answer: the rate-limit headers, and those named. */
export function headersOf(names: readonly (keyof typeof singleHeaders)[]) {
  const all = [...Object.keys(rateLimitHeaders), ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
