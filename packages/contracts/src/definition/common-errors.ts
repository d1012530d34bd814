import { MAX_NAME_CHARACTERS } from "./fields.ts";
import { refusal } from "./operation.ts";

/** The account has to register before it uses an advertiser's endpoints. */
export const registerFirst = refusal(
  403,
  "not_registered",
  "The account of the key has no advertiser profile.",
  "This account has no advertiser profile: register first by POST /register.",
);

/** The thing in the path belongs to another account or advertiser. */
export function belongsToAnother(owner: "account" | "advertiser", thing: string, list: string) {
  const belongs = `The ${thing} belongs to another ${owner}`;
  return refusal(403, `other_${owner}`, `${belongs}.`, `${belongs}: GET ${list} lists your own.`);
}

/** The thing in the path does not exist. */
export function thingNotFound(name: string, thing: string, list: string) {
  return refusal(404, name, `${thing} not found.`, `${thing} not found. GET ${list} lists yours.`);
}

/** The owner has as many things as it may have. */
export function tooMany(
  owner: "account" | "advertiser" | "campaign",
  maximum: number,
  things: string,
  advice: string,
) {
  const anOwner = owner === "campaign" ? "A campaign" : `An ${owner}`;
  return refusal(
    422,
    "too_many",
    `The ${owner} has ${maximum} ${things}.`,
    `${anOwner} has at most ${maximum} ${things}: ${advice}.`,
  );
}

export const otherAdvertisersCampaign = belongsToAnother("advertiser", "campaign", "/campaigns");
export const noCampaign = thingNotFound("no_campaign", "Campaign", "/campaigns");

/** For operations below /campaigns/{campaign_id}. */
export const ownCampaignOnly = [registerFirst, otherAdvertisersCampaign, noCampaign] as const;

/** Maximum bytes of one published campaign. */
export const MAX_CAMPAIGN_BYTES = 256 * 1_024;
/** Maximum bytes of all published campaigns and placements of one account. */
export const MAX_ACCOUNT_BYTES = 64 * 1_024 * 1_024;

/** For operations that add to an account's published data. */
export const accountTooLarge = refusal(
  422,
  "account_too_large",
  "The campaigns and placements of the account would have more than 64 MiB as published.",
  `The campaigns and placements of an account as published have at most ${MAX_ACCOUNT_BYTES} bytes (64 MiB) together, also after Unicode normalisation (NFKC): shorten or delete what is no longer needed first.`,
);
export const campaignTooLarge = refusal(
  422,
  "campaign_too_large",
  "The campaign would have more than 256 KiB as published.",
  `A campaign as published has at most ${MAX_CAMPAIGN_BYTES} bytes (256 KiB), also after Unicode normalisation (NFKC): shorten or delete creatives, targets, blocklist rules or affinities first.`,
);
/** For operations that add to a campaign. */
export const publishedSizes = [campaignTooLarge, accountTooLarge] as const;

export const otherAccountsPlacement = refusal(
  403,
  "other_account",
  "The game's placement belongs to another account.",
  "The game's placement belongs to another account: use a key of that account, or another game_id.",
);
export const noPlacement = refusal(
  404,
  "no_placement",
  "Ads were never enabled in the game.",
  "Placement not found. POST /placements/{game_id} enables one.",
);

/** For operations on the caller's game in the path. */
export const ownGameOnly = [otherAccountsPlacement, noPlacement] as const;

export const periodTooLong = refusal(
  422,
  "period",
  "The period is too long.",
  (maxDays: number) => `from must be at most ${maxDays} days before to, that day included`,
  366,
);
export const periodReversed = refusal(
  422,
  "period_reversed",
  "The period ends before it begins, or begins after today.",
  (from: string, to: string, end: "to" | "today") => `from must not be after ${end}: ${from} is after ${to}`,
  "2025-02-02",
  "2025-02-01",
  "to",
);

/** For operations with a period as `from` and `to`. */
export function periodRefusals(maxDays: number) {
  return [
    refusal(
      400,
      "malformed_day",
      "A parameter is not a day or not a number.",
      'from must be a day as YYYY-MM-DD, but "yesterday" was sent',
    ),
    periodTooLong.withExample(maxDays),
    periodReversed,
    numberRefusals("days", maxDays)[1],
  ] as const;
}

