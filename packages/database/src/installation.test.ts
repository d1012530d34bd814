import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createDatabase, type Database } from "./database.ts";
import { DatabaseUnavailable } from "./errors.ts";
import { hasOtherPlayerHashKey, installationId, recordPlayerHashKey } from "./installation.ts";

let test: TestDatabase;
let database: Database;
beforeAll(async () => {
  test = await createTestDatabase();
  database = createDatabase(test.url);
});
afterAll(async () => {
  await database.$disconnect();
  await test.drop();
});

describe("installationId", () => {
  it("reports a missing id in one sentence, and finds it again once it is put back", async () => {
    const id = await installationId(database);
    expect(id).toMatch(/^inst_[0-9a-f]{32}$/);

    await database.$executeRaw`TRUNCATE installation`;
    const error = await installationId(database).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect(String(error)).toMatch(
      /DATABASE_URL .* its table installation is empty: put the row back.*operating\.md\)\.$/,
    );

    await database.$executeRaw`INSERT INTO installation (id) VALUES (${id})`;
    expect(await installationId(database)).toBe(id);
  });
});

describe("the check value of PLAYER_HASH_KEY", () => {
  it("is the first that is recorded, until it is removed", async () => {
    expect(await hasOtherPlayerHashKey(database, "first")).toBe(false);
    await recordPlayerHashKey(database, "first");
    await recordPlayerHashKey(database, "second");
    expect(await hasOtherPlayerHashKey(database, "first")).toBe(false);
    expect(await hasOtherPlayerHashKey(database, "second")).toBe(true);
    await database.$executeRaw`UPDATE installation SET player_hash_key_check = NULL`;
    expect(await hasOtherPlayerHashKey(database, "second")).toBe(false);
    await recordPlayerHashKey(database, "second");
    expect(await hasOtherPlayerHashKey(database, "first")).toBe(true);
  });
});
