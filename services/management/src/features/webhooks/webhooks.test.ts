import { newId } from "@diegetic/contracts";
import { DAY_MS, utcDay } from "@diegetic/database";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { activeCampaign, type Caller, type Harness, startHarness } from "../../testing/harness.ts";
import { announceEndedCampaigns } from "./ended-campaigns.ts";
import { requireAllowedUrl } from "./webhook.ts";

const EVENTS = ["campaign.exhausted", "balance.low"];
const body = { url: "https://studio.example/events", events: EVENTS };

describe("webhooks", () => {
  let harness: Harness;
  let caller: Caller;
  /** Of the process, which is far ahead of Postgres. */
  let nowMs = Date.parse("2100-01-01T12:00:00Z");
  beforeAll(async () => {
    harness = await startHarness(() => nowMs);
    caller = await harness.caller();
  });
  afterAll(() => harness.stop());

  const storedOf = (id: string) => harness.management.database.webhook.findUniqueOrThrow({ where: { id } });

  it("are created with defaults, shown without the secret, changed and deleted", async () => {
    const created = await caller.post("/webhooks", { ...body, balance_low_cents: 5_000 }).expect(201);
    const { secret, ...webhook } = created.body;
    expect(secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(webhook).toEqual({
      id: expect.stringMatching(/^whk_/),
      ...body,
      description: null,
      is_active: true,
      balance_low_cents: 5_000,
      hold_expiry_percent: 50,
      hold_expiry_min_matches: 100,
      previous_secret_expires_at: null,
      created_at: new Date(nowMs).toISOString(),
    });
    const path = `/webhooks/${webhook.id}`;
    expect((await caller.get(path).expect(200)).body).toEqual(webhook);
    expect((await caller.get("/webhooks").expect(200)).body).toEqual([webhook]);
    const changes = { is_active: false, description: "Slack", balance_low_cents: null };
    const changed = await caller.patch(path, changes).expect(200);
    expect(changed.body).toEqual({ ...webhook, ...changes, balance_low_cents: 10_000 });
    await caller.delete(path).expect(204);
    await caller.get(path).expect(404);
    expect((await caller.get("/webhooks").expect(200)).body).toEqual([]);
  });

  it("show a retry the same secret, of which no answer is stored", async () => {
    const { database } = harness.management;
    const once = async (path: string, sent: object, status: number): Promise<string> => {
      const send = () => caller.post(path, sent).set("Idempotency-Key", "once").expect(status);
      const first = await send();
      // By the clock of Postgres, unlike that of this process, it is the same day.
      nowMs += 2 * DAY_MS;
      expect((await send()).body).toEqual(first.body);
      nowMs -= 2 * DAY_MS;
      const stored = await database.idempotencyKey.findMany();
      expect(JSON.stringify(stored)).not.toContain(first.body.secret.slice(6));
      expect(await storedOf(first.body.id)).toMatchObject({ secret: first.body.secret });
      return first.body.id;
    };
    const id = await once("/webhooks", body, 201);
    await once(`/webhooks/${id}/rotate-secret`, { overlap_seconds: 60 }, 200);
    await caller.delete(`/webhooks/${id}`).expect(204);
  });

  it("keep the former secret for the overlap, and no third one", async () => {
    const { id, secret: first } = (await caller.post("/webhooks", body).expect(201)).body;
    const path = `/webhooks/${id}`;
    const beforeMs = Date.now();
    const rotated = await caller.post(`${path}/rotate-secret`, { overlap_seconds: 60 }).expect(200);
    const second = rotated.body.secret;
    // By the clock of Postgres, unlike that of this process.
    const overlapMs = Date.parse(rotated.body.previous_secret_expires_at) - beforeMs;
    expect(overlapMs).toBeGreaterThanOrEqual(60_000 - 1);
    expect(overlapMs).toBeLessThanOrEqual(60_000 + Date.now() - beforeMs);
    expect(await storedOf(id)).toMatchObject({ secret: second, previousSecret: first });
    const third = (await caller.post(`${path}/rotate-secret`, { overlap_seconds: 60 }).expect(200)).body
      .secret;
    expect(await storedOf(id)).toMatchObject({ secret: third, previousSecret: second });
    await harness.management.database.webhook.update({
      where: { id },
      data: { previousSecretExpiresAt: new Date(nowMs) },
    });
    expect((await caller.get(path).expect(200)).body.previous_secret_expires_at).toBeNull();
    await caller.post(`${path}/rotate-secret`, { overlap_seconds: 0 }).expect(200);
    expect(await storedOf(id)).toMatchObject({ previousSecret: null, previousSecretExpiresAt: null });
    expect(new Set([first, second, third]).size).toBe(3);
  });

  it("are at most ten, also by concurrent requests", async () => {
    const other = await harness.caller();
    const answers = await Promise.all(Array.from({ length: 12 }, () => other.post("/webhooks", body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), 422, 422]);
  });

  it("are not for other accounts, nor for keys without the scope of an event", async () => {
    const { id } = (await caller.post("/webhooks", body).expect(201)).body;
    const stranger = await harness.caller();
    await stranger.get(`/webhooks/${id}`).expect(403);
    await stranger.patch(`/webhooks/${id}`, { is_active: false }).expect(403);
    await stranger.post(`/webhooks/${id}/rotate-secret`).expect(403);
    await stranger.delete(`/webhooks/${id}`).expect(403);
    expect((await stranger.get("/webhooks").expect(200)).body).toEqual([]);
    const developer = await harness.caller({ scopes: ["developer"] });
    await developer.post("/webhooks", body).expect(403);
    const own = await developer.post("/webhooks", { ...body, events: ["payout.figures_ready"] }).expect(201);
    await developer.patch(`/webhooks/${own.body.id}`, { events: ["balance.low"] }).expect(403);
  });

  it("say which schemes are allowed where any address is", () => {
    const allow = (url: string) => () => requireAllowedUrl(url, "any");
    expect(allow("http://127.0.0.1/")).not.toThrow();
    expect(allow("http://user:password@127.0.0.1/")).toThrow("url must be an http or https address without");
  });

  it.each([
    "http://studio.example/",
    "https://user:password@studio.example/",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://169.254.169.254/latest",
    "https://[::1]/",
    "https://[::ffff:10.0.0.7]/",
    "https://localhost:8443/",
    "https://db.localhost./",
  ])("are refused with the address %s", async (url) => {
    await caller.post("/webhooks", { ...body, url }).expect(422);
  });

  it("learn of the end of an active campaign once for each end date", async () => {
    const advertiser = await harness.advertiser(1_000_000);
    // By the clock of Postgres, unlike that of this process.
    const day = (days: number) => utcDay(Date.now() + days * DAY_MS);
    const webhook = { ...body, events: ["campaign.ended"] };
    const { campaignId } = await activeCampaign(advertiser, { end_date: day(1) });
    const { id } = (await advertiser.post("/webhooks", webhook).expect(201)).body;
    const ends = async () => {
      const { body: deliveries } = await advertiser.get(`/webhooks/${id}/deliveries`).expect(200);
      return deliveries.map(({ event }: { event: { data: object } }) => event.data).reverse();
    };
    const other = await activeCampaign(advertiser, { end_date: day(-1), name: "Over" });
    const first = { campaign_id: other.campaignId, name: "Over", end_date: day(-1) };
    await eventually(async () => (await ends()).length === 1);
    await advertiser.patch(`/campaigns/${campaignId}`, { end_date: day(-1) }).expect(200);
    const second = { campaign_id: campaignId, name: "Autumn", end_date: day(-1) };
    await eventually(async () => (await ends()).length === 2);
    await advertiser.patch(`/campaigns/${campaignId}`, { end_date: day(-2) }).expect(200);
    const third = { ...second, end_date: day(-2) };
    await eventually(async () => (await ends()).length === 3);
    await harness.management.repairLoop.round();
    expect(await ends()).toEqual([first, second, third]);
  });

  it("learn of an end today though many campaigns end later today", async () => {
    const advertiser = await harness.advertiser(1_000_000);
    const { database } = harness.management;
    const { id: advertiserId } = await database.advertiser.findFirstOrThrow({
      where: { accountId: advertiser.accountId },
    });
    const row = { advertiserId, name: "c", budgetCents: 1_000, cpmBidCents: 100, status: "active" as const };
    // Still to come, so that management announces none by itself.
    const today = utcDay(Date.now() + 10 * DAY_MS);
    const ended = { ...row, id: newId("camp"), endDate: `${today}T11:00:00Z` };
    const running = Array.from({ length: 500 }, () => ({ ...row, id: newId("camp"), endDate: today }));
    await database.campaign.createMany({ data: [ended, ...running] });
    try {
      // A round leaves rows out that publishing has locked.
      const announced = await eventually(async () => {
        await announceEndedCampaigns(database, Date.parse(`${today}T12:00:00Z`));
        const rows = await database.campaign.findMany({
          where: { advertiserId, announcedEndDate: { not: null } },
        });
        return rows.length > 0 && rows.map(({ id }) => id);
      });
      expect(announced).toEqual([ended.id]);
    } finally {
      await database.campaign.deleteMany({ where: { advertiserId } });
    }
  });

  it("learn of an end though those of another account together take too long", async () => {
    const [many, one] = [await harness.advertiser(1_000_000), await harness.advertiser(1_000_000)];
    const { database } = harness.management;
    // Still to come, so that management announces none by itself.
    const ended = (days: number) => utcDay(Date.now() + days * DAY_MS);
    const campaignsOf = async ({ accountId }: { accountId: string }, count: number, endDate: string) => {
      const { id: advertiserId } = await database.advertiser.findFirstOrThrow({ where: { accountId } });
      const row = { advertiserId, name: "c", budgetCents: 1_000, cpmBidCents: 100, endDate };
      const data = Array.from({ length: count }, () => ({
        ...row,
        id: newId("camp"),
        status: "active" as const,
      }));
      await database.campaign.createMany({ data });
      return data.map(({ id }) => id);
    };
    const ids = await campaignsOf(many, 500, ended(10));
    ids.push(...(await campaignsOf(one, 1, ended(11))));
    await database.$executeRaw`CREATE FUNCTION run_out_of_time() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF (SELECT count(*) FROM changed WHERE announced_end_date IS NOT NULL) > 70 THEN
        RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014';
      END IF;
      RETURN NULL; END $$`;
    await database.$executeRaw`CREATE TRIGGER run_out_of_time AFTER UPDATE ON campaigns
      REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION run_out_of_time()`;
    const announced = () =>
      database.campaign.count({ where: { id: { in: ids }, announcedEndDate: { not: null } } });
    try {
      // A round leaves rows out that publishing has locked.
      await eventually(async () => {
        await announceEndedCampaigns(database, Date.now() + 13 * DAY_MS);
        return (await announced()) === 501;
      });
    } finally {
      await database.$executeRaw`DROP FUNCTION run_out_of_time CASCADE`;
      await database.campaign.deleteMany({ where: { id: { in: ids } } });
    }
  });

  it("show their deliveries, newest first and in pages, which can be asked for again", async () => {
    const { id } = (await caller.post("/webhooks", { ...body, is_active: false }).expect(201)).body;
    const tests = [];
    for (let count = 0; count < 3; count++) {
      tests.push((await caller.post(`/webhooks/${id}/test`).expect(200)).body);
    }
    const [oldest, middle, newest] = tests;
    expect(oldest).toMatchObject({
      id: expect.stringMatching(/^whd_/),
      webhook_id: id,
      event: { type: "webhook.test", account_id: caller.accountId, data: { webhook_id: id } },
      status: "pending",
      attempt_count: 0,
      attempts: [],
    });
    const page = await caller.get(`/webhooks/${id}/deliveries?limit=2`).expect(200);
    expect(page.body).toEqual([newest, middle]);
    expect(page.headers.link).toContain(`cursor=${middle.id}`);
    const rest = await caller.get(`/webhooks/${id}/deliveries?limit=2&cursor=${middle.id}`).expect(200);
    expect(rest.body).toEqual([oldest]);
    const { database } = harness.management;
    await database.webhookDelivery.update({
      where: { id: oldest.id },
      data: { status: "failed", attempts: 13, roundAttempts: 12, nextAttemptAt: null },
    });
    const attempt = { deliveryId: oldest.id, attemptedAt: new Date(nowMs), durationMs: 5 };
    await database.webhookAttempt.createMany({
      data: Array.from({ length: 13 }, (_, number) => ({
        ...attempt,
        number: number + 1,
        status: 500 + number,
      })),
    });
    const path = `/webhooks/deliveries/${oldest.id}/redeliver`;
    await caller.patch(`/webhooks/${id}`, { is_active: false }).expect(200);
    const { eventId } = await database.webhookDelivery.findUniqueOrThrow({ where: { id: oldest.id } });
    await database.webhookEvent.update({ where: { id: eventId }, data: { type: "balance.low" } });
    const refused = await caller.post(path).expect(409);
    expect(refused.body.detail).toContain("The webhook is inactive");
    expect(await database.webhookDelivery.findUnique({ where: { id: oldest.id } })).toMatchObject({
      status: "failed",
      round: 1,
    });
    await database.webhookEvent.update({ where: { id: eventId }, data: { type: "webhook.test" } });
    const again = (await caller.post(path).expect(200)).body;
    expect(again).toMatchObject({ id: oldest.id, event: oldest.event, status: "pending", attempt_count: 13 });
    expect(again.attempts.map(({ status }: { status: number }) => status)).toEqual(
      Array.from({ length: 12 }, (_, back) => 512 - back),
    );
    expect(again.next_attempt_at).not.toBeNull();
    expect(await database.webhookDelivery.findUnique({ where: { id: oldest.id } })).toMatchObject({
      round: 2,
      roundAttempts: 0,
    });

    const stranger = await harness.caller();
    await stranger.post(path).expect(403);
    await stranger.get(`/webhooks/${id}/deliveries`).expect(403);
    await stranger.post(`/webhooks/${id}/test`).expect(403);
    const developer = harness.callerWith(
      caller.accountId,
      (await caller.post("/api-keys", { label: "d", scopes: ["developer"] }).expect(201)).body.key,
    );
    await developer.post(path).expect(403);
    await developer.get(`/webhooks/${id}/deliveries`).expect(403);
    await caller.delete(`/webhooks/${id}`).expect(204);
    await caller.post(path).expect(404);
    expect(await database.webhookAttempt.count({ where: { deliveryId: oldest.id } })).toBe(0);
  });

  it("show no earlier event to a key without its scope, whatever the webhook names now", async () => {
    const { database } = harness.management;
    const owner = await harness.caller();
    const { id } = (await owner.post("/webhooks", body).expect(201)).body;
    const { id: deliveryId } = (await owner.post(`/webhooks/${id}/test`).expect(200)).body;
    const { eventId } = await database.webhookDelivery.findUniqueOrThrow({ where: { id: deliveryId } });
    await owner.patch(`/webhooks/${id}`, { events: ["payout.figures_ready"] }).expect(200);
    const { key } = (await owner.post("/api-keys", { label: "d", scopes: ["developer"] }).expect(201)).body;
    const developer = harness.callerWith(owner.accountId, key);
    await developer.get(`/webhooks/${id}/deliveries`).expect(200);
    await developer.post(`/webhooks/deliveries/${deliveryId}/redeliver`).expect(200);
    await database.webhookEvent.update({ where: { id: eventId }, data: { type: "balance.low" } });
    const listed = await developer.get(`/webhooks/${id}/deliveries`).expect(403);
    expect(listed.body.detail).toContain("balance.low");
    await developer.post(`/webhooks/deliveries/${deliveryId}/redeliver`).expect(403);
    await owner.get(`/webhooks/${id}/deliveries`).expect(200);
  });

  it("leave no event behind when they are deleted, but those of other webhooks", async () => {
    const { database } = harness.management;
    const owner = await harness.caller();
    const [{ id }, { id: other }] = [
      (await owner.post("/webhooks", body).expect(201)).body,
      (await owner.post("/webhooks", body).expect(201)).body,
    ];
    await owner.post(`/webhooks/${id}/test`).expect(200);
    const { accountId } = owner;
    await database.$queryRaw`SELECT record_webhook_event(${accountId}, 'balance.low', '{}'::json)`;
    const types = async () =>
      (await database.webhookEvent.findMany({ where: { accountId } })).map(({ type }) => type).sort();
    expect(await types()).toEqual(["balance.low", "webhook.test"]);
    await owner.delete(`/webhooks/${id}`).expect(204);
    expect(await types()).toEqual(["balance.low"]);
    await owner.delete(`/webhooks/${other}`).expect(204);
    expect(await types()).toEqual([]);
  });

  it("leave no attempt behind that is recorded while they are deleted", async () => {
    const { database } = harness.management;
    const { id } = (await caller.post("/webhooks", body).expect(201)).body;
    const { id: deliveryId } = (await caller.post(`/webhooks/${id}/test`).expect(200)).body;
    let isDeleting: Promise<unknown> | undefined;
    await database.$transaction(async (attempt) => {
      await attempt.$executeRaw`UPDATE webhook_deliveries SET attempts = 1 WHERE id = ${deliveryId}`;
      isDeleting = caller.delete(`/webhooks/${id}`).expect(204).then();
      await eventually(async () => {
        const [{ waiting }] = await attempt.$queryRaw<[{ waiting: boolean }]>`
          SELECT count(*) > 0 AS waiting FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`;
        return waiting;
      });
      const row = { deliveryId, number: 1, attemptedAt: new Date(), durationMs: 5, status: 500 };
      await attempt.webhookAttempt.create({ data: row });
    });
    await isDeleting;
    expect(await database.webhookAttempt.count({ where: { deliveryId } })).toBe(0);
  });
});
