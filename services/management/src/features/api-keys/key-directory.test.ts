import { createHash } from "node:crypto";
import { createReader, Prisma, type Reader } from "@diegetic/database";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { type Harness, startHarness } from "../../testing/harness.ts";
import { holdLock, waitingForLock } from "../../testing/locks.ts";
import { createKeyDirectory } from "./key-directory.ts";

let harness: Harness;
let reader: Reader;
beforeAll(async () => {
  harness = await startHarness();
  reader = createReader(harness.databaseUrl);
});
afterAll(async () => {
  await reader.close();
  await harness.stop();
});

it("looks a key up once for all requests that wait, and once more for those that arrive meanwhile", async () => {
  const { accountId, key } = await harness.caller();
  const sha256 = createHash("sha256").update(key).digest("hex");
  let statements = 0;
  const counting: Pick<Reader, "query"> = {
    query(statement) {
      statements += 1;
      return reader.query(statement);
    },
  };
  const directory = createKeyDirectory(
    { database: harness.management.database, reader: counting, claim: { expectOwn: async () => undefined } },
    Date.now,
  );
  const release = await holdLock(harness, Prisma.sql`LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE`);
  const early = [directory.find(sha256), directory.find(sha256)];
  await waitingForLock(harness, "FROM api_keys WHERE sha256");
  const late = [directory.find(sha256), directory.find(sha256)];
  await release();
  for (const found of await Promise.all([...early, ...late])) expect(found).toMatchObject({ accountId });
  expect(statements).toBe(2);
});
