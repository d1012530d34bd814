import { newId } from "@diegetic/contracts";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Browser, signedUp } from "../../testing/browser.ts";
import { activeCampaign, type Harness, startHarness } from "../../testing/harness.ts";

let harness: Harness;
let operator: Browser;
let other: Browser;
beforeAll(async () => {
  harness = await startHarness();
  operator = await signedUp(harness);
  other = await signedUp(harness);
});
afterAll(() => harness.stop());

async function quarantined(): Promise<string> {
  const impressionId = newId("imp");
  await harness.management.database.quarantinedImpression.create({
    data: { impressionId, advertiserId: newId("adv"), record: "{}", reason: "no such campaign" },
  });
  return impressionId;
}

const open = async () => (await operator.get("/system").expect(200)).body;

describe("the operator", () => {
  it("sees stores, throughput and what waits", async () => {
    const before = await open();
    const caller = await harness.advertiser(1_000);
    await activeCampaign(caller);
    const after = await open();
    expect(after.stores).toEqual(
      ["postgres", "redis", "installation", "snapshot"].map((name) => ({ name, ready: true })),
    );
    expect(after.accounts - before.accounts).toBe(1);
    expect(after.advertisers - before.advertisers).toBe(1);
    expect(after.active_campaigns - before.active_campaigns).toBe(1);
    expect(after).toMatchObject({ users: 2, held_millicents: 0, impressions_waiting: 0 });
    expect(after.advertisers_looked_at).toBe(after.advertisers);
    expect(after.oldest_waiting_seconds).toBeNull();
  });

  it("sees which processes are ready, and where the stores disagree", async () => {
    const difference = {
      check: "outbox_age",
      what: "Records that wait",
      kind: "late" as const,
      subject: newId("adv"),
      expected: "0",
      found: "3",
    };
    const nowMs = Date.now();
    const report = (facts: object) => JSON.stringify({ service: "billing", failing: [], ...facts });
    const reconciled = (finishedAtMs: number | null, listed: object[]) => ({
      finishedAtMs,
      differences: listed.length,
      listed,
    });
    await harness.redis.hset("{processes}:reports", {
      a: report({ instance: "b-1", reportedAtMs: nowMs, reconciliation: reconciled(nowMs, [difference]) }),
      b: report({ instance: "b-2", reportedAtMs: nowMs - 20_000, reconciliation: reconciled(null, []) }),
      c: report({ service: "match", instance: "m-1", reportedAtMs: nowMs, failing: ["snapshot"] }),
    });
    const { processes, reconciliation } = await open();
    expect(processes).toMatchObject([
      { service: "billing", instance: "b-1", ready: true },
      { service: "billing", instance: "b-2", ready: false, failing: [] },
      { service: "match", instance: "m-1", ready: false, failing: ["snapshot"] },
    ]);
    expect(reconciliation).toEqual({
      finished_at: new Date(nowMs).toISOString(),
      differences: 1,
      listed: [difference],
    });
    await harness.redis.del("{processes}:reports");
    expect(await open()).toMatchObject({
      processes: [],
      reconciliation: { finished_at: null, differences: 0 },
    });
  });

  it("resolves quarantined records, once each", async () => {
    const id = await quarantined();
    expect((await open()).quarantined_records).toBe(1);
    const listed = await operator.get("/system/quarantine").expect(200);
    expect(listed.body).toMatchObject([{ impression_id: id, reason: "no such campaign", resolution: null }]);
    const body = { resolution: "Not charged." };
    const resolved = await operator.post(`/system/quarantine/${id}/resolve`, body).expect(200);
    expect(resolved.body).toMatchObject({ resolution: "Not charged.", resolved_at: expect.any(String) });
    await operator.post(`/system/quarantine/${id}/resolve`, body).expect(409);
    await operator.post(`/system/quarantine/${newId("imp")}/resolve`, body).expect(404);
    expect((await operator.get("/system/quarantine").expect(200)).body).toEqual([]);
  });

  it("lists the accounts, page by page", async () => {
    const caller = await harness.advertiser(1_000);
    const all = await operator.get("/system/accounts").expect(200);
    expect(all.body.find(({ id }: { id: string }) => id === caller.accountId)).toMatchObject({
      advertiser: "Ember",
      balance_cents: 1_000,
      games: 0,
      members: 0,
    });
    const first = await operator.get("/system/accounts?limit=1").expect(200);
    expect(first.body).toEqual(all.body.slice(0, 1));
    expect(first.headers.link).toContain(`cursor=${first.body[0].id}`);
  });
});

describe("everybody else", () => {
  it("sees nothing of the system, owners included", async () => {
    const id = await quarantined();
    const answers = [
      await other.get("/system"),
      await other.get("/system/quarantine"),
      await other.get("/system/accounts"),
      await other.post(`/system/quarantine/${id}/resolve`, { resolution: "mine" }),
    ];
    for (const { status, body } of answers) {
      expect([status, body]).toEqual([
        403,
        { detail: "Only the operator of this installation can do this." },
      ]);
    }
  });
});
