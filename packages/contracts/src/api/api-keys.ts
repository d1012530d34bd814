import type { Static } from "typebox";
import {
  malformedField,
  malformedName,
  missingName,
  notAllowedField,
  notShownAgain,
} from "../definition/common-errors.ts";
import { SCOPES } from "../definition/enumerations.ts";
import { exampleIds } from "../definition/example-ids.ts";
import {
  answerText,
  closed,
  count,
  nameText,
  nullable,
  oneOf,
  open,
  optional,
  timestamp,
} from "../definition/fields.ts";
import { created, defineFeature, noContent, ok, operation, refusal } from "../definition/operation.ts";
import Type from "../definition/type.ts";
import { validatorWithoutNulls, type WithoutNulls } from "../validation/validator.ts";

/** Range of requests per minute of a key created over HTTP; the creating key must have them. */
const KEY_RATE_LIMIT = { minimum: 1, maximum: 1_000_000_000 };
/** Returned limit of a key without one (docs/behaviour.md#rate-limits). */
export const UNLIMITED_REQUESTS = 2_147_483_647;
/** How long a rotated key stays valid, in seconds. */
export const ROTATION_OVERLAP_SECONDS = { minimum: 0, maximum: 30 * 86_400, default: 86_400 };

const scope = () =>
  oneOf(
    SCOPES,
    "advertiser: campaigns, money and analytics; developer: placements and earnings; serving: /match and /impressions.",
  );

const apiKeyCreateSchema = open(
  {
    label: nameText("The owner's name for the key."),
    scopes: optional(
      Type.Array(scope(), {
        minItems: 1,
        maxItems: SCOPES.length,
        description:
          "What the key may be used for: only scopes of the calling key; all of them when left out.",
      }),
    ),
    rate_limit_per_minute: optional(
      Type.Integer({
        ...KEY_RATE_LIMIT,
        description:
          "Requests per minute in each endpoint group. At most what the calling key has in every group that the new key's scopes can use: its own limit, or the service's default for the group, so that a key that only serves may have 1000, one with analytics 60. When left out, the calling key's own limit, or the defaults. A key without any limit comes from the operator alone and passes that on to no other.",
      }),
    ),
  },
  "A new API key of the caller's account.",
);
export type ApiKeyCreate = WithoutNulls<Static<typeof apiKeyCreateSchema>>;
/** The body of POST /api-keys. */
export const apiKeyCreate = validatorWithoutNulls(apiKeyCreateSchema);

const apiKeyRotateRequestSchema = open(
  {
    overlap_seconds: optional(
      Type.Integer({
        ...ROTATION_OVERLAP_SECONDS,
        description: "How long the old key stays valid, in seconds; 0: it is revoked at once.",
      }),
    ),
  },
  "Replaces a key by a new one with the same label, scopes and limit.",
);
/** The body of POST /api-keys/{id}/rotate. */
export const apiKeyRotateRequest = validatorWithoutNulls(apiKeyRotateRequestSchema);

const apiKeyFields = {
  id: answerText("The key's identifier, key_…; it is not the key."),
  prefix: answerText("The first characters of the key, by which its owner tells keys apart."),
  label: answerText("The owner's name for the key."),
  scopes: Type.Array(scope(), { description: "What the key may be used for." }),
  rate_limit_per_minute: nullable(
    count(
      `Requests per minute in each endpoint group; null: the defaults of the service; ${UNLIMITED_REQUESTS}: no limit.`,
    ),
  ),
  created_at: timestamp("When the key was created."),
  created_by_user_id: nullable(
    answerText("The user who made the key, usr_…, signed in or by an earlier key; null: a command did."),
  ),
  last_used_at: nullable(timestamp("When the key was last used, to the minute; null: not yet.")),
  expires_at: nullable(timestamp("When the key ends, such as after a rotation; null: never.")),
};

export const apiKeySchema = closed(apiKeyFields, "An API key that is in force, without the key itself.");
export type ApiKeyBody = Static<typeof apiKeySchema>;

export const otherAccountsKey = refusal(
  403,
  "other_account",
  "The key belongs to another account.",
  "The API key belongs to another account: GET /api-keys lists your own.",
);
export const noKey = refusal(
  404,
  "no_key",
  "Key not found.",
  "API key not found, or no longer in force. GET /api-keys lists yours.",
);
export const lastManagingKey = refusal(
  409,
  "last_key",
  "The account has no owner who can sign in, and no other key without an end could manage its keys.",
  "This is the last API key that can manage the keys of the account, and it has no owner who can sign in: create another by POST /api-keys, or replace this one by rotating it.",
);
export const createdApiKeySchema = closed(
  {
    ...apiKeyFields,
    key: answerText(
      "The key itself, igk_…: only its SHA-256 is stored, so that it cannot be looked up later. A retry with the same Idempotency-Key shows it again for 24 hours.",
    ),
  },
  "A new API key, with the key itself.",
);
export type CreatedApiKeyBody = Static<typeof createdApiKeySchema>;

const apiKeyListSchema = Type.Array(apiKeySchema, {
  description: "The account's keys that are in force, in the order of their creation.",
});

