import {
  type ApiKeyBody,
  apiKeyCreate,
  apiKeyRotateRequest,
  apiKeysApi,
  type CreatedApiKeyBody,
  keyNotShownAgain,
  noKey,
  ROTATION_OVERLAP_SECONDS,
  UNLIMITED_REQUESTS,
} from "@diegetic/contracts";
import { databaseNowMs, inTransaction, type Transaction } from "@diegetic/database";
import type { Answer, RequestContext } from "@diegetic/service-kit";
import { createOnce, readSentBody } from "../../core/idempotency/create-once.ts";
import {
  newOneTimeSecret,
  type OneTimeSecretKind,
  withoutSecret,
  withSecret,
} from "../../core/shared/one-time-secret.ts";
import { pageAnswer, readPaging } from "../../core/shared/paging.ts";
import { timestamp } from "../../core/shared/time.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import {
  type ApiKeyRow,
  endOfRotated,
  isInForce,
  type KeySettings,
  MANAGING_SCOPES,
  requireLimitWithinCaller,
  requireScopes,
  settingsOfNewKey,
} from "./api-key.ts";
import { KEY_PREFIX } from "./key-secret.ts";
import {
  creatorOf,
  endKey,
  insertKey,
  listKeys,
  lockKeys,
  ownKey,
  requireAnotherManager,
  requireRoom,
} from "./store.ts";

/** An account's keys are managed by keys with a managing scope (docs/behaviour.md#key-scopes). */
export const apiKeyEndpoints = endpointsOf(apiKeysApi.operations, { create, list, revoke, rotate });

function toResponse(key: ApiKeyRow): ApiKeyBody {
  return {
    id: key.id,
    prefix: key.prefix,
    label: key.label,
    scopes: [...key.scopes],
    rate_limit_per_minute:
      key.rateLimitPerMinute === "unlimited" ? UNLIMITED_REQUESTS : key.rateLimitPerMinute,
    created_at: timestamp(key.createdAt),
    created_by_user_id: key.createdByUserId ?? null,
    last_used_at: key.lastUsedAt === null ? null : timestamp(key.lastUsedAt),
    expires_at: key.expiresAt === null ? null : timestamp(key.expiresAt),
  };
}

async function list({ database, clock }: Parts, context: RequestContext) {
  const paging = readPaging(context, "key");
  return pageAnswer(
    context,
    paging,
    await listKeys(database, context.accountId, clock(), paging),
    toResponse,
  );
}

async function create(parts: Parts, context: RequestContext) {
  const { sent, value } = readSentBody(context, apiKeyCreate);
  const settings = settingsOfNewKey(value, context.caller, parts.defaultLimits);
  return issueKey(parts, context, sent, async (transaction, nowMs) => {
    await requireRoom(transaction, context.accountId, nowMs);
    return settings;
  });
}

async function rotate(parts: Parts, context: RequestContext) {
  const old = await ownKey(parts.database, context.accountId, context.param("keyId"));
  requireScopes(context.caller, old.scopes);
  // The calling key itself may be known by a former limit.
  if (old.id !== context.caller.id) requireLimitWithinCaller(context.caller, old, parts.defaultLimits);
  const { sent, value } = readSentBody(context, apiKeyRotateRequest);
  const overlapSeconds = value.overlap_seconds ?? ROTATION_OVERLAP_SECONDS.default;
  const answer = await issueKey(parts, context, sent, async (transaction, nowMs) => {
    const current = await ownKey(transaction, context.accountId, old.id);
    if (!isInForce(current, nowMs)) throw noKey.error();
    await endKey(
      transaction,
      old.id,
      endOfRotated(current, overlapSeconds, await databaseNowMs(transaction)),
    );
    await requireRoom(transaction, context.accountId, nowMs);
    return { ...current, rateLimitKeyId: current.rateLimitKeyId ?? current.id };
  });
  // Only this answer contains the new secret, so it is returned even if the old key's end is not published yet.
  await parts.publishing.publishEventually("apiKey", old.id);
  return answer;
}

/** A second DELETE is 204 again: it also publishes an end that the first one only stored. */
async function revoke({ database, publishing, clock }: Parts, context: RequestContext) {
  const key = await ownKey(database, context.accountId, context.param("keyId"));
  requireScopes(context.caller, key.scopes);
  const nowMs = clock();
  await inTransaction(database, async (transaction) => {
    await lockKeys(transaction, context.caller, nowMs);
    const current = await ownKey(transaction, context.accountId, key.id);
    const manages = current.scopes.some((scope) => MANAGING_SCOPES.includes(scope));
    if (manages && isInForce(current, nowMs)) await requireAnotherManager(transaction, current);
    await endKey(transaction, key.id, { revokedAt: new Date(nowMs) });
  });
  await publishing.publishAndWait("apiKey", key.id);
  return { status: 204 };
}

const SECRET: OneTimeSecretKind = { prefix: KEY_PREFIX, purpose: "key", notShownAgain: keyNotShownAgain };

/** Creates a key and returns its secret. `prepare` runs while the account's keys are locked. */
async function issueKey(
  { database, publishing, clock, keyDerivationSecret, defaultLimits }: Parts,
  context: RequestContext,
  sent: unknown,
  prepare: (transaction: Transaction, nowMs: number) => Promise<KeySettings>,
): Promise<Answer> {
  const nowMs = clock();
  const stored = await createOnce(database, context, sent, async (transaction) => {
    await lockKeys(transaction, context.caller, nowMs);
    const settings = await prepare(transaction, nowMs);
    const fresh = newOneTimeSecret(SECRET, keyDerivationSecret);
    const createdByUserId = await creatorOf(transaction, context.caller);
    const key = await insertKey(
      transaction,
      context.accountId,
      { ...settings, createdByUserId },
      fresh.secret,
      nowMs,
    );
    return { status: 201, body: withoutSecret(toResponse(key), fresh) };
  });
  // A retry may come from another key of the account than the first request.
  const { scopes, rate_limit_per_minute: limit } = stored.body;
  requireScopes(context.caller, scopes);
  const rateLimitPerMinute = limit === UNLIMITED_REQUESTS ? "unlimited" : limit;
  requireLimitWithinCaller(context.caller, { scopes, rateLimitPerMinute }, defaultLimits);
  const { secret, ...key } = withSecret(stored.body, SECRET, keyDerivationSecret);
  await publishing.publishEventually("apiKey", key.id);
  const body: CreatedApiKeyBody = { ...key, key: secret };
  return { ...stored, body };
}
