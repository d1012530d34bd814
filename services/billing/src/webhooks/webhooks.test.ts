import { type ChildProcess, fork } from "node:child_process";
import { newId } from "@diegetic/contracts";
import { createDatabase, DAY_MS, type Database, databaseNowMs, type Prisma } from "@diegetic/database";
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { BillingPace } from "../pace.ts";
import { type BillingService, createBillingService } from "../service.ts";
import { readBillingSettings } from "../settings.ts";
import { Receiver, signersOf } from "../testing/receiver.fixture.ts";
import { findDelivery, postpone, recordAttempt, takeDueDeliveries } from "./deliveries.ts";
import { markFullWebhooks } from "./full-webhooks.ts";
import { forgetOldDeliveries } from "./retention.ts";

const PATIENCE = { timeoutMs: 60_000 };
const MAX_ATTEMPTS = 12;
const HOUR_MS = 3_600_000;

let server: TestDatabase;
let redis: TestRedis;
let database: Database;
let receiver: Receiver;
const services: BillingService[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  [server, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  database = createDatabase(server.url);
});
afterAll(async () => {
  await database.$disconnect();
  await Promise.all([server.drop(), redis.stop()]);
});
beforeEach(async () => {
  receiver = await Receiver.open();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  receiver.close();
  await Promise.all(services.splice(0).map((service) => service.stop()));
});

const environment = (more: Record<string, string> = {}) => ({
  DATABASE_URL: server.url,
  REDIS_URL: redis.url,
  LOG_LEVEL: "silent",
  WEBHOOK_ADDRESSES: "any",
  WEBHOOK_RETRY_MS: "5",
  ...more,
});

function startService(more: Record<string, string> = {}, pace: Partial<BillingPace> = {}): void {
  services.push(
    createBillingService({
      ...readBillingSettings(environment(more)),
      logger: createLogger({ service: "billing", instance: "test", level: "silent" }),
      metrics: createMetrics({ service: "billing" }),
      pace: { passEveryMs: 20, pollEveryMs: 20, ...pace },
    }),
  );
}

async function createWebhook(more: Partial<Prisma.WebhookUncheckedCreateInput> = {}) {
  const accountId = newId("acct");
  await database.account.create({ data: { id: accountId, label: "studio" } });
  return database.webhook.create({
    data: {
      id: newId("whk"),
      accountId,
      url: receiver.url,
      events: ["balance.low"],
      balanceLowCents: 100,
      holdExpiryPercent: 50,
      holdExpiryMinMatches: 4,
      secret: "whsec_new",
      ...more,
    },
  });
}

async function record({ accountId }: { accountId: string }, data: object = { a: 1 }): Promise<string[]> {
  const rows = await database.$queryRaw<{ id: string }[]>`
    SELECT record_webhook_event(${accountId}, 'balance.low', ${JSON.stringify(data)}::json) AS id`;
  return rows.map(({ id }) => id);
}

/** Records an event with one webhook, whose delivery has one attempt left. Returns the delivery's id. */
async function recordLast(webhook: { accountId: string }): Promise<string> {
  const [id = ""] = await record(webhook);
  await database.webhookDelivery.update({ where: { id }, data: { roundAttempts: MAX_ATTEMPTS - 1 } });
  return id;
}

/** Adds deliveries of the same event to the same webhook. */
async function addDeliveries(id: string, status: "pending" | "failed", count: number): Promise<void> {
  await database.$executeRaw`
    INSERT INTO webhook_deliveries (id, event_id, webhook_id, account_id, status)
    SELECT webhook_row_id('whd'), event_id, webhook_id, account_id, ${status}::webhook_delivery_status
    FROM webhook_deliveries, generate_series(1, ${count}::int) WHERE id = ${id}`;
}

const deliveryOf = (id: string) => database.webhookDelivery.findUniqueOrThrow({ where: { id } });
const attemptsOf = (deliveryId: string) =>
  database.webhookAttempt.findMany({ where: { deliveryId }, orderBy: { number: "asc" } });
const waitFor = (id: string, status: "delivered" | "failed") =>
  eventually(async () => (await deliveryOf(id)).status === status, PATIENCE);

