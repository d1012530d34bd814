import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import request from "supertest";
import { BASE, type Harness, startHarness } from "../testing/harness.ts";
import { createDemo } from "./demo.ts";

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
    expect(campaigns.body).toHaveLength(1);
    expect(campaigns.body[0].status).toBe("active");
    expect(
      (await get(`/campaigns/${campaigns.body[0].id}/creatives`).expect(200)).body.length,
    ).toBeGreaterThan(1);
    expect((await get(`/placements/${first.gameId}`).expect(200)).body.is_active).toBe(true);
  });
});
