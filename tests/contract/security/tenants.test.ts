import { allOperations } from "@diegetic/contracts";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { BASE, isPlainError, type Platform, startPlatform } from "./platform.fixture.ts";

async function createDelivery(
  platform: Platform,
  key: string,
): Promise<{ webhook_id: string; delivery_id: string }> {
  const body = { url: "https://127.0.0.1:1/", events: ["balance.low"] };
  const post = (path: string, status: number) =>
    platform.expect(status, { method: "POST", path: BASE + path, key, body });
  const { id: webhook_id } = await post("/webhooks", 201);
  const { id: delivery_id } = await post(`/webhooks/${webhook_id}/test`, 200);
  return { webhook_id, delivery_id };
}

describe("another account's resources", () => {
  let platform: Platform;
  let stranger: Awaited<ReturnType<Platform["advertiser"]>>;
  let secrets: string[];
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    platform = await startPlatform({ WEBHOOK_ADDRESSES: "any" });
    const owner = await platform.advertiser();
    await platform.enableGame(owner.key, "castle");
    stranger = await platform.advertiser();
    Object.assign(ids, {
      campaign_id: owner.campaignId,
      creative_id: owner.creativeId,
      key_id: owner.keyId,
      ...(await createDelivery(platform, owner.key)),
      game_id: "castle",
      geo_target_id: "geo_01jd0000000000000000000000",
      blocklist_rule_id: "blk_01jd0000000000000000000000",
      affinity_id: "aff_01jd0000000000000000000000",
    });
    secrets = [owner.advertiserId, owner.accountId, owner.email];
  });
  afterAll(() => platform.stop());

  const withPath = allOperations().filter(({ path }) => path.includes("{"));

  it.each(withPath.map((operation) => [operation.operationId, operation] as const))(
    "%s is 403, whatever the body",
    async (_id, operation) => {
      const path =
        BASE + operation.path.replace(/\{([a-z_]+)\}/g, (_braces, name: string) => ids[name] ?? name);
      for (const body of operation.request ? [operation.request.example, {}, "no JSON"] : [undefined]) {
        const reply = await platform.call({ method: operation.method, path, key: stranger.key, body });
        expect([reply.status, isPlainError(reply)]).toEqual([403, true]);
        for (const secret of secrets) expect(reply.text).not.toContain(secret);
      }
    },
  );

  it("are in none of the lists", async () => {
    const lists = allOperations().filter(({ method, path }) => method === "GET" && !path.includes("{"));
    for (const { path } of lists) {
      const reply = await platform.call({ method: "GET", path: BASE + path, key: stranger.key });
      expect([path, reply.status]).toEqual([path, 200]);
      for (const id of [...secrets, ...Object.values(ids)]) expect(reply.text).not.toContain(id);
    }
  });
});