describe("an event", () => {
  it("reaches each webhook that wants it, signed, with one id", async () => {
    const webhook = await createWebhook();
    const { id: _id, ...same } = webhook;
    await database.webhook.create({ data: { ...same, id: newId("whk"), secret: "whsec_other" } });
    await database.webhook.create({ data: { ...same, id: newId("whk"), events: ["campaign.ended"] } });
    await database.webhook.create({ data: { ...same, id: newId("whk"), isActive: false } });
    startService();
    const ids = await record(webhook, { balance_millicents: 5 });
    expect(ids).toHaveLength(2);
    for (const id of ids) await waitFor(id, "delivered");
    const events = receiver.received.map(({ body }) => JSON.parse(body));
    expect(events[0]).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: "balance.low",
      created_at: expect.stringMatching(/Z$/),
      account_id: webhook.accountId,
      data: { balance_millicents: 5 },
    });
    expect(events[1]).toEqual(events[0]);
    const signers = receiver.received.map((one) => signersOf(one, ["whsec_new", "whsec_other"]));
    expect(signers.flat().sort()).toEqual(["whsec_new", "whsec_other"]);
  });

  it("is signed with both secrets until the former one expires", async () => {
    const secrets = ["whsec_new", "whsec_old"];
    startService();
    const overlap = { previousSecret: "whsec_old", previousSecretExpiresAt: new Date(Date.now() + DAY_MS) };
    for (const id of await record(await createWebhook(overlap))) await waitFor(id, "delivered");
    const over = { previousSecret: "whsec_old", previousSecretExpiresAt: new Date(Date.now() - 1) };
    for (const id of await record(await createWebhook(over))) await waitFor(id, "delivered");
    expect(receiver.received.map((one) => signersOf(one, secrets))).toEqual([secrets, ["whsec_new"]]);
  });

  it("is sent again until it is answered 2xx", async () => {
    receiver.answer = (response, number) => response.writeHead(number < 5 ? 500 : 204).end();
    startService();
    const [id = ""] = await record(await createWebhook());
    await waitFor(id, "delivered");
    expect((await attemptsOf(id)).map(({ status }) => status)).toEqual([500, 500, 500, 500, 204]);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(await deliveryOf(id)).toMatchObject({ attempts: 5, nextAttemptAt: null });
  });

  it("is sent after a long pause, for which Redis does not keep it", async () => {
    receiver.answer = (response, number) => response.writeHead(number === 1 ? 500 : 200).end();
    startService({ WEBHOOK_RETRY_MS: "600000" });
    const [id = ""] = await record(await createWebhook());
    await eventually(async () => (await deliveryOf(id)).attempts === 1, PATIENCE);
    const { nextAttemptAt, queueAt } = await deliveryOf(id);
    expect(queueAt).toEqual(nextAttemptAt);
    await database.webhookDelivery.update({ where: { id }, data: { queueAt: new Date() } });
    await waitFor(id, "delivered");
  });

  it("waits twice as long after each attempt", async () => {
    receiver.answer = (response) => response.writeHead(500).end();
    startService({ WEBHOOK_RETRY_MS: "60000" });
    const webhook = await createWebhook();
    for (const earlier of [0, 1, 6, 10]) {
      const id = await database.$transaction(async (transaction) => {
        const [row] = await transaction.$queryRaw<{ id: string }[]>`
          SELECT record_webhook_event(${webhook.accountId}, 'balance.low', '{}') AS id`;
        return (
          await transaction.webhookDelivery.update({
            where: { id: row?.id ?? "" },
            data: { roundAttempts: earlier },
          })
        ).id;
      });
      await eventually(async () => (await deliveryOf(id)).attempts === 1, PATIENCE);
      const [attempt] = await attemptsOf(id);
      const { nextAttemptAt, queueAt } = await deliveryOf(id);
      const pauseMs = (nextAttemptAt?.getTime() ?? 0) - (attempt?.attemptedAt.getTime() ?? 0);
      expect(pauseMs).toBeGreaterThanOrEqual(60_000 * 2 ** earlier * 0.75);
      expect(queueAt).toEqual(nextAttemptAt);
    }
  });

  it("is given up after twelve attempts, and can be asked for again", async () => {
    receiver.answer = (response) => response.writeHead(410).end();
    startService({ WEBHOOK_RETRY_MS: "1" });
    const [id = ""] = await record(await createWebhook());
    await waitFor(id, "failed");
    expect(receiver.received).toHaveLength(MAX_ATTEMPTS);
    receiver.answer = (response) => response.end("at last");
    await database.$executeRaw`
      UPDATE webhook_deliveries SET status = 'pending', round = round + 1, round_attempts = 0, queue_at = now()
      WHERE id = ${id}`;
    await waitFor(id, "delivered");
    expect((await attemptsOf(id)).at(-1)).toMatchObject({ number: 13, status: 200, response: "at last" });
  });

  it("follows no redirect", async () => {
    const elsewhere = await Receiver.open();
    try {
      receiver.answer = (response) => response.writeHead(307, { Location: elsewhere.url }).end();
      const id = await recordLast(await createWebhook());
      startService();
      await waitFor(id, "failed");
      expect((await attemptsOf(id)).map(({ status }) => status)).toEqual([307]);
      expect(elsewhere.received).toEqual([]);
    } finally {
      elsewhere.close();
    }
  });

  it.each([
    ["http", (port: string) => `http://studio.example:${port}/`, "the address is not https"],
    ["a private address", (port: string) => `https://127.0.0.1:${port}/`, "the host has a private address"],
    ["an IPv6 one", (port: string) => `https://[::1]:${port}/`, "the host has a private address"],
    [
      "a name that leads to one",
      (port: string) => `https://localhost:${port}/`,
      "the host has a private address",
    ],
  ])("is not sent to %s", async (_what, urlOf, error) => {
    const id = await recordLast(await createWebhook({ url: urlOf(new URL(receiver.url).port) }));
    startService({ WEBHOOK_ADDRESSES: "public" });
    await waitFor(id, "failed");
    expect((await attemptsOf(id)).map((attempt) => attempt.error)).toEqual([error]);
    expect(receiver.received).toEqual([]);
  });

  it("waits for an answer for a limited time, and reads a limited part of it", async () => {
    const endless = () => "\u0000é".repeat(1_000);
    receiver.answer = (response, number) => {
      if (number === 1) return;
      const write = () => {
        while (!response.destroyed && response.write(endless()));
      };
      response.on("drain", write);
      write();
    };
    startService({ WEBHOOK_TIMEOUT_SECONDS: "1" });
    const [id = ""] = await record(await createWebhook());
    await waitFor(id, "delivered");
    const attempts = await attemptsOf(id);
    expect(attempts[0]).toMatchObject({ status: null, error: "no answer within 1000 ms", response: null });
    // On a busy machine, an answer may also take too long.
    expect(attempts.at(-1)).toMatchObject({ status: 200, response: " é".repeat(100) });
  });

  it("says why there was no answer", async () => {
    receiver.close();
    const id = await recordLast(await createWebhook());
    startService();
    await waitFor(id, "failed");
    expect((await attemptsOf(id))[0]).toMatchObject({ status: null, response: null });
    expect((await attemptsOf(id))[0]?.error).toBe("the host refused the connection");
  });

  it("is not lost with the process that sends it", async () => {
    receiver.answer = () => {};
    const pace: Partial<BillingPace> = { jobLockMs: 1_000 };
    const child = fork(new URL("../testing/billing-process.ts", import.meta.url), [JSON.stringify(pace)], {
      env: { PATH: process.env.PATH, ...environment() },
      execArgv: ["--conditions=@diegetic/source"],
    });
    children.push(child);
    const [id = ""] = await record(await createWebhook());
    await eventually(() => receiver.received.length === 1, PATIENCE);
    child.kill("SIGKILL");
    receiver.answer = (response) => response.end();
    startService({}, pace);
    await waitFor(id, "delivered");
    const [first, second] = receiver.received.map(({ body }) => body);
    expect(second).toBe(first);
  });

  it("is not lost with the queue", async () => {
    const [id = ""] = await record(await createWebhook());
    const taken = await takeDueDeliveries(database, 200, 200);
    expect(taken.map(({ deliveryId }) => deliveryId)).toContain(id);
    startService();
    await waitFor(id, "delivered");
  });

  it("is sent again in time though the clock of its process was wrong", async () => {
    receiver.answer = (response, number) => response.writeHead(number === 1 ? 500 : 200).end();
    const connection = connectTestRedis(redis.url);
    const { now } = Date;
    Date.now = () => now() + HOUR_MS;
    let id = "";
    try {
      startService();
      [id = ""] = await record(await createWebhook());
      await eventually(async () => (await deliveryOf(id)).attempts > 0, PATIENCE);
      await eventually(async () => (await connection.llen("{webhooks}:deliveries:active")) === 0, PATIENCE);
    } finally {
      Date.now = now;
      connection.disconnect();
    }
    await waitFor(id, "delivered");
  });

  it("is made again when its attempt could not be recorded", async () => {
    startService({}, { webhookLostAfterMs: 300 });
    await database.$executeRaw`ALTER TABLE webhook_attempts RENAME TO webhook_attempts_hidden`;
    const [id = ""] = await record(await createWebhook());
    await eventually(() => receiver.received.length > 1, PATIENCE);
    await database.$executeRaw`ALTER TABLE webhook_attempts_hidden RENAME TO webhook_attempts`;
    await waitFor(id, "delivered");
  });

  it("ends with its webhook", async () => {
    const webhook = await createWebhook();
    const inactive = await createWebhook();
    const [deleted = ""] = await record(webhook);
    const { eventId } = await deliveryOf(deleted);
    const [stopped = ""] = await record(inactive);
    await database.webhook.delete({ where: { id: webhook.id } });
    await database.webhook.update({ where: { id: inactive.id }, data: { isActive: false } });
    startService();
    await waitFor(stopped, "failed");
    await eventually(
      async () => (await database.webhookDelivery.findUnique({ where: { id: deleted } })) === null,
      PATIENCE,
    );
    expect(await database.webhookEvent.findUnique({ where: { id: eventId } })).toBeNull();
    expect(receiver.received).toEqual([]);
  });

  it("of one account's silent receivers leaves room for those of others", async () => {
    const silent = await createWebhook();
    for (let count = 0; count < 60; count++) await record(silent);
    receiver.answer = (response, number) => {
      const isSilent = receiver.received[number - 1]?.body.includes(silent.accountId);
      if (!isSilent) response.end();
    };
    startService({ WEBHOOK_TIMEOUT_SECONDS: "30" });
    const [id = ""] = await record(await createWebhook());
    await waitFor(id, "delivered");
    const open = () => receiver.received.filter(({ body }) => body.includes(silent.accountId));
    await eventually(() => open().length >= 4, PATIENCE);
    const [{ taken } = { taken: 0 }] = await database.$queryRaw<{ taken: number }[]>`
      SELECT count(*)::int AS taken FROM webhook_deliveries
      WHERE webhook_id = ${silent.id} AND queue_at <> next_attempt_at`;
    expect(taken).toBe(8);
    expect(open()).toHaveLength(4);
    await database.webhook.delete({ where: { id: silent.id } });
  });
});

