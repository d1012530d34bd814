import type { Operation, Refusal, Success } from "../definition/operation.ts";
import { headersOf } from "./headers.ts";
import { documented, type JsonSchema } from "./schemas.ts";

type Responses = Record<string, JsonSchema>;

const errorReference = { $ref: "#/components/schemas/Error" };

interface Example {
  summary: string;
  value: { detail: string };
}

function errorResponse(
  description: string,
  examples: Record<string, Example>,
  names: Parameters<typeof headersOf>[0] = [],
): JsonSchema {
  return {
    description,
    headers: headersOf(names),
    content: { "application/json": { schema: errorReference, examples } },
  };
}

function example(summary: string, detail: string): Example {
  return { summary, value: { detail } };
}

/** Answers that every operation, or every operation with a body, can give. */
export const sharedResponses: Responses = {
  Unauthorized: errorResponse(
    "No valid API key.",
    {
      missing: example(
        "There is no key.",
        "No API key was sent: send the header Authorization: Bearer <API_KEY>.",
      ),
      malformed: example(
        "The header is not of that form.",
        "The Authorization header is malformed: send Authorization: Bearer <API_KEY>.",
      ),
      invalid: example(
        "The key cannot be used.",
        "The API key is unknown, expired or revoked: send a valid one. Create one by POST /api-keys with another key, or ask the operator of the service.",
      ),
    },
    ["WWW-Authenticate"],
  ),
  TooManyRequests: errorResponse(
    "The limit of this minute is used up: wait for `Retry-After` seconds.",
    {
      limited: example(
        "The limit is used up.",
        "Too many requests: at most 100 a minute are allowed. Wait for the seconds that Retry-After names.",
      ),
      limited_account: example(
        "All keys of the account together have used up their limit.",
        "Too many requests: at most 1000 a minute are allowed for all keys of the account together. Wait for the seconds that Retry-After names.",
      ),
    },
    ["Retry-After"],
  ),
  MethodNotAllowed: errorResponse(
    "A method that the path does not have. No operation answers it: it is what all other methods of a path get.",
    {
      other_method: example(
        "The path has other methods.",
        "Method PUT is not allowed here. Allowed: GET, HEAD, PATCH.",
      ),
    },
    ["Allow"],
  ),
  RequestTimeout: errorResponse("The request did not arrive in time; the connection is closed.", {
    too_slow: example(
      "The headers took more than 10 seconds, or the whole request more than 30.",
      "The request took too long to arrive: send it again.",
    ),
  }),
  HeadersTooLarge: errorResponse("The headers are too large; the connection is closed.", {
    too_large: example(
      "The headers have more than 16 KiB in all.",
      "The headers are too large: at most 16384 bytes are allowed, so send fewer or shorter ones.",
    ),
  }),
  BodyTooLarge: errorResponse("The body is larger than 256 KiB.", {
    too_large: example(
      "The body is too large.",
      "The body is too large: at most 262144 bytes (256 KiB) are allowed.",
    ),
  }),
  NotJson: errorResponse("The body is not sent as JSON.", {
    media_type: example(
      "The Content-Type is missing or another one.",
      "The body must be JSON in UTF-8: send Content-Type: application/json.",
    ),
    compressed: example(
      "The body is compressed.",
      "The body must not be compressed: send it without Content-Encoding.",
    ),
  }),
  OtherAccount: errorResponse(
    "The caller is a session, and the account that the request names in the header `Diegetic-Account` is not the one that it acts for. The answer names that one by the same header.",
    {
      other_account: example(
        "The account was switched in another tab, or the user lost access to it.",
        "This page shows another account than the one you act for now. Nothing was changed; reload the page.",
      ),
    },
  ),
  InternalError: errorResponse(
    "An unexpected failure. Retry with growing pauses; where it persists, name the header X-Request-Id of the answer.",
    { failed: example("Something failed.", "Internal error: it has been logged.") },
  ),
  Unavailable: errorResponse(
    "Service temporarily unavailable; retry after `Retry-After` seconds. Where the detail says that the change is stored, it is, and will be in force shortly: sending it again is harmless, but not needed.",
    {
      unavailable: example(
        "A store is unavailable.",
        "Service temporarily unavailable; retry after the given delay.",
      ),
      stored: example(
        "The change is stored, but not every match instance applies it yet.",
        "The change is stored and will be in force shortly: it need not be sent again.",
      ),
    },
    ["Retry-After"],
  ),
};

const reference = (name: string) => ({ $ref: `#/components/responses/${name}` });

const TITLES: Record<Refusal["status"], string> = {
  400: "The request is malformed.",
  401: "The credentials are wrong.",
  403: "The caller may not do this.",
  404: "The requested resource does not exist.",
  409: "The request does not fit the current state.",
  422: "The request is well-formed, but not allowed.",
};

