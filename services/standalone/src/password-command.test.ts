import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createDatabase } from "@diegetic/database";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

describe("npm run password", () => {
  let store: TestDatabase;
  beforeAll(async () => {
    store = await createTestDatabase();
  });
  afterAll(() => store.drop());

  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, ["scripts/password.mjs", ...args], {
      cwd: ROOT,
      env: { ...process.env, DATABASE_URL: store.url },
    });

  it("prints a new password of the user alone", async () => {
    const database = createDatabase(store.url, { poolSize: 1, applicationName: "password-test" });
    try {
      const user = { id: "usr_1", name: "Ada", email: "ada@hearthwell.example" };
      await database.user.create({ data: user });
      const former = { accountId: user.id, providerId: "credential", password: "the former hash" };
      const credential = { id: "crd_1", userId: user.id, ...former };
      await database.userCredential.create({ data: credential });
      const { stdout, stderr } = await run("--email", "Ada@Hearthwell.example");
      expect(stderr).toBe("");
      expect(stdout).toMatch(/^[\w-]{20}\n$/);
      const { password: hash } = await database.userCredential.findFirstOrThrow();
      expect(hash).not.toBe(former.password);
      expect(hash).not.toContain(stdout.trim());
    } finally {
      await database.$disconnect();
    }
  });

  it.each([
    [
      ["--email", "bo@hearthwell.example"],
      1,
      '--email is "bo@hearthwell.example": nobody signs in with this address.\n',
    ],
    [[], 2, /^--email is needed: .*\nUsage: npm run --silent password -- --email ADDRESS\n$/],
  ])("refuses %j", async (args, code, sentence) => {
    await expect(run(...args)).rejects.toMatchObject({
      code,
      stdout: "",
      stderr: typeof sentence === "string" ? sentence : expect.stringMatching(sentence),
    });
  });
});
