import { newId } from "@diegetic/contracts";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Response } from "supertest";
import { sliceWallet } from "../../core/advertisers/slice-wallet.ts";
import { type Browser, signedUp } from "../../testing/browser.ts";
import { activeCampaign, type Harness, startHarness } from "../../testing/harness.ts";
import { charge, hold } from "../../testing/spending.ts";

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

/** An impression of a new advertiser that billing has not written. */
async function committedImpression(): Promise<{ advertiserId: string; impressionId: string }> {
  const owner = await harness.advertiser(1_000);
  const { campaignId, creativeId } = await activeCampaign(owner);
  const { advertiserId } = owner;
  const wallet = await harness.money.readCampaign(advertiserId, campaignId);
  const campaignVersion = wallet?.version ?? 0;
  const spending = { advertiserId, campaignId, creativeId, campaignVersion, priceMillicents: 1_000 };
  expect(await hold(harness.money, spending)).toMatchObject({ outcome: "held" });
  expect(await charge(harness.money, spending)).toMatchObject({ outcome: "charged" });
  const [record] = (await harness.money.listOutbox(advertiserId, 1)).items;
  return { advertiserId, impressionId: record?.impression_id ?? "" };
}

/** The record as it would be, had it been committed earlier. */
function aged(record: string, ms: number): string {
  return record.replace(/"recorded_at_ms":(\d+)/, (_, at) => `"recorded_at_ms":${Number(at) - ms}`);
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
    const [{ instance = "" } = {}] = (await open()).processes;
    await harness.redis.hset("{processes}:reports", {
      a: report({ instance: "b-1", reportedAtMs: nowMs, reconciliation: reconciled(nowMs, [difference]) }),
      b: report({ instance: "b-2", reportedAtMs: nowMs - 20_000, reconciliation: reconciled(null, []) }),
      c: report({ service: "match", instance: "m-1", reportedAtMs: nowMs, failing: ["snapshot"] }),
      d: report({ service: "management", instance, reportedAtMs: nowMs, failing: ["postgres"] }),
    });
    const { processes, reconciliation } = await open();
    const own = { service: "management", ready: true, failing: [] };
    expect(processes).toMatchObject([
      own,
      { service: "billing", instance: "b-1", ready: true },
      { service: "billing", instance: "b-2", ready: false, failing: [] },
      { service: "management", instance, ready: false, failing: ["postgres"] },
      { service: "match", instance: "m-1", ready: false, failing: ["snapshot"] },
    ]);
    expect(reconciliation).toEqual({
      finished_at: new Date(nowMs).toISOString(),
      differences: 1,
      listed: [difference],
    });
    await harness.redis.del("{processes}:reports");
    expect(await open()).toMatchObject({
      processes: [own],
      reconciliation: { finished_at: null, differences: 0 },
    });
  });

  it("sees a crashed process until one of its name is started", async () => {
    const nowMs = Date.now();
    const report = (instance: string, reportedAtMs: number, startedAtMs: number) =>
      JSON.stringify({ service: "match", instance, failing: [], reportedAtMs, startedAtMs });
    await harness.redis.hset("{processes}:reports", {
      crashed: report("restarted", nowMs - 20_000, nowMs - 90_000),
      started: report("restarted", nowMs, nowMs - 15_000),
      gone: report("replica", nowMs - 20_000, nowMs - 90_000),
      replica: report("replica", nowMs, nowMs - 90_000),
    });
    const shown = (await open()).processes
      .filter(({ service }: { service: string }) => service === "match")
      .map(({ instance, ready }: { instance: string; ready: boolean }) => `${instance} ${ready}`);
    expect(shown.sort()).toEqual(["replica false", "replica true", "restarted true"]);
    await harness.redis.del("{processes}:reports");
  });

  it("sees the calls of the last five minutes, of the match processes that still report", async () => {
    const nowMs = Date.now();
    const report = (reportedAtMs: number, matches: number, impressions: number) =>
      JSON.stringify({
        service: "match",
        instance: "m",
        failing: [],
        reportedAtMs,
        calls: { matches, impressions },
      });
    await harness.redis.hset("{processes}:reports", {
      a: report(nowMs, 5, 3),
      b: report(nowMs, 2, 1),
      silent: report(nowMs - 60_000, 100, 100),
    });
    expect(await open()).toMatchObject({ matches_last_5_minutes: 7, impressions_last_5_minutes: 4 });
    await harness.redis.del("{processes}:reports");
    expect(await open()).toMatchObject({ matches_last_5_minutes: 0, impressions_last_5_minutes: 0 });
  });

  it("sees how long the oldest impression has waited, whichever of many advertisers it is of", async () => {
    const owners: { advertiserId: string; impressionId: string }[] = [];
    for (let i = 0; i < 22; i++) owners.push(await committedImpression());
    for (const { advertiserId, impressionId } of [owners[0], owners.at(-1)].flatMap((one) => one ?? [])) {
      const key = `{${advertiserId}}:outbox`;
      const text = (await harness.redis.hget(key, impressionId)) ?? "";
      await harness.redis.hset(key, impressionId, aged(text, 500_000));
      const { oldest_waiting_seconds: oldest, impressions_waiting: waiting } = await open();
      expect([waiting, Math.abs(oldest - 500) < 60]).toEqual([22, true]);
      await harness.redis.hset(key, impressionId, text);
    }
    for (const { advertiserId, impressionId } of owners) {
      await harness.money.ackOutbox(advertiserId, [impressionId]);
    }
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
    await operator.post("/system/quarantine/%00/resolve", body).expect(404);
    expect((await operator.get("/system/quarantine").expect(200)).body).toEqual([]);
  });

  it("lists quarantined records page by page, newest first, whatever is resolved in between", async () => {
    const at = new Date("2026-11-01T00:00:00.000Z");
    const damaged = "damaged/field?&=";
    const ids = [newId("imp"), damaged, newId("imp"), newId("imp"), newId("imp")];
    await harness.management.database.quarantinedImpression.createMany({
      data: ids.map((impressionId, i) => ({
        impressionId,
        advertiserId: newId("adv"),
        record: "{}",
        reason: "damaged",
        // Two were quarantined at the same moment.
        quarantinedAt: new Date(at.getTime() + Math.floor((i + 1) / 2)),
      })),
    });
    const all = (await operator.get("/system/quarantine").expect(200)).body;
    const seen: string[] = [];
    let next: string | undefined = "/system/quarantine?limit=2";
    while (next !== undefined) {
      const page: Response = await operator.get(next).expect(200);
      seen.push(...page.body.map((one: { impression_id: string }) => one.impression_id));
      const cursor: string | null = new URLSearchParams(/\?([^>]+)>/.exec(page.headers.link ?? "")?.[1]).get(
        "cursor",
      );
      next = cursor === null ? undefined : `/system/quarantine?limit=2&cursor=${encodeURIComponent(cursor)}`;
      const path = `/system/quarantine/${encodeURIComponent(seen.at(-1) ?? "")}/resolve`;
      await operator.post(path, { resolution: "Not charged." }).expect(200);
    }
    expect(seen).toEqual(all.map((one: { impression_id: string }) => one.impression_id));
    expect(seen).toHaveLength(5);
    const bad = await operator.get("/system/quarantine?cursor=nothing").expect(400);
    const withNul = await operator.get("/system/quarantine?cursor=%00").expect(400);
    expect(withNul.body).toEqual(bad.body);
    await operator.get("/system/quarantine?limit=0").expect(422);
    await harness.management.database.quarantinedImpression.deleteMany({});
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

  it("does not see a quarantined record as waiting", async () => {
    const before = (await open()).impressions_waiting;
    const { database } = harness.management;
    const { advertiserId, impressionId } = await committedImpression();
    expect((await open()).impressions_waiting - before).toBe(1);

    const { recoveryEpoch } = await database.advertiser.findUniqueOrThrow({ where: { id: advertiserId } });
    await database.quarantinedImpression.create({
      data: { impressionId, advertiserId, record: "{}", reason: "no such campaign", recoveryEpoch },
    });
    await harness.money.ackOutbox(advertiserId, [impressionId]);
    expect((await open()).impressions_waiting - before).toBe(0);
  });
});

