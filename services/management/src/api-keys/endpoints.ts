import {
  type ApiKeyBody,
  apiKeyCreate,
  apiKeyRotateRequest,
  apiKeysApi,
  type CreatedApiKeyBody,
  ROTATION_OVERLAP_SECONDS,
  UNLIMITED_REQUESTS,
} from "@diegetic/contracts";
import { type Database, inTransaction, type Transaction } from "@diegetic/database";
import { type Answer, type Endpoint, endpoint, type RequestContext } from "@diegetic/service-kit";
import { createOnce, readSentBody } from "../idempotency/create-once.ts";
import { pageAnswer, readPaging } from "../shared/paging.ts";
import { type Clock, timestamp } from "../shared/time.ts";
import type { Publishing } from "../snapshot-publishing/publishing.ts";
import {
  type ApiKeyRow,
  endOfRotated,
  isInForce,
  type KeySettings,
  MANAGING_SCOPES,
  newSettings,
  requireScopes,
} from "./api-key.ts";
import { newKeyText } from "./key-text.ts";
import {
  endKey,
  insertKey,
  keyMissing,
  listKeys,
  lockKeys,
  ownKey,
  requireAnotherManagingKey,
  requireRoom,
} from "./store.ts";

export interface ApiKeyParts {
  database: Database;
  publishing: Publishing;
  clock: Clock;
}

/** A key's own account is managed by a key that is no mere serving key (semantics: Key scopes). */
export function apiKeyEndpoints(parts: ApiKeyParts): Endpoint[] {
  const { operations } = apiKeysApi;
  return [
    endpoint(operations.create, create(parts)),
    endpoint(operations.list, list(parts)),
    endpoint(operations.revoke, revoke(parts)),
    endpoint(operations.rotate, rotate(parts)),
  ];
}

function present(key: ApiKeyRow): ApiKeyBody {
  return {
    id: key.id,
    prefix: key.prefix,
    label: key.label,
    scopes: [...key.scopes],
    rate_limit_per_minute:
      key.rateLimitPerMinute === "unlimited" ? UNLIMITED_REQUESTS : key.rateLimitPerMinute,
    created_at: timestamp(key.createdAt),
    last_used_at: key.lastUsedAt === null ? null : timestamp(key.lastUsedAt),
    expires_at: key.expiresAt === null ? null : timestamp(key.expiresAt),
  };
}

function list({ database, clock }: ApiKeyParts): Endpoint["handle"] {
  return async (context) => {
    const paging = readPaging(context, "key");
    return pageAnswer(context, paging, await listKeys(database, context.accountId, clock(), paging), present);
  };
}

function create(parts: ApiKeyParts): Endpoint["handle"] {
  return async (context) => {
    const { sent, value } = readSentBody(context, apiKeyCreate);
    const settings = newSettings(value, context.key);
    return issueKey(parts, context, sent, async (transaction, nowMs) => {
      await requireRoom(transaction, context.accountId, nowMs);
      return settings;
    });
  };
}

function rotate(parts: ApiKeyParts): Endpoint["handle"] {
  return async (context) => {
    const old = await ownKey(parts.database, context.accountId, context.param("keyId"));
    requireScopes(context.key, old.scopes);
    const { sent, value } = readSentBody(context, apiKeyRotateRequest);
    const overlapSeconds = value.overlap_seconds ?? ROTATION_OVERLAP_SECONDS.default;
    const answer = await issueKey(parts, context, sent, async (transaction, nowMs) => {
      const current = await ownKey(transaction, context.accountId, old.id);
      if (!isInForce(current, nowMs)) throw keyMissing();
      await endKey(transaction, old.id, endOfRotated(current, overlapSeconds, nowMs));
      await requireRoom(transaction, context.accountId, nowMs);
      return current;
    });
    // The text of the new key is in this answer alone: it is given, even where the end of the old one is not obeyed yet.
    await parts.publishing.obeyedOrLater("apiKey", old.id);
    return answer;
  };
}

/** A second DELETE is 204 again: it also brings into force what a first one could only store. */
function revoke({ database, publishing, clock }: ApiKeyParts): Endpoint["handle"] {
  return async (context) => {
    const key = await ownKey(database, context.accountId, context.param("keyId"));
    requireScopes(context.key, key.scopes);
    const nowMs = clock();
    await inTransaction(database, async (transaction) => {
      await lockKeys(transaction, callerOf(context), nowMs);
      const present = await ownKey(transaction, context.accountId, key.id);
      const manages = present.scopes.some((scope) => MANAGING_SCOPES.includes(scope));
      if (manages && isInForce(present, nowMs)) await requireAnotherManagingKey(transaction, present);
      await endKey(transaction, key.id, { revokedAt: new Date(nowMs) });
    });
    await publishing.obeyed("apiKey", key.id);
    return { status: 204 };
  };
}

function callerOf(context: RequestContext) {
  return { accountId: context.accountId, keyId: context.key.keyId };
}

/**
 * Makes a key and shows its text, once: only the SHA-256 is stored, also with the answer for a retry by the same
 * Idempotency-Key, which therefore has no text. `prepare` runs while the account's keys are locked.
 */
async function issueKey(
  { database, publishing, clock }: ApiKeyParts,
  context: RequestContext,
  sent: unknown,
  prepare: (transaction: Transaction, nowMs: number) => Promise<KeySettings>,
): Promise<Answer> {
  const nowMs = clock();
  const texts = new Map<string, string>();
  const stored = await createOnce({ database, nowMs }, context, sent, async (transaction) => {
    await lockKeys(transaction, callerOf(context), nowMs);
    const settings = await prepare(transaction, nowMs);
    const text = newKeyText();
    const key = await insertKey(transaction, context.accountId, settings, text, nowMs);
    texts.set(key.id, text);
    const body: CreatedApiKeyBody = { ...present(key), key: null };
    return { status: 201, body };
  });
  await publishing.obeyedOrLater("apiKey", stored.body.id);
  return { ...stored, body: { ...stored.body, key: texts.get(stored.body.id) ?? null } };
}
