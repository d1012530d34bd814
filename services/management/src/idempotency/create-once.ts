import { type Database, inTransaction, type Prisma, type Transaction } from "@diegetic/database";
import { conflict, jsonSha256, type RequestContext } from "@diegetic/service-kit";

/** How long a first answer is kept (docs/behaviour.md#idempotency-keys). */
const KEPT_MS = 24 * 60 * 60 * 1_000;
const FORGOTTEN_PER_ROUND = 1_000;

/** An answer that can be stored and given again. */
export interface CreationAnswer<Body> {
  status: number;
  body: Body;
}

/** A validated body, and the JSON that it was read from: a retry is recognised by what the client sent. */
export interface SentBody<T> {
  sent: unknown;
  value: T;
}

export function readSentBody<T>(context: RequestContext, validate: (value: unknown) => T): SentBody<T> {
  return context.body((sent) => ({ sent, value: validate(sent) }));
}

/**
 * Runs the effect of a creating POST in a transaction, once per Idempotency-Key: account, method and path, and key
 * name the operation. The answer is stored in the same transaction as the effect, a concurrent retry waits for it, and
 * the same key with another body is 409. An effect that throws stores nothing.
 */
export async function createOnce<Body>(
  parts: { database: Database; nowMs: number },
  context: RequestContext,
  sent: unknown,
  effect: (transaction: Transaction) => Promise<CreationAnswer<Body>>,
): Promise<CreationAnswer<Body>> {
  const key = context.idempotencyKey;
  if (key === null) return inTransaction(parts.database, effect);
  const operation = { accountId: context.accountId, endpoint: context.operation, key };
  const bodySha256 = jsonSha256(sent);
  return inTransaction(parts.database, async (transaction) => {
    await lockOperation(transaction, operation);
    const first = await transaction.idempotencyKey.findUnique({
      where: { accountId_endpoint_key: operation },
    });
    if (first !== null && first.createdAt.getTime() > parts.nowMs - KEPT_MS) {
      if (first.bodySha256 === bodySha256) return { status: first.status, body: first.response as Body };
      throw conflict("This Idempotency-Key was used with another body: take a new key for a new request.");
    }
    const answer = await effect(transaction);
    const stored = {
      bodySha256,
      status: answer.status,
      response: answer.body as Prisma.InputJsonValue,
      createdAt: new Date(parts.nowMs),
    };
    await transaction.idempotencyKey.upsert({
      where: { accountId_endpoint_key: operation },
      create: { ...operation, ...stored },
      update: stored,
    });
    return answer;
  });
}

/** A lock by name, held until the end of the transaction: there is no row yet that could be locked. */
async function lockOperation(
  transaction: Transaction,
  operation: { accountId: string; endpoint: string; key: string },
): Promise<void> {
  const name = JSON.stringify([operation.accountId, operation.endpoint, operation.key]);
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
}

/** Deletes answers that are no longer kept, a bounded number at a time. */
export async function forgetOldAnswers(database: Database, nowMs: number): Promise<void> {
  const before = new Date(nowMs - KEPT_MS);
  await database.$executeRaw`
    DELETE FROM idempotency_keys WHERE ctid IN (
      SELECT ctid FROM idempotency_keys WHERE created_at < ${before} ORDER BY created_at LIMIT ${FORGOTTEN_PER_ROUND}
    )`;
}