/** Maximum keys in force per account. */
export const MAX_API_KEYS = 100;
/** How long a key is stored after its end. */
export const ENDED_API_KEY_KEPT_DAYS = 30;
/** Maximum stored keys per account, ended ones included. */
export const MAX_STORED_API_KEYS = 1_000;
const newKey = { label: "Game server EU", scopes: ["serving"], rate_limit_per_minute: 500 };
const key = {
  id: exampleIds.key,
  prefix: "igk_Q7wE",
  ...newKey,
  created_at: exampleIds.moment,
  created_by_user_id: exampleIds.user,
  last_used_at: null,
  expires_at: null,
};
export const scopeBeyondCaller = refusal(
  403,
  "lacking_scope",
  "The other key has a scope that the calling key lacks.",
  (scopes: readonly string[]) =>
    `This API key lacks the scope ${scopes.map((scope) => `"${scope}"`).join(" and ")}, which the other key has: use one that has it, too.`,
  ["serving"],
);
export const limitBeyondCaller = refusal(
  403,
  "higher_limit",
  "The other key may make more requests than the calling key.",
  "The other API key may make more requests per minute than this one: use a key with at least its limit, or the dashboard.",
);
const ownKeyOnly = [otherAccountsKey, scopeBeyondCaller, noKey] as const;
export const keyNotShownAgain = notShownAgain(
  "The API key of the first answer cannot be shown again: get a new one by POST /api-keys/{key_id}/rotate; GET /api-keys names its id.",
);
export const tooManyKeys = refusal(
  422,
  "too_many",
  `The account has ${MAX_API_KEYS} keys in force.`,
  `An account has at most ${MAX_API_KEYS} API keys in force: revoke one first.`,
);
export const tooManyEndedKeys = refusal(
  422,
  "too_many_ended",
  `The account has ${MAX_STORED_API_KEYS} keys, those that ended within ${ENDED_API_KEY_KEPT_DAYS} days included.`,
  `An account has at most ${MAX_STORED_API_KEYS} API keys, those that ended in the last ${ENDED_API_KEY_KEPT_DAYS} days included: keep keys for longer, or wait.`,
);
export const rateLimitBeyondCaller = notAllowedField(
  (limit: number, group: string, sent: number) =>
    `rate_limit_per_minute must be a whole number from ${KEY_RATE_LIMIT.minimum} to ${limit} (the limit of the calling key in the endpoint group ${group}), but ${sent} was sent`,
  60,
  "analytics",
  500,
);
const common = { group: "management", scope: ["advertiser", "developer"], addition: true } as const;
const one = "/api-keys/{key_id}";

export const apiKeysApi = defineFeature({
  tag: "API keys",
  description: "The keys of the account: created, rotated and revoked by another key of it.",
  schemas: {
    ApiKey: apiKeySchema,
    CreatedApiKey: createdApiKeySchema,
    NewApiKey: apiKeyCreateSchema,
    ApiKeyRotation: apiKeyRotateRequestSchema,
  },
  operations: {
    create: operation("POST /api-keys", {
      ...common,
      role: "owner",
      operationId: "createApiKey",
      summary: "Create a key",
      description:
        "A key never has more rights than the key that created it. The key itself is in this answer alone, since only its SHA-256 is stored: with an `Idempotency-Key` the same answer can be had again for 24 hours.",
      idempotent: true,
      request: { schema: apiKeyCreateSchema, example: newKey },
      success: [
        created("The new key.", createdApiKeySchema, {
          ...key,
          key: "igk_Q7wErTyUiOpAsDfGhJkLzXcVbNm1234567890",
        }),
      ],
      refusals: [
        missingName("label"),
        malformedName("label"),
        scopeBeyondCaller,
        limitBeyondCaller,
        rateLimitBeyondCaller,
        keyNotShownAgain,
        tooManyKeys,
        tooManyEndedKeys,
      ],
    }),
    list: operation("GET /api-keys", {
      ...common,
      operationId: "listApiKeys",
      summary: "List the keys in force",
      description: "In the order of their creation.",
      paged: true,
      success: [ok("The keys.", apiKeyListSchema, [key])],
      refusals: [],
    }),
    rotate: operation(`POST ${one}/rotate`, {
      ...common,
      role: "owner",
      operationId: "rotateApiKey",
      summary: "Replace a key",
      description:
        "The new key has the same label, scopes and limit, so a key rotates only keys whose limit it has; an owner's session rotates any. The old one stays valid for the overlap, a day by default, so that no caller is shut out meanwhile.",
      idempotent: true,
      request: {
        schema: apiKeyRotateRequestSchema,
        example: { overlap_seconds: 3_600 },
        optional: true,
      },
      success: [
        created("The new key.", createdApiKeySchema, {
          ...key,
          id: exampleIds.secondKey,
          key: "igk_MnBvCxZaSdFgHjKlPoIuYtReWq0987654321",
        }),
      ],
      refusals: [
        malformedField('overlap_seconds must be a whole number from 0 to 2592000, but "day" was sent'),
        ...ownKeyOnly,
        limitBeyondCaller,
        notAllowedField("overlap_seconds must be a whole number from 0 to 2592000, but -1 was sent"),
        keyNotShownAgain,
        tooManyKeys,
        tooManyEndedKeys,
      ],
    }),
    revoke: operation(`DELETE ${one}`, {
      ...common,
      role: "owner",
      operationId: "revokeApiKey",
      summary: "Revoke a key",
      description: "The very next request with it is answered 401. Repeating it is no error.",
      success: [noContent("The key is revoked.")],
      refusals: [...ownKeyOnly, lastManagingKey],
    }),
  },
});
