import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { AccountSemaphore } from "./account-semaphore.ts";

const MAX_RUNNING = 2;

it("runs each account's requests in their order, as many at a time as may be, whatever others do", async () => {
  const step = fc.record({ accountId: fc.constantFrom("a", "b"), begins: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const semaphore = new AccountSemaphore(MAX_RUNNING);
      const accounts = new Map(["a", "b"].map((id) => [id, { begun: 0, ended: 0, started: [] as number[] }]));
      for (const { accountId, begins } of steps) {
        const account = accounts.get(accountId);
        if (account === undefined) throw new Error("there are two");
        if (begins) {
          const number = account.begun++;
          const waiting = semaphore.acquire(accountId);
          if (waiting === undefined) account.started.push(number);
          else void waiting.then(() => account.started.push(number));
        } else if (account.ended < account.started.length) {
          account.ended += 1;
          semaphore.release(accountId);
        }
        await Promise.resolve();
        const mayHaveStarted = Math.min(account.begun, account.ended + MAX_RUNNING);
        expect(account.started).toEqual(Array.from({ length: mayHaveStarted }, (_, number) => number));
      }
    }),
  );
});
