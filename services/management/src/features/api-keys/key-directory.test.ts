import { createHash } from "node:crypto";
import { createReader, Prisma } from "@diegetic/database";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { type Harness, startHarness } from "../../testing/harness.ts";
import { holdLock, waitingForLock } from "../../testing/locks.ts";
import { createKeyDirectory } from "./key-directory.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

it("looks a key up once for all who wait for it, and again for who asks while that goes on", async () => {
  const { accountId, key } = await harness.caller();
  const sha256 = createHash("sha256").update(key).digest("hex");
  const reader = createReader(harness.databaseUrl);
  const claim = { expectOwn: async () => undefined };
  const { database } = harness.management;
  const directory = createKeyDirectory({ database, reader, claim }, Date.now);
  const release = await holdLock(harness, Prisma.sql`LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE`);
  const early = [directory.find(sha256), directory.find(sha256)];
  await waitingForLock(harness, "FROM api_keys WHERE sha256");
  const late = [directory.find(sha256), directory.find(sha256)];
  await release();
  const [first, second, third, fourth] = await Promise.all([...early, ...late]);
  expect(first).toMatchObject({ accountId });
  expect(second).toBe(first);
  expect(third).toEqual(first);
  expect(third).not.toBe(first);
  expect(fourth).toBe(third);
  await reader.close();
});
