import { idempotencyKeyReused } from "@diegetic/contracts";
import {
  type Database,
  inTransaction,
  type Pipeline,
  Prisma,
  type Statements,
  type Transaction,
  withStatements,
} from "@diegetic/database";
import { jsonSha256, type RequestContext } from "@diegetic/service-kit";

/** Lifetime of a first answer (docs/behaviour.md#idempotency-keys), by the clock of Postgres. */
const KEPT = Prisma.sql`interval '24 hours'`;
const FORGOTTEN_PER_ROUND = 10_000;

/** An answer that can be stored and repeated. */
export interface CreationAnswer<Body> {
  status: number;
  body: Body;
  headers?: Record<string, string>;
  /** true: nothing was created, so the answer is not stored and a retry is evaluated anew. */
  isRefusal?: boolean;
}

/** A validated body, and the JSON it was read from: retries are recognised by what the client sent. */
export interface SentBody<T> {
  sent: unknown;
  value: T;
}

export function readSentBody<T>(context: RequestContext, validate: (value: unknown) => T): SentBody<T> {
  return context.body((sent) => ({ sent, value: validate(sent) }));
}

/**
 * Runs the effect of a creating POST in a transaction, once per Idempotency-Key; account, method, path and key identify
 * the operation. Stores the answer in the same transaction. A concurrent retry waits for it; the same key with another
 * body is 409. An effect that throws stores nothing.
 */
export async function createOnce<Body>(
  database: Database,
  context: RequestContext,
  sent: unknown,
  effect: (transaction: Transaction) => Promise<CreationAnswer<Body>>,
): Promise<CreationAnswer<Body>> {
  const operation = operationOf(context, sent);
  return inTransaction(database, (transaction) =>
    withStatements(transaction, (statements) => once(statements, operation, () => effect(transaction))),
  );
}

/** `createOnce` for an effect that consists of statements. */
export async function createOnceByStatements<Body>(
  pipeline: Pipeline,
  context: RequestContext,
  sent: unknown,
  effect: (statements: Statements) => Promise<CreationAnswer<Body>>,
): Promise<CreationAnswer<Body>> {
  const operation = operationOf(context, sent);
  return pipeline.inTransaction((statements) => once(statements, operation, () => effect(statements)));
}

interface IdempotentOperation {
  accountId: string;
  endpoint: string;
  key: string;
  bodySha256: string;
}

/** Null: the request has no Idempotency-Key. */
function operationOf(context: RequestContext, sent: unknown): IdempotentOperation | null {
  const key = context.idempotencyKey;
  if (key === null) return null;
  const { accountId, operation: endpoint } = context;
  return { accountId, endpoint, key, bodySha256: jsonSha256(sent) };
}

interface StoredAnswer {
  bodySha256: string;
  status: number;
  response: unknown;
  isKept: boolean;
}

async function once<Body>(
  statements: Statements,
  operation: IdempotentOperation | null,
  effect: () => Promise<CreationAnswer<Body>>,
): Promise<CreationAnswer<Body>> {
  if (operation === null) return effect();
  const { accountId, endpoint, key, bodySha256 } = operation;
  // Locks by name, because there is no row yet.
  const name = JSON.stringify([accountId, endpoint, key]);
  void statements.execute(Prisma.sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
  const [first] = await statements.query<StoredAnswer>(Prisma.sql`
    SELECT body_sha256 AS "bodySha256", status, response, created_at > now() - ${KEPT} AS "isKept" FROM idempotency_keys
    WHERE account_id = ${accountId} AND endpoint = ${endpoint} AND key = ${key}`);
  if (first?.isKept === true) {
    if (first.bodySha256 !== bodySha256) throw idempotencyKeyReused.error();
    const body = first.response as Body;
    return { status: first.status, body, headers: { "Idempotency-Replayed": "true" } };
  }
  const answer = await effect();
  if (answer.isRefusal === true) return answer;
  void statements.execute(Prisma.sql`
    INSERT INTO idempotency_keys (account_id, endpoint, key, body_sha256, status, response, created_at)
    VALUES (${accountId}, ${endpoint}, ${key}, ${bodySha256}, ${answer.status},
      ${answer.body === undefined ? null : JSON.stringify(answer.body)}::json, now())
    ON CONFLICT (account_id, endpoint, key) DO UPDATE SET body_sha256 = excluded.body_sha256,
      status = excluded.status, response = excluded.response, created_at = excluded.created_at`);
  return answer;
}

/** Deletes expired answers, a bounded number per call. */
export async function forgetOldAnswers(database: Database): Promise<void> {
  await database.$executeRaw`
    DELETE FROM idempotency_keys WHERE ctid IN (
      SELECT ctid FROM idempotency_keys WHERE created_at < now() - ${KEPT} ORDER BY created_at LIMIT ${FORGOTTEN_PER_ROUND}
    )`;
}
