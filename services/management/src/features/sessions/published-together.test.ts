import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { openBrowser, signedUp } from "../../testing/browser.ts";
import { type Harness, startHarness } from "../../testing/harness.ts";

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
  // Its rounds publish rows that a request is about to publish, and so change by which transaction.
  await harness.management.repairLoop.stop();
});

afterAll(async () => {
  await harness.stop();
});

/** A user with four sessions. */
async function signedInFourTimes(fields: object = {}) {
  const browser = await signedUp(harness, {}, fields);
  const { email, password } = browser;
  for (let i = 0; i < 3; i += 1) {
    await openBrowser(harness.management.app).post("/auth/sign-in", { email, password }).expect(200);
  }
  const userId: string = (await browser.get("/session").expect(200)).body.user.id;
  return { browser, userId, password };
}

/** How many of the user's rows each transaction wrote last. */
function rowsByTransaction(table: "account_sessions" | "api_keys", column: string, userId: string) {
  return harness.management.database.$queryRawUnsafe(
    `SELECT count(*)::int AS rows FROM ${table} WHERE ${column} = $1 GROUP BY xmin::text ORDER BY 1`,
    userId,
  );
}

describe("rows of one request are published together", () => {
  it("when a call ends all other sessions", async () => {
    const { browser, userId } = await signedInFourTimes();
    await browser.post("/auth/end-other-sessions").expect(204);
    expect(await rowsByTransaction("account_sessions", "user_id", userId)).toEqual([
      { rows: 1 },
      { rows: 3 },
    ]);
  });

  it("when a new password ends sessions", async () => {
    const { browser, userId, password } = await signedInFourTimes();
    const change = { current_password: password, new_password: "another password" };
    await browser.post("/auth/change-password", change).expect(204);
    expect(await rowsByTransaction("account_sessions", "user_id", userId)).toEqual([
      { rows: 1 },
      { rows: 4 },
    ]);
  });

  it("when a member changes or is removed", async () => {
    const owner = await signedUp(harness);
    const { token } = (await owner.post("/invitations", { role: "viewer" }).expect(201)).body;
    const { browser: guest, userId } = await signedInFourTimes({ invitation_token: token });
    await owner.patch(`/members/${userId}`, { role: "owner" }).expect(200);
    expect(await rowsByTransaction("account_sessions", "user_id", userId)).toEqual([{ rows: 4 }]);
    for (const label of ["first", "second", "third"]) await guest.post("/api-keys", { label }).expect(201);
    await owner.delete(`/members/${userId}?revoke_keys=true`).expect(204);
    expect(await rowsByTransaction("account_sessions", "user_id", userId)).toEqual([{ rows: 4 }]);
    expect(await rowsByTransaction("api_keys", "created_by_user_id", userId)).toEqual([{ rows: 3 }]);
  });
});
