import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import request from "supertest";
import { openBrowser, signedUp } from "../testing/browser.ts";
import { BASE, type Harness, startHarness } from "../testing/harness.ts";
import { createDemo } from "./demo.ts";
import { createDemoLogin } from "./login.ts";
import { DEMO_CAMPAIGNS } from "./market.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
}, 60_000);
afterAll(() => harness.stop());

describe("the demo", () => {
  it("is made once, and its key is the same at every start", async () => {
    const { app, database, reconciler } = harness.management;
    const secret = "s".repeat(32);
    const [first, second] = await Promise.all([
      createDemo(database, secret, Date.now()),
      createDemo(database, secret, Date.now()),
    ]);
    expect(second).toEqual(first);
    expect(await createDemo(database, secret, Date.now())).toEqual(first);
    expect(first.key).toMatch(/^igk_[A-Za-z0-9_-]{32,}$/);
    const stored = await database.apiKey.findFirstOrThrow({ where: { accountId: first.accountId } });
    expect(JSON.stringify(stored)).not.toContain(first.key);
    await reconciler.round();

    const get = (path: string) =>
      request(app)
        .get(BASE + path)
        .set("Authorization", `Bearer ${first.key}`);
    expect((await get("/profile").expect(200)).body.balance_cents).toBeGreaterThan(0);
    const campaigns = await get("/campaigns").expect(200);
    // Newest first: the one that takes every scene is the oldest.
    const oldest = campaigns.body.at(-1);
    expect([campaigns.body.length, oldest.status]).toEqual([DEMO_CAMPAIGNS.length, "active"]);
    expect((await get(`/campaigns/${oldest.id}/creatives`).expect(200)).body.length).toBeGreaterThan(1);
    expect((await get(`/placements/${first.gameId}`).expect(200)).body.is_active).toBe(true);
  });

  it("has a login that is right at every start, and never the operator's", async () => {
    const { app, database } = harness.management;
    const secret = "s".repeat(32);
    const { accountId } = await createDemo(database, secret, Date.now());
    const login = await createDemoLogin(database, accountId, secret);
    const browser = openBrowser(app, login);
    const signedIn = await browser.post("/auth/sign-in", login).expect(200);
    expect(signedIn.body).toMatchObject({
      account: { id: accountId },
      role: "owner",
      user: { is_operator: false },
    });
    const change = { current_password: login.password, new_password: "another password" };
    await browser.post("/auth/change-password", change).expect(204);
    expect(await createDemoLogin(database, accountId, secret)).toEqual(login);
    await browser.post("/auth/sign-in", login).expect(200);
    const first = await signedUp(harness);
    expect((await first.get("/session").expect(200)).body.user.is_operator).toBe(true);
  });

  it("has a login of its own beside another installation's in the same database", async () => {
    const { database } = harness.management;
    const { accountId } = await harness.caller();
    const login = await createDemoLogin(database, accountId, "t".repeat(32));
    expect(login.email).not.toBe("demo@example.com");
    await openBrowser(harness.management.app).post("/auth/sign-in", login).expect(200);
  });
});
