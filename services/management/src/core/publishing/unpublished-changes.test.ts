import { Prisma } from "@diegetic/database";
import { SnapshotPublisher } from "@diegetic/hot-state";
import { eventually } from "@diegetic/testing/eventually";
import { forgetLostLeases } from "@diegetic/testing/new-redis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { snapshotKeys } from "../../../../../packages/hot-state/src/keys.ts";
import { signedUp } from "../../testing/browser.ts";
import {
  activeCampaign,
  type Caller,
  campaignBody,
  creativeBody,
  type Harness,
  startHarness,
} from "../../testing/harness.ts";
import { holdLock, waitingForLock } from "../../testing/locks.ts";

/** Longer than a machine stalls. A server that is younger may have lost leases. */
const LEASE_MS = 6_000;
const RENEW_MS = 100;
/** Each change under test waits so long. */
const PROPAGATION_TIMEOUT_MS = 1_000;

let harness: Harness;
beforeAll(async () => {
  const limits = { leaseMs: LEASE_MS, propagationTimeoutMs: PROPAGATION_TIMEOUT_MS };
  harness = await startHarness(undefined, limits);
  // Only the rounds of this test publish what was left behind.
  await harness.management.repairLoop.stop();
});
afterAll(() => harness.stop());
beforeEach(publishEverything);

/** After a Redis that took no writes, changes would wait for the snapshot, and for leases of before. */
async function publishEverything(): Promise<void> {
  await harness.management.repairLoop.round();
  await forgetLostLeases(harness.redisUrl);
  await new SnapshotPublisher(harness.redis, { leaseMs: LEASE_MS }).awaitPublished(60_000);
}

let renewing: NodeJS.Timeout | undefined;

function renewStuckLease(): Promise<unknown> {
  return harness.redis.hset(snapshotKeys.leases, "stuck", `0:${Date.now() + LEASE_MS}:1`);
}

/** How publishing is made to fail after the commit, and how it is mended. */
const failures: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
  [
    "a match instance that never catches up",
    () => {
      renewing = setInterval(() => void renewStuckLease(), RENEW_MS);
      return renewStuckLease();
    },
    () => {
      clearInterval(renewing);
      return harness.redis.hdel(snapshotKeys.leases, "stuck");
    },
  ],
  [
    "a Redis that takes no writes",
    // A replica refuses them, as a node does that has lost its role.
    () => harness.redis.call("REPLICAOF", "127.0.0.1", "1"),
    () => harness.redis.call("REPLICAOF", "NO", "ONE"),
  ],
];
// A test that failed may have left them.
afterEach(async () => {
  for (const [, , mend] of failures.toReversed()) await mend();
});

const placement = { creator_id: "c", placement_types: ["narrative_hook"] };

async function made(caller: Caller & { advertiserId: string }) {
  const draft = (await caller.post("/campaigns", campaignBody).expect(201)).body.id as string;
  await caller.post(`/campaigns/${draft}/creatives`, creativeBody).expect(201);
  const active = await activeCampaign(caller);
  const game = `game-${caller.advertiserId}`;
  await caller.post(`/placements/${game}`, placement).expect(201);
  return { draft, active, game };
}

describe.each(failures)("with %s", (_what, fail, mend) => {
  it("what gives or creates is answered as done, once; what restricts is 503 and stored", async () => {
    const caller = await harness.advertiser(1_000);
    const { draft, active, game } = await made(caller);
    const stranger = await harness.caller();
    const key = (await caller.get("/api-keys").expect(200)).body[0].id as string;
    const spare = (await caller.post("/api-keys", { label: "spare" }).expect(201)).body.id as string;
    await fail();
    const profile = { company_name: "Late", contact_email: `${stranger.accountId}@example.com` };
    const [, deposit, campaign, creative, , , created, rotated] = await Promise.all([
      stranger.post("/register", profile).expect(201),
      caller.post("/deposit", { amount_cents: 250 }).expect(200),
      caller.post("/campaigns", { ...campaignBody, name: "late" }).expect(201),
      caller.post(`/campaigns/${active.campaignId}/creatives`, creativeBody).expect(201),
      caller.post(`/campaigns/${draft}/activate`).expect(200),
      caller.post(`/placements/${game}-new`, placement).expect(201),
      caller.post("/api-keys", { label: "made" }).expect(201),
      caller.post(`/api-keys/${key}/rotate`, { overlap_seconds: 60 }).expect(201),
    ]);
    expect(deposit.body.balance_cents).toBe(1_250);
    expect([created.body.key, rotated.body.key]).toEqual([expect.any(String), expect.any(String)]);
    const stored = await Promise.all([
      caller.post(`/campaigns/${active.campaignId}/pause`),
      caller.patch(`/campaigns/${draft}`, { budget_cents: 20_000 }),
      caller.patch(`/creatives/${active.creativeId}`, { tone: "humorous" }),
      caller.post(`/placements/${game}`, { ...placement, max_ads_per_session: 1 }),
      caller.post(`/campaigns/${draft}/blocklist`, { rule_type: "keyword", value: "war" }),
      caller.delete(`/api-keys/${spare}`),
    ]);
    for (const answer of stored) {
      expect([answer.status, answer.body.detail, answer.headers["retry-after"]]).toEqual([
        503,
        expect.stringContaining("is stored and will be in force shortly"),
        "2",
      ]);
    }
    await mend();
    const { database, repairLoop } = harness.management;
    await repairLoop.round();
    const rows = await database.campaign.findMany({ where: { advertiserId: caller.advertiserId } });
    expect(rows).toHaveLength(3);
    for (const row of rows) expect(row.publishedVersion).toBe(row.version);
    const byId = new Map(rows.map((row) => [row.id, row]));
    expect(byId.get(active.campaignId)?.status).toBe("paused");
    expect(byId.get(draft)).toMatchObject({ status: "active", budgetCents: 20_000 });
    expect(byId.get(campaign.body.id)?.name).toBe("late");
    expect(await database.creative.count({ where: { id: creative.body.id } })).toBe(1);
    await eventually(async () => {
      const wallet = await harness.money.readAccount(caller.advertiserId);
      return wallet?.depositedMillicents === 1_250_000;
    });
    expect(await harness.money.readCampaign(caller.advertiserId, draft)).toMatchObject({ status: "active" });
  });
});

