import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import request from "supertest";
import { BASE, campaignBody, type Harness, startHarness } from "../../testing/harness.ts";
import { hold } from "../../testing/spending.ts";
import { createDemo } from "./demo.ts";
import { PLAY_GAME } from "./market.ts";
import { demoGameKey, preparePlay } from "./play.ts";

const SECRET = "s".repeat(32);

let harness: Harness;
let other: Harness;
beforeAll(async () => {
  [harness, other] = await Promise.all([
    startHarness(undefined, { demoGameKey: demoGameKey(SECRET) }),
    startHarness(),
  ]);
  const { database, repairLoop } = harness.management;
  const { accountId } = await createDemo(database, SECRET, Date.now());
  const parts = { accountId, secret: SECRET, nowMs: Date.now() };
  await Promise.all([preparePlay(database, parts), preparePlay(database, parts)]);
  await repairLoop.round();
});
afterAll(() => Promise.all([harness.stop(), other.stop()]));

describe("GET /demo", () => {
  it("shows the game and the demo account's money to anybody", async () => {
    const { body } = await request(harness.management.app).get(`${BASE}/demo`).expect(200);
    expect(body).toEqual({
      game_id: PLAY_GAME.gameId,
      api_key: demoGameKey(SECRET),
      balance_millicents: expect.any(Number),
      held_millicents: 0,
      spent_millicents: 0,
      impressions: 0,
      earned_microcents: 0,
    });
    expect(body.balance_millicents).toBeGreaterThan(0);
  });

  it("shows what open matches hold, which is no longer balance", async () => {
    const read = async () => (await request(harness.management.app).get(`${BASE}/demo`).expect(200)).body;
    const before = await read();
    const { database } = harness.management;
    const campaign = await database.campaign.findFirstOrThrow({
      where: { status: "active", dailyCapCents: null },
      include: { creatives: true },
    });
    const held = await hold(harness.money, {
      advertiserId: campaign.advertiserId,
      campaignId: campaign.id,
      creativeId: campaign.creatives[0]?.id ?? "",
      campaignVersion: campaign.version,
      priceMillicents: 700,
    });
    expect(held).toMatchObject({ outcome: "held" });
    expect(await read()).toEqual({
      ...before,
      balance_millicents: before.balance_millicents - 700,
      held_millicents: 700,
    });
  });

  it("gives a key that may do nothing but serve", async () => {
    const { body } = await request(harness.management.app).get(`${BASE}/demo`).expect(200);
    const caller = harness.callerWith("", body.api_key);
    await caller.post("/campaigns", campaignBody).expect(403);
    await caller.get("/profile").expect(403);
    await caller.get("/api-keys").expect(403);
  });

  it("is not there without demo data", async () => {
    const { body } = await request(other.management.app).get(`${BASE}/demo`).expect(404);
    expect(body).toEqual({ detail: "This installation has no demo game: start it with DEMO=1." });
  });
});
