import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { AccountSemaphore } from "./account-semaphore.ts";
import { Overloaded } from "./http-error.ts";

const MAX_RUNNING = 2;
const LONG_MS = 3_600_000;

const response = () => new ServerResponse(new IncomingMessage(new Socket()));

it("runs each account's requests in their order, as many at a time as may be, whatever others do", async () => {
  const step = fc.record({
    accountId: fc.constantFrom("a", "b"),
    does: fc.constantFrom("begin", "end", "go"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const semaphore = new AccountSemaphore(MAX_RUNNING, LONG_MS);
      const accounts = new Map(
        ["a", "b"].map((id) => [
          id,
          {
            begun: 0,
            ended: 0,
            started: [] as number[],
            waiting: [] as Waiting[],
            refusals: [] as unknown[],
          },
        ]),
      );
      const expected = new Map(["a", "b"].map((id) => [id, [] as number[]]));
      for (const { accountId, does } of steps) {
        const account = accounts.get(accountId);
        const started = expected.get(accountId);
        if (account === undefined || started === undefined) throw new Error("there are two");
        if (does === "begin") {
          const number = account.begun++;
          const own = response();
          const waiting = semaphore.acquire(accountId, own);
          if (waiting === undefined) account.started.push(number);
          else {
            account.waiting.push({ number, response: own });
            void waiting.then(
              () => account.started.push(number),
              (error: unknown) => account.refusals.push(error),
            );
          }
          if (started.length < account.ended + MAX_RUNNING) started.push(number);
        } else if (does === "end" && account.ended < account.started.length) {
          account.ended += 1;
          semaphore.release(accountId);
          const next = account.waiting.shift();
          if (next !== undefined) started.push(next.number);
        } else if (does === "go") {
          account.waiting.pop()?.response.emit("close");
        }
        await new Promise((resolve) => setImmediate(resolve));
        expect(account.started).toEqual(started);
      }
      for (const { waiting } of accounts.values()) for (const one of waiting) one.response.emit("close");
      await new Promise((resolve) => setImmediate(resolve));
      for (const { begun, started, refusals } of accounts.values()) {
        expect(refusals).toHaveLength(begun - started.length);
        for (const refusal of refusals) expect(refusal).toBeInstanceOf(Overloaded);
      }
    }),
  );
});

interface Waiting {
  number: number;
  response: ServerResponse;
}

it("refuses a request that has waited too long, or whose client had gone before it waited", async () => {
  const semaphore = new AccountSemaphore(1, 1);
  expect(semaphore.acquire("a", response())).toBeUndefined();
  await expect(semaphore.acquire("a", response())).rejects.toThrow(Overloaded);
  await expect(semaphore.acquire("a", response().destroy())).rejects.toThrow(Overloaded);
  semaphore.release("a");
  expect(semaphore.acquire("a", response())).toBeUndefined();
});
