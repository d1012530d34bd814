import Type, { type Static } from "typebox";
import type { Scope } from "../snapshot.ts";
import { createValidator, type WithoutNulls } from "../validation/validator.ts";
import { answerText, closed, count, nameText, nullable, oneOf, open, optional, timestamp } from "./fields.ts";

/** Scopes of a key (docs/behaviour.md#key-scopes). */
export const SCOPES = ["advertiser", "developer", "serving"] as const satisfies readonly Scope[];

/** Range of requests per minute of a key created over HTTP; the creating key must have them. */
export const KEY_RATE_LIMIT = { minimum: 1, maximum: 1_000_000_000 };
/** Returned limit of a key without one (docs/behaviour.md#rate-limits). */
export const UNLIMITED_REQUESTS = 2_147_483_647;
/** How long a rotated key stays valid, in seconds. */
export const ROTATION_OVERLAP_SECONDS = { minimum: 0, maximum: 30 * 86_400, default: 86_400 };

const scope = () =>
  oneOf(
    SCOPES,
    "advertiser: campaigns, money and analytics; developer: placements and earnings; serving: /match and /impressions.",
  );

export const apiKeyCreateSchema = open(
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
export const apiKeyCreate = createValidator(apiKeyCreateSchema);

export const apiKeyRotateRequestSchema = open(
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
export type ApiKeyRotateRequest = WithoutNulls<Static<typeof apiKeyRotateRequestSchema>>;
/** The body of POST /api-keys/{id}/rotate. */
export const apiKeyRotateRequest = createValidator(apiKeyRotateRequestSchema);

const shownFields = {
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
    answerText("The user who made the key, usr_…, by signing in or by an earlier key; null: a command."),
  ),
  last_used_at: nullable(timestamp("When the key was last used, to the minute; null: not yet.")),
  expires_at: nullable(timestamp("When the key ends, such as after a rotation; null: never.")),
};

export const apiKeySchema = closed(shownFields, "An API key that is in force, without the key itself.");
export type ApiKeyBody = Static<typeof apiKeySchema>;

export const createdApiKeySchema = closed(
  {
    ...shownFields,
    key: answerText(
      "The key itself, igk_…: only its SHA-256 is stored, so that it cannot be looked up later. A retry with the same Idempotency-Key shows it again for 24 hours.",
    ),
  },
  "A new API key, with the key itself.",
);
export type CreatedApiKeyBody = Static<typeof createdApiKeySchema>;

export const apiKeyListSchema = Type.Array(apiKeySchema, {
  description: "The account's keys that are in force, in the order of their creation.",
});
