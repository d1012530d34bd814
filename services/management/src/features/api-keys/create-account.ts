import { newId, SCOPES, type Scope } from "@diegetic/contracts";
import { type Database, inTransaction, type Transaction } from "@diegetic/database";
import type { RateLimit } from "@diegetic/service-kit";
import type { Publishing } from "../../core/publishing/publishing.ts";
import { newKeySecret } from "./key-secret.ts";
import { insertKey } from "./store.ts";

/** Default scopes of a key (docs/behaviour.md#key-scopes). */
export const ALL_SCOPES: readonly Scope[] = SCOPES;

export interface KeyOptions {
  /** The owner's name for the account and its key. */
  label: string;
  /** Default: all. */
  scopes?: readonly Scope[] | undefined;
  /** Requests per minute in each endpoint group; null: the service's defaults. */
  rateLimitPerMinute?: RateLimit | null | undefined;
}

export interface CreatedAccount {
  accountId: string;
  keyId: string;
  /** The key secret: returned once, stored only as SHA-256. */
  key: string;
}

/**
 * Creates an account with one API key. With `publishing`, the match tier knows the key when this resolves; without it,
 * management's repair loop publishes the key later.
 */
export async function createAccountWithKey(
  parts: { database: Database; publishing?: Publishing },
  options: KeyOptions,
): Promise<CreatedAccount> {
  const created = await inTransaction(parts.database, (transaction) =>
    insertAccountWithKey(transaction, options, newKeySecret()),
  );
  await parts.publishing?.publishEventually("apiKey", created.keyId);
  return created;
}

/** Writes the account and the key with this secret. */
export async function insertAccountWithKey(
  transaction: Transaction,
  options: KeyOptions,
  key: string,
): Promise<CreatedAccount> {
  const accountId = newId("acct");
  await transaction.account.create({ data: { id: accountId, label: options.label } });
  const settings = {
    label: options.label,
    scopes: [...new Set(options.scopes ?? ALL_SCOPES)],
    rateLimitPerMinute: options.rateLimitPerMinute ?? null,
  };
  const { id: keyId } = await insertKey(transaction, accountId, settings, key, Date.now());
  return { accountId, keyId, key };
}
