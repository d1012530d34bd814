import type { ServerResponse } from "node:http";
import { Overloaded } from "./http-error.ts";

interface Account {
  running: number;
  /** Start the next requests, the oldest first. */
  readonly waiting: Set<() => void>;
}

/** Runs a limited number of each account's requests at a time, so that none keeps a process or its database from others. */
export class AccountSemaphore {
  readonly #maxRunning: number;
  readonly #maxWaitMs: number;
  readonly #accounts = new Map<string, Account>();

  constructor(maxRunning: number, maxWaitMs: number) {
    this.#maxRunning = maxRunning;
    this.#maxWaitMs = maxWaitMs;
  }

  /**
   * Undefined: the request may run at once; otherwise resolves when it may. The caller must call `release` when it has run.
   * Rejects with 503 when the request has waited too long or its response has closed; it must then not be released.
   */
  acquire(accountId: string, response: ServerResponse): Promise<void> | undefined {
    let account = this.#accounts.get(accountId);
    if (account === undefined) {
      account = { running: 0, waiting: new Set() };
      this.#accounts.set(accountId, account);
    }
    if (account.running < this.#maxRunning) {
      account.running += 1;
      return undefined;
    }
    return waitIn(account.waiting, response, this.#maxWaitMs);
  }

  release(accountId: string): void {
    const account = this.#accounts.get(accountId);
    if (account === undefined) return;
    const [next] = account.waiting;
    // The next request runs in its place.
    if (next !== undefined) next();
    else if (account.running > 1) account.running -= 1;
    else this.#accounts.delete(accountId);
  }
}

function waitIn(waiting: Set<() => void>, response: ServerResponse, maxWaitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timeout);
      response.off("close", giveUp);
      waiting.delete(start);
    };
    const start = () => {
      end();
      resolve();
    };
    const giveUp = () => {
      end();
      reject(new Overloaded());
    };
    const timeout = setTimeout(giveUp, maxWaitMs);
    response.once("close", giveUp);
    waiting.add(start);
    if (response.destroyed) giveUp();
  });
}