/** Every answer of an operation, by status. */
export function responsesOf(operation: Operation): Responses {
  const responses: Responses = {};
  for (const success of operation.success) responses[success.status] = successResponse(success, operation);
  for (const [status, refusals] of byStatus(refusalsOf(operation))) {
    const examples = refusals.map(({ name, when, detail }) => [name, example(when, detail)]);
    const names = status === 401 ? (["WWW-Authenticate"] as const) : [];
    responses[status] = errorResponse(TITLES[status], Object.fromEntries(examples), names);
  }
  if (operation.caller !== "anyone") {
    responses[401] = reference("Unauthorized");
    responses[409] ??= reference("OtherAccount");
  }
  responses[408] = reference("RequestTimeout");
  responses[429] = reference("TooManyRequests");
  responses[431] = reference("HeadersTooLarge");
  responses[500] = reference("InternalError");
  responses[503] = reference("Unavailable");
  if (operation.request !== undefined) {
    responses[413] = reference("BodyTooLarge");
    responses[415] = reference("NotJson");
  }
  return responses;
}

function successResponse(success: Success, operation: Operation): JsonSchema {
  const names = [...(success.headers ?? []), ...(operation.paged ? (["Link"] as const) : [])];
  const { description, schema, example: value } = success;
  const answer = { description, headers: headersOf(names) };
  if (schema === undefined) return answer;
  const table = { schema: { type: "string", description: "The same as a table." }, example: success.csv };
  return {
    ...answer,
    content: {
      "application/json": { schema: documented(schema), example: value },
      ...(success.csv !== undefined && { "text/csv": table }),
    },
  };
}

/** The operation's own refusals, and those that follow from its scope, body, paging or idempotency. */
function refusalsOf(operation: Operation): Refusal[] {
  const all: Refusal[] = [...accessRefusals(operation), ...operation.refusals];
  if (operation.path.includes("{")) {
    all.push({
      status: 400,
      name: "bad_encoding",
      when: "The path is not validly percent-encoded.",
      detail: "The path is not validly percent-encoded: write a percent sign as %25.",
    });
  }
  if (operation.request !== undefined) {
    all.push({
      status: 400,
      name: "not_json",
      when: "The body is no JSON object.",
      detail: "The body is not valid JSON in UTF-8: send a JSON object.",
    });
  }
  if (operation.paged) all.push(...PAGING_REFUSALS);
  if (operation.idempotent) all.push(...RETRY_REFUSALS);
  return all;
}

/** Refusals that depend on the caller. */
function accessRefusals(operation: Operation): Refusal[] {
  if (operation.caller === "anyone") return [CROSS_SITE];
  if (operation.caller === "session") {
    return operation.method === "GET" ? [KEY_USED] : [KEY_USED, CROSS_SITE];
  }
  const scopes = [operation.scope]
    .flat()
    .map((scope) => `"${scope}"`)
    .join(" or ");
  return [
    {
      status: 403,
      name: "scope",
      when: "The key may not be used for this.",
      detail: `This API key lacks the scope ${scopes}: use one that has it. Create one by POST /api-keys with a key that has the scope, or ask the operator of the service.`,
    },
  ];
}

const KEY_USED: Refusal = {
  status: 403,
  name: "api_key",
  when: "The caller is an API key.",
  detail: "An API key cannot do this: sign in on the dashboard.",
};
const CROSS_SITE: Refusal = {
  status: 403,
  name: "cross_site",
  when: "The request does not come from a page of the service.",
  detail:
    "A signed-in browser can change something only from the dashboard's own pages: open the dashboard at the address of the service, or use an API key.",
};

const PAGING_REFUSALS: readonly Refusal[] = [
  {
    status: 400,
    name: "bad_cursor",
    when: "The cursor is not one of this list.",
    detail:
      "cursor must be one that a Link header of this list named: leave it out to begin at the first page",
  },
  {
    status: 422,
    name: "limit",
    when: "The limit is out of range.",
    detail: 'limit must be a whole number from 1 to 500, but "0" was sent',
  },
];

const RETRY_REFUSALS: readonly Refusal[] = [
  {
    status: 409,
    name: "key_reused",
    when: "The Idempotency-Key came with another body before.",
    detail: "This Idempotency-Key was used with another body: take a new key for a new request.",
  },
  {
    status: 400,
    name: "key_empty",
    when: "The Idempotency-Key is empty.",
    detail: "Idempotency-Key is empty: send 1 to 255 characters, or leave the header out.",
  },
  {
    status: 422,
    name: "key_too_long",
    when: "The Idempotency-Key is too long.",
    detail: "Idempotency-Key has 300 characters: at most 255 are allowed, so send a shorter one.",
  },
];

function byStatus(refusals: readonly Refusal[]): Map<Refusal["status"], Refusal[]> {
  const groups = new Map<Refusal["status"], Refusal[]>();
  for (const refusal of refusals) {
    groups.set(refusal.status, [...(groups.get(refusal.status) ?? []), refusal]);
  }
  return groups;
}