describe("divided wallets", () => {
  const divided = async () => (await open()).divided_wallets;

  it("are listed with their slices, and in force once management has published them", async () => {
    expect(await divided()).toEqual({ count: 0, listed: [] });
    const { database } = harness.management;
    await harness.advertiser(1_000);
    const { advertiserId } = await harness.advertiser(1_000);
    await database.$executeRaw`CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''interrupted''; END'`;
    await database.$executeRaw`CREATE TRIGGER refuse BEFORE UPDATE OF published_version ON advertisers
      FOR EACH ROW EXECUTE FUNCTION refuse_change()`;
    await sliceWallet(database, advertiserId, 3);
    const wallet = { advertiser_id: advertiserId, company_name: "Ember", slices: 3 };
    expect(await divided()).toEqual({ count: 1, listed: [{ ...wallet, in_force: false }] });
    // Management's updates may deadlock with it.
    await eventually(async () => {
      await database.$executeRaw`DROP FUNCTION IF EXISTS refuse_change CASCADE`;
      return true;
    });
    await eventually(async () => (await divided()).listed[0].in_force === true);
    expect(await divided()).toEqual({ count: 1, listed: [{ ...wallet, in_force: true }] });
  });

  it("are counted beyond the hundred that are listed", async () => {
    const { database } = harness.management;
    const owners = Array.from({ length: 100 }, () => ({ id: newId("acct"), label: "Many" }));
    await database.account.createMany({ data: owners });
    await database.advertiser.createMany({
      data: owners.map(({ id }) => ({
        id: newId("adv"),
        accountId: id,
        companyName: "Many",
        contactEmail: `${id}@example.com`,
        contactEmailLower: `${id}@example.com`,
        walletSlices: 2,
        publishedVersion: 1,
      })),
    });
    const { count, listed } = await divided();
    expect([count, listed.length]).toEqual([101, 100]);
    const ids = listed.map((one: { advertiser_id: string }) => one.advertiser_id);
    expect(ids).toEqual(ids.toSorted());
    await database.advertiser.deleteMany({ where: { companyName: "Many" } });
    await database.account.deleteMany({ where: { label: "Many" } });
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

it("the operator sees which store is missing, without limits that nobody can count", async () => {
  const without = await startHarness(undefined, { environment: { RATE_LIMIT_MANAGEMENT: "600" } });
  try {
    const browser = await signedUp(without);
    const stranger = await signedUp(without);
    await without.redis.shutdown("NOSAVE").catch(() => undefined);
    const { body, headers } = await browser.get("/system").expect(200);
    expect(body.stores).toContainEqual({ name: "postgres", ready: true });
    expect(body.stores).toContainEqual({ name: "redis", ready: false });
    expect(body).toMatchObject({ users: 2, reconciliation: { differences: null }, held_millicents: null });
    expect(body.processes).toMatchObject([{ service: "management", ready: false }]);
    expect([headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]]).toEqual(["600", "600"]);
    await stranger.get("/system").expect(403);
    await browser.get("/system/accounts").expect(503);
  } finally {
    await without.stop();
  }
});
