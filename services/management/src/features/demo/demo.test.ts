import { newId } from "@diegetic/contracts";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import request from "supertest";
import { openBrowser, signedUp } from "../../testing/browser.ts";
import { BASE, type Harness, startHarness } from "../../testing/harness.ts";
import { createDemo } from "./demo.ts";
import { endDemoAccess } from "./end.ts";
import { demoHistory } from "./history.ts";
import { createDemoLogin } from "./login.ts";
import { DEMO_CAMPAIGNS } from "./market.ts";
import { demoGameKey, preparePlay } from "./play.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

describe("the demo", () => {
  it("is made once, and its key is the same at every start", async () => {
    const { app, database, repairLoop } = harness.management;
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
    await repairLoop.round();

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

  it("has its history written before its login, and never again", async () => {
    const { database } = harness.management;
    const secret = "s".repeat(32);
    const { accountId } = await createDemo(database, secret, Date.now());
    expect((await demoHistory(database, accountId))?.records.length).toBeGreaterThan(10_000);
    await createDemoLogin(database, accountId, secret);
    expect(await demoHistory(database, accountId)).toBeUndefined();
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
      user: { is_operator: false, is_demo: true },
    });
    const change = { current_password: login.password, new_password: "another password" };
    await browser.post("/auth/change-password", change).expect(204);
    expect(await createDemoLogin(database, accountId, secret)).toEqual(login);
    await browser.post("/auth/sign-in", login).expect(200);
    const first = await signedUp(harness);
    expect((await first.get("/session").expect(200)).body.user).toMatchObject({
      is_operator: true,
      is_demo: false,
    });
  });

  it("is inaccessible after a start without the demo, and accessible again after a start with it", async () => {
    const { app, database, repairLoop } = harness.management;
    const secret = "u".repeat(32);
    const start = async () => {
      const demo = await createDemo(database, secret, Date.now());
      await preparePlay(database, { accountId: demo.accountId, secret, nowMs: Date.now() });
      return { ...demo, login: await createDemoLogin(database, demo.accountId, secret) };
    };
    const { accountId, key, login } = await start();
    const browser = openBrowser(app);
    await browser.post("/auth/sign-in", login).expect(200);
    const demo = harness.callerWith(accountId, key);
    const played = harness.callerWith(accountId, demoGameKey(secret));
    const own = await demo.post("/api-keys", { label: "somebody's own" }).expect(201);
    const withOwn = harness.callerWith(accountId, own.body.key);
    const campaigns = async (): Promise<{ id: string; status: string }[]> =>
      (await withOwn.get("/campaigns").expect(200)).body;
    const statuses = async () => new Map((await campaigns()).map(({ id, status }) => [id, status]));
    await repairLoop.round();
    const active = (await campaigns()).filter(({ status }) => status === "active").map(({ id }) => id);
    const [resumed = "", pausedByUser = ""] = active;
    await demo.post(`/campaigns/${pausedByUser}/pause`).expect(200);
    const before = await statuses();
    await demo.get("/profile").expect(200);
    await played.get("/profile").expect(403);

    await endDemoAccess(database, secret);
    await endDemoAccess(database, secret);
    await demo.get("/profile").expect(401);
    await played.get("/profile").expect(401);
    await browser.get("/session").expect(401);
    await browser.post("/auth/sign-in", login).expect(401);
    await withOwn.get("/profile").expect(200);
    const paused = [...before].map(([id, status]) => [id, status === "active" ? "paused" : status]);
    expect(await statuses()).toEqual(new Map(paused as [string, string][]));
    await repairLoop.round();
    await withOwn.post(`/campaigns/${resumed}/activate`).expect(200);
    await endDemoAccess(database, secret);
    expect((await statuses()).get(resumed)).toBe("active");

    expect(await start()).toMatchObject({ accountId, key, login });
    await demo.get("/profile").expect(200);
    await played.get("/profile").expect(403);
    expect(await statuses()).toEqual(before);
    await browser.post("/auth/sign-in", login).expect(200);
    await repairLoop.round();
    const { id } = (await demo.get("/api-keys").expect(200)).body[0];
    await demo.delete(`/api-keys/${id}`).expect(204);
    await start();
    await demo.get("/profile").expect(401);
  });

  it("has a login beside users who took its addresses", async () => {
    const { app, database } = harness.management;
    const { accountId } = await harness.caller();
    const signIn = () => createDemoLogin(database, accountId, "t".repeat(32));
    for (let taken = 0; taken < 3; taken += 1) {
      const { email } = await signIn();
      await database.user.update({ where: { email }, data: { email: `${newId("usr")}@example.com` } });
      const { password } = await signedUp(harness, { email });
      const login = await signIn();
      expect(await signIn()).toEqual(login);
      await openBrowser(app).post("/auth/sign-in", login).expect(200);
      await openBrowser(app).post("/auth/sign-in", { email, password }).expect(200);
    }
  });

  it("has a login of its own beside another installation's in the same database", async () => {
    const { database } = harness.management;
    const { accountId } = await harness.caller();
    const login = await createDemoLogin(database, accountId, "t".repeat(32));
    expect(login.email).not.toBe("demo@example.com");
    await openBrowser(harness.management.app).post("/auth/sign-in", login).expect(200);
  });
});
