interface Account {
  running: number;
  /** Start the next requests, the oldest first. */
  waiting: (() => void)[];
}

/** Runs a limited number of each account's requests at a time, so that none keeps a process or its database from others. */
export class AccountSemaphore {
  readonly #maxRunning: number;
  readonly #accounts = new Map<string, Account>();

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning;
  }

  /** Undefined: the request may run at once; otherwise resolves when it may. The caller must call `release` when it has run. */
  acquire(accountId: string): Promise<void> | undefined {
    let account = this.#accounts.get(accountId);
    if (account === undefined) {
      account = { running: 0, waiting: [] };
      this.#accounts.set(accountId, account);
    }
    if (account.running < this.#maxRunning) {
      account.running += 1;
      return undefined;
    }
    const { waiting } = account;
    return new Promise((resolve) => {
      waiting.push(resolve);
    });
  }

  release(accountId: string): void {
    const account = this.#accounts.get(accountId);
    if (account === undefined) return;
    const next = account.waiting.shift();
    // The next request runs in its place.
    if (next !== undefined) next();
    else if (account.running > 1) account.running -= 1;
    else this.#accounts.delete(accountId);
  }
}
