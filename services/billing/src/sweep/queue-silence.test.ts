import { DatabaseUnavailable, StatementTimeout } from "@diegetic/database";
import { expect, it } from "@jest/globals";
import { QueueSilence } from "./queue-silence.ts";

const AFTER_MS = 100;

/** What is said at a moment so long after a silence began, and something happened then. */
async function isSilentAt(ms: number, happens: (silence: QueueSilence) => unknown): Promise<boolean> {
  let nowMs = 1_000;
  const silence = new QueueSilence(AFTER_MS, () => nowMs);
  nowMs += AFTER_MS;
  expect(silence.isSilent()).toBe(false);
  nowMs += 1;
  expect(silence.isSilent()).toBe(true);
  await happens(silence);
  nowMs += ms;
  return silence.isSilent();
}

it("ends by a job", async () => {
  const deliver = (silence: QueueSilence) => silence.end();
  expect(await isSilentAt(AFTER_MS, deliver)).toBe(false);
  expect(await isSilentAt(AFTER_MS + 1, deliver)).toBe(true);
});

it.each([
  ["Postgres was unavailable", new DatabaseUnavailable("gone"), false],
  ["a row was locked", new StatementTimeout("canceled"), true],
  ["Redis was unavailable", new Error("ECONNREFUSED"), true],
])("knows, when %s, what that says of the queue", async (_name, error, isSilent) => {
  const fail = (silence: QueueSilence) => expect(silence.watch(Promise.reject(error))).rejects.toBe(error);
  expect(await isSilentAt(AFTER_MS, fail)).toBe(isSilent);
  expect(await isSilentAt(AFTER_MS + 1, fail)).toBe(true);
});

it("goes on when something is written: that was not the queue's doing", async () => {
  expect(await isSilentAt(0, (silence) => silence.watch(Promise.resolve()))).toBe(true);
});
