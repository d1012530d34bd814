import { DatabaseUnavailable, StatementTimeout } from "@diegetic/database";
import { expect, it } from "@jest/globals";
import { QueueSilence } from "./queue-silence.ts";

const AFTER_MS = 100;

/** Looks repeatedly at a queue that has a job. */
async function isSilentAt(ms: number, happens: (silence: QueueSilence) => unknown): Promise<boolean> {
  let nowMs = 0;
  const silence = new QueueSilence(AFTER_MS, () => nowMs);
  const lookUntil = (endMs: number) => {
    for (; nowMs < endMs; nowMs = Math.min(nowMs + AFTER_MS / 2, endMs)) silence.isSilent(1);
    return silence.isSilent(1);
  };
  expect(lookUntil(AFTER_MS)).toBe(false);
  expect(lookUntil(AFTER_MS + 1)).toBe(true);
  await happens(silence);
  return lookUntil(nowMs + ms);
}

it("is not silent while it is empty, nor because nobody looked", () => {
  let nowMs = 0;
  const silence = new QueueSilence(AFTER_MS, () => nowMs);
  nowMs = 100 * AFTER_MS;
  expect(silence.isSilent(1)).toBe(false);
  nowMs += AFTER_MS;
  expect(silence.isSilent(0)).toBe(false);
  nowMs += AFTER_MS;
  expect(silence.isSilent(1)).toBe(false);
  nowMs += 1;
  expect(silence.isSilent(1)).toBe(true);
});

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