/** For operations with filters of text. */
export function blankFilter(name: string) {
  return refusal(
    400,
    "blank_filter",
    "A filter is blank.",
    `${name} must be text that is not blank, but "" was sent`,
  );
}

/**
 * For operations with a parameter that is a whole number from 1.
 * @param range where the maximum depends on something: on what, such as "range for the unit"
 */
export function numberRefusals(name: string, maximum: number, range = "range") {
  const must = `${name} must be a whole number from 1 to ${maximum}`;
  return [
    refusal(400, `no_${name}`, `${name} is empty or not a whole number.`, `${must}, but "abc" was sent`),
    refusal(422, name, `${name} is out of ${range}.`, `${must}, but "${maximum + 1}" was sent`),
  ] as const;
}

export function missingField(detail: string) {
  return refusal(400, "missing_field", "A required field is missing.", detail);
}

/** A field has another JSON type or a malformed format. */
export function malformedField(detail: string) {
  return refusal(400, "malformed_field", "A field has the wrong type or a malformed value.", detail);
}

/** A PATCH contains a response-only field with another value than the current one. */
export function responseOnlyField(detail: string) {
  return refusal(
    422,
    "response_only",
    "A field of the answer that PATCH does not change has another value than the current one.",
    detail,
  );
}

/** A field is well-formed, but not allowed. */
export function notAllowedField<Values extends readonly unknown[] = []>(
  sentence: string | ((...values: Values) => string),
  ...example: NoInfer<Values>
) {
  return refusal(
    422,
    "not_allowed",
    "A field is outside its range, its length or its list of values.",
    sentence,
    ...example,
  );
}

/** What a `nameText` must be. */
const NAME = `text of at most ${MAX_NAME_CHARACTERS} characters that is not blank`;

/** A required `nameText` is missing. */
export function missingName(field: string) {
  return missingField(`${field} is required: it must be ${NAME}`);
}

/** A `nameText` has another JSON type. */
export function malformedName(field: string, sent = "7") {
  return malformedField(`${field} must be ${NAME}, but ${sent} was sent`);
}

/** A `nameText` is too long. */
export function nameTooLong(field: string) {
  return notAllowedField(`${field} must be ${NAME}, but a text of 240 characters was sent`);
}

/**
 * For a required `nameText`.
 * @param sent how the answer names the number 7 in this field
 */
export function requiredName(field: string, sent = "7") {
  return [missingName(field), malformedName(field, sent), nameTooLong(field)] as const;
}

/** An e-mail address is malformed. */
export function malformedEmail(field: string) {
  return malformedField(
    `${field} must be an e-mail address such as name@example.com, but a text of 10 characters was sent`,
  );
}

export const roleTooLow = refusal(
  403,
  "not_owner",
  "The caller is not an owner and removes another member.",
  (role: string, needed: string) =>
    `Your role in this account is "${role}", but this needs "${needed}": ask an owner of the account.`,
  "manager",
  "owner",
);

export const scopeMissing = refusal(
  403,
  "scope",
  "The key may not be used for this.",
  (accepted: readonly string[]) =>
    `This API key lacks the scope ${accepted.map((one) => `"${one}"`).join(" or ")}: use one that has it. Create one by POST /api-keys with a key that has the scope, or ask the operator of the service.`,
  ["serving"],
);
export const sessionOnly = refusal(
  403,
  "api_key",
  "The caller is an API key.",
  "An API key cannot do this: sign in on the dashboard.",
);
export const otherAccount = refusal(
  409,
  "other_account",
  "The account was switched in another tab, or the user lost access to it.",
  "This page shows another account than the one you act for now. Nothing was changed; reload the page.",
);
export const crossSite = refusal(
  403,
  "cross_site",
  "The request does not come from a page of the service.",
  "A signed-in browser can change something only from the dashboard's own pages: open the dashboard at the address of the service, send that address as the Origin header, or use an API key.",
);
export const unknownHost = refusal(
  403,
  "unknown_host",
  "The request names a host that could lead anywhere, and the service has no PUBLIC_URL.",
  "The service does not know this host name: open the dashboard at localhost or by its IP address, or set PUBLIC_URL to the address that browsers use.",
);