describe.each(failures)(
  "a placement that another request enables meanwhile, with %s",
  (_what, fail, mend) => {
    it("is restricted, which is 503", async () => {
      const caller = await harness.caller();
      const { accountId } = caller;
      const path = `/placements/game-${accountId}`;
      await caller.post(path, placement).expect(201);
      await caller.delete(path).expect(204);
      const enable = await holdLock(
        harness,
        Prisma.sql`UPDATE placements SET is_active = true WHERE account_id = ${accountId}`,
      );
      await fail();
      const restricting = caller
        .post(path, { ...placement, max_ads_per_session: 1 })
        .then((answer) => answer);
      await waitingForLock(harness, "placements");
      await enable();
      const { status } = await restricting;
      await mend();
      expect(status).toBe(503);
    });
  },
);

describe.each(failures)("a pause that is stored but not in effect, with %s", (_what, fail, mend) => {
  it("is 503 each time it is sent, 200 once it is in effect, and 409 after that", async () => {
    const caller = await harness.advertiser(1_000);
    const { draft, active } = await made(caller);
    const pause = `/campaigns/${active.campaignId}/pause`;
    const versionOf = async () => {
      const where = { where: { id: active.campaignId } };
      return (await harness.management.database.campaign.findUniqueOrThrow(where)).version;
    };
    await fail();
    await caller.post(pause).expect(503);
    const stored = await versionOf();
    await caller.post(pause).expect(503);
    await mend();
    await publishEverything();
    const answer = await caller.post(pause).expect(200);
    expect(answer.body).toMatchObject({ id: active.campaignId, status: "paused" });
    expect(await harness.money.readCampaign(caller.advertiserId, active.campaignId)).toMatchObject({
      status: "paused",
      version: stored,
    });
    expect(await versionOf()).toBe(stored);
    await caller.post(pause).expect(409);
    await caller.post(`/campaigns/${draft}/pause`).expect(409);
    await caller.post(`/campaigns/${active.campaignId}/activate`).expect(200);
    await caller.post(pause).expect(200);
    await caller.post(pause).expect(409);
  });
});

// Without writes to Redis, signing out counts no request, and so ends nothing.
describe.each(failures.slice(0, 1))(
  "a session that ends, but not in effect, with %s",
  (_what, fail, mend) => {
    it("leaves its browser the new cookie after a password change, and none after a sign-out", async () => {
      const browser = await signedUp(harness);
      const { email, password, cookie } = browser;
      await fail();
      const change = { current_password: password, new_password: "a new password" };
      await browser.post("/auth/change-password", change).expect(503);
      const renewed = browser.cookie;
      await browser.post("/auth/sign-out").expect(503);
      await mend();
      expect(["", cookie]).not.toContain(renewed);
      expect(browser.cookie).toBe("");
      browser.cookie = renewed;
      await browser.get("/session").expect(401);
      await browser.post("/auth/sign-in", { email, password: "a new password" }).expect(200);
    });
  },
);

describe("Publishing", () => {
  it("tells of a failure that does not pass, and answers what gives nevertheless", async () => {
    const { publishing } = harness.management;
    const { advertiserId } = await harness.advertiser();
    // No hash, as a wallet is.
    await harness.redis.set(`{${advertiserId}}:account`, "broken");
    await expect(publishing.publishAndWait("advertiser", advertiserId)).rejects.toThrow("WRONGTYPE");
    await expect(publishing.publishEventually("advertiser", advertiserId)).resolves.toBeUndefined();
  });
});
