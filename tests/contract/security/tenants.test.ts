import { allOperations, newId } from "@diegetic/contracts";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { BASE, type Call, isPlainError, type Platform, startPlatform } from "./platform.fixture.ts";

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

/** The headers of somebody who has just signed up, with an account of their own that advertises. */
async function signUp(platform: Platform): Promise<Record<string, string>> {
  const email = `${newId("usr")}@studio.example`;
  const own = { "Sec-Fetch-Site": "same-origin" };
  const reply = await platform.call({
    method: "POST",
    path: `${BASE}/auth/sign-up`,
    headers: own,
    body: { name: "Eve", email, password: "a password of tests" },
  });
  expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
  const headers = { ...own, Cookie: String(reply.headers["set-cookie"]).split(";", 1)[0] ?? "" };
  const body = { company_name: "Soot", contact_email: email };
  await platform.expect(201, { method: "POST", path: `${BASE}/register`, headers, body });
  return headers;
}

const STRANGERS: [string, (platform: Platform) => Promise<Pick<Call, "key" | "headers">>][] = [
  ["an API key", async (platform) => ({ key: (await platform.advertiser()).key })],
  ["a session", async (platform) => ({ headers: await signUp(platform) })],
];

describe.each(STRANGERS)("another account's resources, requested by %s", (_kind, arrive) => {
  let platform: Platform;
  let credentials: Pick<Call, "key" | "headers">;
  let secrets: string[];
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    platform = await startPlatform({ WEBHOOK_ADDRESSES: "any" });
    const owner = await platform.advertiser();
    await platform.enableGame(owner.key, "castle");
    credentials = await arrive(platform);
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
        const reply = await platform.call({ method: operation.method, path, body, ...credentials });
        expect([reply.status, isPlainError(reply)]).toEqual([403, true]);
        for (const secret of secrets) expect(reply.text).not.toContain(secret);
      }
    },
  );

  it("are in none of the lists", async () => {
    const lists = allOperations().filter(({ method, path }) => method === "GET" && !path.includes("{"));
    for (const { path } of lists) {
      const reply = await platform.call({ method: "GET", path: BASE + path, ...credentials });
      expect([path, reply.status]).toEqual([path, 200]);
      for (const id of [...secrets, ...Object.values(ids)]) expect(reply.text).not.toContain(id);
    }
  });
});