/** A secret cannot be shown again to a retry. */
export function notShownAgain(detail: string) {
  return refusal(409, "not_shown_again", "A retry, after the service's secret has changed.", detail);
}

export const badEncoding = refusal(
  400,
  "bad_encoding",
  "The path is not validly percent-encoded.",
  "The path is not validly percent-encoded: write a percent sign as %25.",
);
export const noBody = refusal(
  400,
  "no_body",
  "The body is missing.",
  "The body is missing: send a JSON object.",
);

/** Maximum levels of lists and objects: more than any body needs; deeper nesting could exhaust the stack of recursive code. */
export const MAX_BODY_LEVELS = 32;
export const nestedTooDeeply = refusal(
  400,
  "too_deep",
  "The body is nested too deeply.",
  `The body is nested too deeply: at most ${MAX_BODY_LEVELS} levels are allowed.`,
);
export const notJson = refusal(
  400,
  "not_json",
  "The body is not a JSON object.",
  "The body is not valid JSON in UTF-8: send a JSON object.",
);

export const countsAsTooMany = refusal(
  422,
  "counts_as",
  "The request counts as more requests than the key may send in a minute.",
  (requests: number, limit: number) =>
    `The request counts as ${requests} requests, and its key may send ${limit} a minute: send less at a time.`,
  3,
  2,
);

export const badCursor = refusal(
  400,
  "bad_cursor",
  "The cursor is not one of this list.",
  "cursor must be one that a Link header of this list named: leave it out to begin at the first page",
);
export const limitOutOfRange = refusal(
  422,
  "limit",
  "The limit is out of range.",
  'limit must be a whole number from 1 to 500, but "0" was sent',
);

/** Maximum rows of a table in one answer, because it is built in memory. */
export const MAX_CSV_ROWS = 100_000;
/** For lists of which a client can have a table. */
export const tooManyRows = refusal(
  422,
  "too_many_rows",
  `The table would have more than ${MAX_CSV_ROWS} rows.`,
  `The table would have more than ${MAX_CSV_ROWS} rows: ask for a shorter period.`,
);

export const MAX_IDEMPOTENCY_KEY_CHARACTERS = 255;
export const idempotencyKeyReused = refusal(
  409,
  "key_reused",
  "The Idempotency-Key came with another body before.",
  "This Idempotency-Key was used with another body: take a new key for a new request.",
);
export const idempotencyKeyEmpty = refusal(
  400,
  "key_empty",
  "The Idempotency-Key is empty.",
  `Idempotency-Key is empty: send 1 to ${MAX_IDEMPOTENCY_KEY_CHARACTERS} characters, or leave the header out.`,
);
export const idempotencyKeyTooLong = refusal(
  422,
  "key_too_long",
  "The Idempotency-Key is too long.",
  (characters: number) =>
    `Idempotency-Key has ${characters} characters: at most ${MAX_IDEMPOTENCY_KEY_CHARACTERS} are allowed, so send a shorter one.`,
  300,
);

export const noKeySent = refusal(
  401,
  "missing",
  "There is no key.",
  "No API key was sent: send the header Authorization: Bearer <API_KEY>.",
);
export const malformedKey = refusal(
  401,
  "malformed",
  "The header is not of that form.",
  "The Authorization header is malformed: send Authorization: Bearer <API_KEY>.",
);
export const invalidKey = refusal(
  401,
  "invalid",
  "The key cannot be used.",
  "The API key is unknown, expired or revoked: send a valid one. Create one by POST /api-keys with another key, or ask the operator of the service.",
);
export const sessionEnded = refusal(
  401,
  "session_ended",
  "The session has ended.",
  "The session has ended: sign in again.",
);

export const MAX_BODY_BYTES = 256 * 1_024;
export const bodyTooLarge = refusal(
  413,
  "too_large",
  "The body is too large.",
  `The body is too large: at most ${MAX_BODY_BYTES} bytes (256 KiB) are allowed.`,
);
export const notSentAsJson = refusal(
  415,
  "media_type",
  "The Content-Type is missing or another one.",
  "The body must be JSON in UTF-8: send Content-Type: application/json.",
);
export const compressedBody = refusal(
  415,
  "compressed",
  "The body is compressed.",
  "The body must not be compressed: send it without Content-Encoding.",
);