describe("deliveries", () => {
  // Of the tests before, whose webhooks may be gone.
  beforeEach(async () => {
    await database.webhookDelivery.deleteMany({ where: { status: "pending" } });
  });

  it("beyond ten thousand pending ones of a webhook are kept as failed, until it has fewer", async () => {
    const [webhook, other] = [await createWebhook(), await createWebhook()];
    const isFull = async ({ id }: { id: string }) =>
      (await database.webhook.findUniqueOrThrow({ where: { id } })).fullUntil !== null;
    const [first = ""] = await record(webhook);
    await addDeliveries(first, "pending", 9_999);
    const [second = ""] = await record(other);
    await addDeliveries(second, "pending", 9_998);
    // None is sent.
    await database.$executeRaw`UPDATE webhook_deliveries SET queue_at = now() + interval '1 hour'`;
    startService({}, { webhookEventsEveryMs: 20 });
    await eventually(() => isFull(webhook), PATIENCE);
    expect(await isFull(other)).toBe(false);
    const [failed = ""] = await record(webhook);
    expect(await deliveryOf(failed)).toMatchObject({ status: "failed", nextAttemptAt: null });
    await database.webhookDelivery.delete({ where: { id: first } });
    await eventually(async () => !(await isFull(webhook)), PATIENCE);
    const [pending = ""] = await record(webhook);
    expect((await deliveryOf(pending)).status).not.toBe("failed");
    await database.webhookDelivery.deleteMany({ where: { webhookId: { in: [webhook.id, other.id] } } });
  });

  it("keep their webhook full while they are counted, and not for long after the last count", async () => {
    const webhook = await createWebhook();
    const [first = ""] = await record(webhook);
    await addDeliveries(first, "pending", 9_999);
    const { signal } = new AbortController();
    const secondsLeft = async () => {
      const { fullUntil } = await database.webhook.findUniqueOrThrow({ where: { id: webhook.id } });
      return ((fullUntil?.getTime() ?? 0) - (await databaseNowMs(database))) / 1_000;
    };
    const pass = (seconds: number) => database.$executeRaw`
      UPDATE webhooks SET full_until = full_until - ${seconds}::int * interval '1 second' WHERE id = ${webhook.id}`;
    await markFullWebhooks(database, signal);
    await pass(31);
    expect(await secondsLeft()).toBeLessThan(30);
    await markFullWebhooks(database, signal);
    expect(await secondsLeft()).toBeGreaterThan(30);
    await pass(60);
    const [id = ""] = await record(webhook);
    expect(await deliveryOf(id)).toMatchObject({ status: "pending" });
    await database.webhookDelivery.deleteMany({ where: { webhookId: webhook.id } });
  });

  it("of one webhook take no more of the queue while the first ones wait there for long", async () => {
    const webhook = await createWebhook();
    for (let count = 0; count < 30; count++) await record(webhook);
    const take = async () => {
      await takeDueDeliveries(database, 200, 60_000);
      const where = { webhookId: webhook.id, queueAt: { gt: new Date() } };
      const rows = await database.webhookDelivery.findMany({ where, orderBy: { id: "asc" } });
      return rows.map(({ id }) => id);
    };
    const queued = await take();
    expect(queued).toHaveLength(8);
    expect(await take()).toEqual(queued);
    // Two minutes pass.
    await database.$executeRaw`
      UPDATE webhook_deliveries SET queue_at = queue_at - interval '2 minutes',
        next_attempt_at = next_attempt_at - interval '2 minutes' WHERE webhook_id = ${webhook.id}`;
    expect(await take()).toEqual(queued);
    await database.webhookDelivery.deleteMany({ where: { webhookId: webhook.id } });
  });

  it("of an account are taken from all of its webhooks, the first of each before the second of any", async () => {
    const webhook = await createWebhook();
    for (let count = 0; count < 10; count++) await record(webhook);
    const { id: _id, ...same } = webhook;
    const other = await database.webhook.create({ data: { ...same, id: newId("whk") } });
    await record(webhook);
    const { id } = await database.webhookDelivery.findFirstOrThrow({ where: { webhookId: other.id } });
    const taken = await takeDueDeliveries(database, 200, 60_000);
    expect(taken).toHaveLength(8);
    expect(taken.map(({ deliveryId }) => deliveryId)).toContain(id);
  });

  it("of a webhook are taken next though another one of the account has older ones and all others queued", async () => {
    const slow = await createWebhook();
    for (let count = 0; count < 20; count++) await record(slow);
    const taken = await takeDueDeliveries(database, 200, 60_000);
    const { id: _id, ...same } = slow;
    const quick = await database.webhook.create({ data: { ...same, id: newId("whk") } });
    await record(slow);
    const { id } = await database.webhookDelivery.findFirstOrThrow({ where: { webhookId: quick.id } });
    expect(await takeDueDeliveries(database, 200, 60_000)).toEqual([]);
    const [first] = taken;
    if (first === undefined) throw new Error("nothing was taken");
    const attempt = { attemptedAtMs: 0, durationMs: 1, status: 200, error: null, response: "" };
    await recordAttempt(database, first, attempt, { status: "delivered" });
    const next = await takeDueDeliveries(database, 200, 60_000);
    expect(next.map(({ deliveryId }) => deliveryId)).toEqual([id]);
  });

  it("of an account are taken though those of many others are due again and again", async () => {
    const busy = await Promise.all(Array.from({ length: 26 }, () => createWebhook()));
    for (const webhook of busy) for (let count = 0; count < 8; count++) await record(webhook);
    const [id = ""] = await record(await createWebhook());
    // Postponed while other requests of their accounts were running.
    await database.$executeRaw`
      UPDATE webhook_deliveries SET queue_at = now() + interval '100 milliseconds'
      WHERE webhook_id = ANY(${busy.map((one) => one.id)})`;
    await eventually(async () => {
      const [{ due } = { due: 0 }] = await database.$queryRaw<{ due: number }[]>`
        SELECT count(*)::int AS due FROM webhook_deliveries WHERE status = 'pending' AND queue_at <= now()`;
      return due === 26 * 8 + 1;
    }, PATIENCE);
    const taken = await takeDueDeliveries(database, 200, 60_000);
    expect(taken).toHaveLength(200);
    expect(taken.map(({ deliveryId }) => deliveryId)).toContain(id);
  });

  it("have one attempt recorded though two workers made it", async () => {
    const [deliveryId = ""] = await record(await createWebhook());
    const job = { deliveryId, round: 1, roundAttempts: 0 };
    const attempt = { attemptedAtMs: 0, durationMs: 1, status: 500, error: null, response: "" };
    await recordAttempt(database, job, attempt, { status: "pending", delayMs: 60_000 });
    const paused = await deliveryOf(deliveryId);
    await recordAttempt(database, job, attempt, { status: "pending", delayMs: 120_000 });
    await postpone(database, job, 1_000);
    expect(await deliveryOf(deliveryId)).toEqual({ ...paused, attempts: 2 });
    await recordAttempt(database, job, { ...attempt, status: 200 }, { status: "delivered" });
    expect(await deliveryOf(deliveryId)).toMatchObject({ status: "delivered" });
  });

  it("stay delivered when a repeated attempt fails later", async () => {
    const [deliveryId = ""] = await record(await createWebhook());
    const job = { deliveryId, round: 1, roundAttempts: 0 };
    const attempt = { attemptedAtMs: 0, durationMs: 1, status: 200, error: null, response: "" };
    await recordAttempt(database, job, attempt, { status: "delivered" });
    const again = { status: "pending" as const, delayMs: 1_000 };
    await recordAttempt(database, job, { ...attempt, status: 500 }, again);
    expect(await deliveryOf(deliveryId)).toMatchObject({ status: "delivered", nextAttemptAt: null });
    expect(await attemptsOf(deliveryId)).toHaveLength(2);
  });

  it("stay delivered though another worker finds their webhook inactive", async () => {
    const webhook = await createWebhook();
    const [id = ""] = await record(webhook);
    await database.webhook.update({ where: { id: webhook.id }, data: { isActive: false } });
    const job = { deliveryId: id, round: 1, roundAttempts: 0 };
    const attempt = { attemptedAtMs: Date.now(), durationMs: 1, status: 200, error: null, response: null };
    const raced = new Proxy(database, {
      get(target, name, receiver) {
        const value = Reflect.get(target, name, receiver);
        if (name !== "$queryRaw") return value;
        return async (...given: unknown[]) => {
          const rows = await Reflect.apply(value as (...given: unknown[]) => unknown, target, given);
          await recordAttempt(database, job, attempt, { status: "delivered" });
          return rows;
        };
      },
    });
    expect(await findDelivery(raced, job)).toBeUndefined();
    expect((await deliveryOf(id)).status).toBe("delivered");
  });

  it("are not deleted before they are sent when newer ones exceed those kept of a webhook", async () => {
    const webhook = await createWebhook();
    const [pending = ""] = await record(webhook);
    await addDeliveries(pending, "failed", 10_001);
    const signal = new AbortController().signal;
    await forgetOldDeliveries(database, { keptDays: 7, nowMs: Date.now(), signal });
    expect(await deliveryOf(pending)).toMatchObject({ status: "pending" });
    expect(await database.webhookDelivery.count({ where: { webhookId: webhook.id } })).toBe(10_001);
    await database.webhookDelivery.deleteMany({ where: { webhookId: webhook.id } });
  });

  it("take their event with them when they exceed those kept of a webhook, unless it has other deliveries", async () => {
    const webhook = await createWebhook();
    const [first = ""] = await record(webhook);
    const [second = ""] = await record(webhook);
    await database.webhookDelivery.updateMany({
      where: { id: { in: [first, second] } },
      data: { status: "failed" },
    });
    const { eventId } = await deliveryOf(second);
    await addDeliveries(second, "failed", 10_000);
    const signal = new AbortController().signal;
    await forgetOldDeliveries(database, { keptDays: 7, nowMs: Date.now(), signal });
    const left = await database.webhookEvent.findMany({ where: { accountId: webhook.accountId } });
    expect(left.map(({ id }) => id)).toEqual([eventId]);
    await database.webhookDelivery.deleteMany({ where: { webhookId: webhook.id } });
  });

  describe("in one pass", () => {
    const signal = new AbortController().signal;
    const forget = () => forgetOldDeliveries(database, { keptDays: 7, nowMs: Date.now(), signal });
    const createOldEvents = (accountId: string, count: number) => database.$executeRaw`
      INSERT INTO webhook_events (id, account_id, type, data, created_at)
      SELECT webhook_row_id('evt'), ${accountId}, 'balance.low', '{}', now() - interval '8 days'
      FROM generate_series(1, ${count}::int)`;

    it("are deleted in as many steps as it takes", async () => {
      const webhook = await createWebhook();
      const [first = ""] = await record(webhook);
      await addDeliveries(first, "failed", 12_500);
      await createOldEvents(webhook.accountId, 2_500);
      await forget();
      const where = { webhookId: webhook.id, status: "failed" as const };
      expect(await database.webhookDelivery.count({ where })).toBe(10_000);
      expect(await database.webhookEvent.count({ where: { accountId: webhook.accountId } })).toBe(1);
      await database.webhookDelivery.deleteMany({ where: { webhookId: webhook.id } });
    });

    it("are deleted although others cannot be", async () => {
      const [stuck, crowded] = [await createWebhook(), await createWebhook()];
      const [kept = ""] = await record(stuck);
      const [first = ""] = await record(crowded);
      await addDeliveries(first, "failed", 10_001);
      await createOldEvents(crowded.accountId, 1);
      await database.webhookDelivery.update({ where: { id: kept }, data: { createdAt: new Date(0) } });
      await database.$executeRaw`CREATE TABLE witnesses (delivery_id TEXT REFERENCES webhook_deliveries (id))`;
      await database.$executeRaw`INSERT INTO witnesses VALUES (${kept})`;
      await expect(forget()).rejects.toThrow("witnesses");
      await database.$executeRaw`DROP TABLE witnesses`;
      const where = { webhookId: crowded.id, status: "failed" as const };
      expect(await database.webhookDelivery.count({ where })).toBe(10_000);
      expect(await database.webhookEvent.count({ where: { accountId: crowded.accountId } })).toBe(1);
      await database.webhookDelivery.deleteMany({ where: { webhookId: { in: [stuck.id, crowded.id] } } });
    });
  });

  it("are kept for a limited time, with their events and attempts", async () => {
    const webhook = await createWebhook();
    startService();
    const [old = ""] = await record(webhook);
    const [young = ""] = await record(webhook);
    for (const id of [old, young]) await waitFor(id, "delivered");
    const then = new Date(Date.now() - 8 * DAY_MS);
    const { eventId } = await database.webhookDelivery.update({
      where: { id: old },
      data: { createdAt: then },
    });
    await database.webhookEvent.update({ where: { id: eventId }, data: { createdAt: then } });
    const signal = new AbortController().signal;
    await forgetOldDeliveries(database, { keptDays: 7, nowMs: Date.now(), signal });
    expect(await database.webhookDelivery.findUnique({ where: { id: old } })).toBeNull();
    expect(await database.webhookEvent.findUnique({ where: { id: eventId } })).toBeNull();
    expect(await attemptsOf(old)).toEqual([]);
    expect(await attemptsOf(young)).toHaveLength(1);
  });
});

describe("delayed payout figures", () => {
  it("are forgotten with their period, though the record that delays them is never written", async () => {
    const accountId = "acct_delayed";
    const nowMs = Date.now();
    const daysAgo = { "2025-10-19": 401, "2025-10": 399 };
    for (const [period, days] of Object.entries(daysAgo)) {
      await database.payoutPeriod.create({ data: { period, announcedAt: new Date(nowMs - days * DAY_MS) } });
      await database.delayedPayoutFigures.create({ data: { period, accountId } });
    }
    await forgetOldDeliveries(database, { keptDays: 7, nowMs, signal: new AbortController().signal });
    expect(await database.delayedPayoutFigures.findMany({ where: { accountId } })).toEqual([
      { period: "2025-10", accountId },
    ]);
    const where = { period: { in: Object.keys(daysAgo) } };
    expect(await database.payoutPeriod.findMany({ where })).toMatchObject([{ period: "2025-10" }]);
  });
});
