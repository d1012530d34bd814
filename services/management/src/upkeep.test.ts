import { newId } from "@diegetic/contracts";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { SUSPENDED_EXPIRY } from "./features/api-keys/api-key.ts";
import { signedUp } from "./testing/browser.ts";
import { activeCampaign, type Harness, startHarness } from "./testing/harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

const LONG_AGO = new Date(Date.now() - 31 * 24 * 60 * 60 * 1_000);

/** Whether the snapshot has a version of the entity, and names it in its log. */
async function isNamed(name: string): Promise<[boolean, boolean]> {
  const { redis } = harness;
  const isVersioned = await redis.hexists("{snapshot}:row-versions", name);
  return [isVersioned === 1, (await redis.zscore("{snapshot}:log", name)) !== null];
}

describe("upkeep deletes from Postgres and Redis", () => {
  it("a session that expired long ago", async () => {
    const { database } = harness.management;
    const browser = await signedUp(harness);
    const { session_id: id } = (await browser.get("/session").expect(200)).body;
    const { sha256 } = await database.accountSession.findUniqueOrThrow({ where: { id } });
    await browser.post("/auth/sign-out").expect(204);
    // The newest change is kept.
    await signedUp(harness);
    expect(await isNamed(`session:${sha256}`)).toEqual([true, true]);
    await database.accountSession.update({ where: { id }, data: { expiresAt: LONG_AGO } });
    await eventually(async () => (await database.accountSession.findUnique({ where: { id } })) === null);
    expect(await isNamed(`session:${sha256}`)).toEqual([false, false]);
  });

  it("an API key that was revoked long ago", async () => {
    const { database } = harness.management;
    const caller = await harness.caller();
    const { id } = (await caller.post("/api-keys", { label: "ends" }).expect(201)).body;
    const { sha256 } = await database.apiKey.findUniqueOrThrow({ where: { id } });
    await caller.delete(`/api-keys/${id}`).expect(204);
    await harness.caller();
    expect(await isNamed(`key:${sha256}`)).toEqual([true, true]);
    await database.apiKey.update({ where: { id }, data: { revokedAt: LONG_AGO } });
    await eventually(async () => (await database.apiKey.findUnique({ where: { id } })) === null);
    expect(await isNamed(`key:${sha256}`)).toEqual([false, false]);
  });

  it("an API key that expired long ago, once its removal is not the newest change", async () => {
    const { database } = harness.management;
    const caller = await harness.caller();
    const { id } = (await caller.post("/api-keys", { label: "expires" }).expect(201)).body;
    const { sha256 } = await database.apiKey.update({ where: { id }, data: { expiresAt: LONG_AGO } });
    await eventually(async () => {
      const row = await database.apiKey.findUniqueOrThrow({ where: { id } });
      return row.revokedAt !== null && row.publishedVersion === row.version;
    });
    expect(await isNamed(`key:${sha256}`)).toEqual([true, true]);
    await harness.caller();
    await eventually(async () => (await database.apiKey.findUnique({ where: { id } })) === null);
    expect(await isNamed(`key:${sha256}`)).toEqual([false, false]);
  });

  it("a creative that was deleted long ago and never seen", async () => {
    const { database } = harness.management;
    const advertiser = await harness.advertiser(1_000_000);
    const { campaignId } = await activeCampaign(advertiser, {});
    const rowOf = (brandName: string, forgetAt: Date | null, impressions: bigint) =>
      database.creative.create({
        data: {
          id: newId("crt"),
          campaignId,
          creativeType: "product_mention",
          brandName,
          deletedAt: LONG_AGO,
          forgetAt,
          impressions,
        },
      });
    const past = new Date(Date.now() - 1_000);
    await rowOf("not yet", new Date(Date.now() + 60_000), 0n);
    const { id: seen } = await rowOf("seen meanwhile", past, 1n);
    const { id } = await rowOf("unseen", past, 0n);
    await eventually(async () => (await database.creative.findUnique({ where: { id } })) === null);
    await eventually(
      async () => (await database.creative.findUniqueOrThrow({ where: { id: seen } })).forgetAt === null,
    );
    const left = await database.creative.findMany({ where: { campaignId, deletedAt: LONG_AGO } });
    expect(left.map(({ brandName }) => brandName).sort()).toEqual(["not yet", "seen meanwhile"]);
  });

  it("no suspended API key", async () => {
    const { database } = harness.management;
    const caller = await harness.caller();
    const made = async () =>
      (await caller.post("/api-keys", { label: "ends" }).expect(201)).body.id as string;
    const [suspended, expired] = [await made(), await made()];
    await database.apiKey.update({ where: { id: suspended }, data: { expiresAt: SUSPENDED_EXPIRY } });
    await database.apiKey.update({ where: { id: expired }, data: { expiresAt: new Date(1) } });
    const revokedAt = async (id: string) => (await database.apiKey.findUnique({ where: { id } }))?.revokedAt;
    await eventually(async () => (await revokedAt(expired)) !== null);
    expect(await revokedAt(suspended)).toBeNull();
  });
});
