import {
  badCursor,
  badEncoding,
  bodyTooLarge,
  compressedBody,
  countsAsTooMany,
  crossSite,
  idempotencyKeyEmpty,
  idempotencyKeyReused,
  idempotencyKeyTooLong,
  invalidKey,
  limitOutOfRange,
  malformedKey,
  nestedTooDeeply,
  noBody,
  noKeySent,
  notJson,
  notSentAsJson,
  otherAccount,
  scopeMissing,
  sessionOnly,
  unknownHost,
} from "../definition/common-errors.ts";
import type { Operation, Refusal, Success } from "../definition/operation.ts";
import {
  headersTooLargeSentence,
  INTERNAL_ERROR_SENTENCE,
  NOT_HTTP_SENTENCE,
  OF_ACCOUNT,
  OF_MATCHES_OF_GAME,
  otherMethodSentence,
  STORED_SENTENCE,
  TOO_MANY_NOT_HTTP_SENTENCE,
  TOO_SLOW_SENTENCE,
  tooManyRequestsSentence,
  UNAVAILABLE_SENTENCE,
  WITHOUT_HOST_SENTENCE,
} from "../definition/shared-sentences.ts";
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

function examplesOf(refusals: readonly Refusal[]): Record<string, Example> {
  return Object.fromEntries(refusals.map(({ name, when, detail }) => [name, example(when, detail)]));
}

/** Answers of every operation that knows its caller. */
const ofCallers = [
  { status: 401, name: "Unauthorized", refusals: [noKeySent, malformedKey, invalidKey] },
  { status: 409, name: "OtherAccount", refusals: [otherAccount] },
] as const;

/** Answers that every operation, or every operation with a body, can give. */
export const sharedResponses: Responses = {
  Unauthorized: errorResponse("No valid API key.", examplesOf(ofCallers[0].refusals), ["WWW-Authenticate"]),
  TooManyRequests: errorResponse(
    "The limit of this minute is used up: wait for `Retry-After` seconds.",
    {
      limited: example("The limit is used up.", tooManyRequestsSentence(100)),
      limited_account: example(
        "All keys of the account together have used up their limit.",
        tooManyRequestsSentence(1_000, OF_ACCOUNT),
      ),
      limited_game: example(
        "All matches, or all impressions, of a game together have used up the limit that the operator set.",
        tooManyRequestsSentence(1_000, OF_MATCHES_OF_GAME),
      ),
      limited_not_http: example(
        "The client address has sent more than 100 requests in a minute that are not valid HTTP.",
        TOO_MANY_NOT_HTTP_SENTENCE,
      ),
    },
    ["Retry-After"],
  ),
  MethodNotAllowed: errorResponse(
    "A method that the path does not have. No operation answers it: it is what all other methods of a path get.",
    {
      other_method: example("The path has other methods.", otherMethodSentence("PUT", "GET, HEAD, PATCH")),
    },
    ["Allow"],
  ),
  NotHttp: errorResponse(
    "What is not valid HTTP. No operation answers it, whatever the path is; the connection is closed.",
    {
      not_http: example(
        "The request line, a header or the length is malformed, or the body was cut off.",
        NOT_HTTP_SENTENCE,
      ),
      no_host: example("The header `Host` is missing.", WITHOUT_HOST_SENTENCE),
    },
  ),
  RequestTimeout: errorResponse("The request did not arrive in time; the connection is closed.", {
    too_slow: example(
      "The headers took more than 10 seconds, or the whole request more than 30.",
      TOO_SLOW_SENTENCE,
    ),
  }),
  HeadersTooLarge: errorResponse("The headers are too large; the connection is closed.", {
    too_large: example("The headers have more than 16 KiB in all.", headersTooLargeSentence(16_384)),
  }),
  BodyTooLarge: errorResponse("The body is larger than 256 KiB.", examplesOf([bodyTooLarge])),
  NotJson: errorResponse("The body is not sent as JSON.", examplesOf([notSentAsJson, compressedBody])),
  OtherAccount: errorResponse(
    "The caller is a session, and the account that the request names in the header `Diegetic-Account` is not the one that it acts for. The answer names that one by the same header.",
    examplesOf(ofCallers[1].refusals),
  ),
  InternalError: errorResponse(
    "An unexpected failure. Retry with growing pauses; where it persists, name the header X-Request-Id of the answer.",
    { failed: example("Something failed.", INTERNAL_ERROR_SENTENCE) },
  ),
  Unavailable: errorResponse(
    "Service temporarily unavailable; retry after `Retry-After` seconds. Where the detail says that the change is stored, it is, and will be in force shortly: it need not be sent again. Repeat a `POST` that creates with the same `Idempotency-Key`, or it may create twice; repeating any other request is harmless, but is refused where the first one took effect and there is nothing left to do: a deletion with 404, an activation with 409.",
    {
      unavailable: example("A store is unavailable.", UNAVAILABLE_SENTENCE),
      stored: example("The change is stored, but not every match instance applies it yet.", STORED_SENTENCE),
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
  413: "The body is too large.",
  415: "The body is not sent as JSON.",
  422: "The request is well-formed, but not allowed.",
};

/** Every answer of an operation, by status. */
export function responsesOf(operation: Operation): Responses {
  const responses: Responses = {};
  for (const success of operation.success) responses[success.status] = successResponse(success, operation);
  const own = byStatus(refusalsOf(operation));
  for (const { status, name, refusals } of operation.callers === "anyone" ? [] : ofCallers) {
    const others = own.get(status);
    if (others === undefined) responses[status] = reference(name);
    else own.set(status, [...refusals, ...others]);
  }
  for (const [status, refusals] of own) {
    const names = status === 401 ? (["WWW-Authenticate"] as const) : [];
    responses[status] = errorResponse(TITLES[status], examplesOf(refusals), names);
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
  const names = [
    ...(success.headers ?? []),
    ...(operation.paged ? (["Link"] as const) : []),
    // An impression is its own record: nothing is stored.
    ...(operation.idempotent && operation.group === "management" ? (["Idempotency-Replayed"] as const) : []),
  ];
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
  return [
    ...accessRefusals(operation),
    ...operation.refusals,
    ...(operation.path.includes("{") ? [badEncoding] : []),
    ...bodyRefusals(operation),
    ...(operation.request === undefined || operation.callers !== undefined ? [] : [countsAsTooMany]),
    ...(operation.paged ? [badCursor, limitOutOfRange] : []),
    ...(operation.idempotent ? [idempotencyKeyReused, idempotencyKeyEmpty, idempotencyKeyTooLong] : []),
  ];
}

function bodyRefusals({ request }: Operation): Refusal[] {
  if (request === undefined) return [];
  return [...(request.optional ? [] : [noBody]), notJson, nestedTooDeeply];
}

/** Refusals that depend on the caller. */
function accessRefusals(operation: Operation): Refusal[] {
  if (operation.callers === "anyone") {
    return operation.method === "GET" ? [] : [crossSite, unknownHost];
  }
  if (operation.callers === "session") {
    return operation.method === "GET" ? [sessionOnly] : [sessionOnly, crossSite, unknownHost];
  }
  return [scopeMissing.withExample([operation.scope].flat())];
}

function byStatus(refusals: readonly Refusal[]): Map<Refusal["status"], Refusal[]> {
  const groups = new Map<Refusal["status"], Refusal[]>();
  for (const refusal of refusals) {
    groups.set(refusal.status, [...(groups.get(refusal.status) ?? []), refusal]);
  }
  return groups;
}
