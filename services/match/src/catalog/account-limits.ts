import { ShardedMap } from "@diegetic/collections";
import type { AccountLimits } from "@diegetic/service-kit";

/** The keys' own rate limits, by account. */
class OwnLimits implements AccountLimits {
  maxOwn: number | null = null;
  keyCount = 0;
  /** By the key's SHA-256. Most accounts have no such key. */
  #limits: Map<string, number> | undefined;

  set(sha256Hex: string, limit: number): void {
    this.#limits ??= new Map();
    this.#limits.set(sha256Hex, limit);
    this.#update();
  }

  delete(sha256Hex: string): void {
    if (this.#limits?.delete(sha256Hex)) this.#update();
  }

  #update(): void {
    const limits = [...(this.#limits?.values() ?? [])];
    this.maxOwn = limits.length === 0 ? null : Math.max(...limits);
  }
}

/** One object per account with a key or a session, shared by all of its keys and sessions. */
export class KnownAccounts {
  readonly #accounts = new ShardedMap<OwnLimits>();

  /** Adds a key or session. @param limit its own limit; null: none */
  add(accountId: string, sha256Hex: string, limit: number | null): AccountLimits {
    let account = this.#accounts.get(accountId);
    if (account === undefined) {
      account = new OwnLimits();
      this.#accounts.set(accountId, account);
    }
    account.keyCount += 1;
    if (limit !== null) account.set(sha256Hex, limit);
    return account;
  }

  /** Removes a key or session that was added before. */
  remove(accountId: string, sha256Hex: string): void {
    const account = this.#accounts.get(accountId);
    if (account === undefined) return;
    account.keyCount -= 1;
    if (account.keyCount === 0) this.#accounts.delete(accountId);
    else account.delete(sha256Hex);
  }
}
