import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { type ImpressionRecord, newId } from "@diegetic/contracts";
import { createDatabase, type Database } from "@diegetic/database";
import { type BillingProducer, createBillingProducer } from "@diegetic/hot-state";
import { checkReadiness, createLogger, createMetrics } from "@diegetic/service-kit";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { BillingPace } from "./pace.ts";
import { type BillingService, createBillingService } from "./service.ts";
import { readBillingSettings } from "./settings.ts";
import { createMarket, pick, readSums } from "./testing/market.fixture.ts";
import { Wallets } from "./testing/wallets.fixture.ts";

const PATIENCE = { timeoutMs: 60_000 };
const QUICK: Partial<BillingPace> = { passEveryMs: 20, pollEveryMs: 20, overdueAfterMs: 300 };
/** For jobs of killed workers. */
const TAKES_OVER_SOON: Partial<BillingPace> = { jobLockMs: 1_000 };
/** For locks that are held until the test ends. */
const IMPATIENT: Partial<BillingPace> = { ...QUICK, maxLockWaitMs: 100 };

let server: TestDatabase;
let redis: TestRedis;
let database: Database;
let wallets: Wallets;
let producer: BillingProducer;
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
  wallets = await Wallets.open(await createMarket(database), redis.url);
  producer = createBillingProducer(redis.url);
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await Promise.all(services.splice(0).map((service) => service.stop()));
  await producer.close();
  wallets.close();
});

function environment(databaseUrl = server.url): Record<string, string> {
  return { DATABASE_URL: databaseUrl, REDIS_URL: redis.url, LOG_LEVEL: "silent" };
}

function startService(pace: Partial<BillingPace> = QUICK, databaseUrl = server.url): BillingService {
  const service = createBillingService({
    ...readBillingSettings(environment(databaseUrl)),
    logger: createLogger({ service: "billing", instance: "test", level: "silent" }),
    metrics: createMetrics({ service: "billing" }),
    pace,
  });
  services.push(service);
  return service;
}

async function impress(count: number): Promise<ImpressionRecord[]> {
  const records: ImpressionRecord[] = [];
  for (let i = 0; i < count; i++) {
    records.push(await wallets.impress({ campaign: i, user: i % 5, game: i }, QUICK.overdueAfterMs));
  }
  return records;
}

/** Waits until the outbox is empty, then compares Redis, impressions, rollups, ledger and totals. */
async function expectWrittenOnce(count: number): Promise<void> {
  await eventually(async () => (await wallets.outboxSize()) === 0, PATIENCE);
  let written = 0;
  for (const { advertiserId, campaignId } of wallets.market.campaigns) {
    const sums = await readSums(database, campaignId);
    const counted = await wallets.money.readCampaign(advertiserId, campaignId);
    expect(new Set(Object.values(sums.impressions))).toEqual(new Set([counted?.impressions]));
    expect(new Set(Object.values(sums.spentMillicents))).toEqual(new Set([counted?.spentMillicents]));
    expect(sums.ledgerBalance).toBe(0n);
    written += sums.impressions.rows;
  }
  expect(written).toBe(count);
}

describe("billing service", () => {
  it("writes what is queued, however often it is delivered, on several instances", async () => {
    startService();
    startService();
    const records = await impress(60);
    await Promise.all([
      producer.add(records),
      producer.add(records),
      producer.add(records.slice(0, 40)),
      producer.add(records.slice(20)),
    ]);
    await expectWrittenOnce(60);
  });

  it("finds what an instance of the match tier committed and never queued", async () => {
    await impress(10);
    startService();
    await expectWrittenOnce(10);
    await eventually(async () => (await wallets.due.registered("outbox", 1)).length === 0, PATIENCE);
  });

  it("writes records that a silent queue does not deliver", async () => {
    const meta = "{billing}:impressions:meta";
    await wallets.redis.hset(meta, "paused", "1");
    try {
      startService();
      await producer.add(await impress(10));
      await expectWrittenOnce(10);
    } finally {
      await wallets.redis.hdel(meta, "paused");
      await wallets.redis.del("{billing}:impressions:paused", "{billing}:impressions:wait");
    }
  });

  it("loses no record that only its job has while somebody holds its advertiser's row", async () => {
    const { advertiserId } = pick(wallets.market.campaigns, 0);
    const record = await wallets.impress({ campaign: 0 }, QUICK.overdueAfterMs);
    await wallets.redis.del(`{${advertiserId}}:outbox`);
    await database.$transaction(
      async (blocker) => {
        await blocker.$queryRaw`SELECT id FROM advertisers WHERE id = ${advertiserId} FOR UPDATE`;
        startService(IMPATIENT);
        await producer.add([record]);
        await eventually(async () => (await producer.depth()) === 0, PATIENCE);
      },
      { timeout: 120_000 },
    );
    const isWritten = async () =>
      (await database.impression.count({ where: { impressionId: record.impression_id } })) === 1;
    await eventually(isWritten, PATIENCE);
    await expectWrittenOnce(1);
  });

  it("writes what others committed while somebody holds an advertiser's row, without the queue, too", async () => {
    const meta = "{billing}:impressions:meta";
    const { advertiserId } = pick(wallets.market.campaigns, 0);
    const { advertiserId: other } = pick(wallets.market.campaigns, 2);
    await wallets.redis.hset(meta, "paused", "1");
    try {
      await wallets.impress({ campaign: 0 }, QUICK.overdueAfterMs);
      await wallets.impress({ campaign: 2 }, QUICK.overdueAfterMs);
      await database.$transaction(
        async (blocker) => {
          await blocker.$queryRaw`SELECT id FROM advertisers WHERE id = ${advertiserId} FOR UPDATE`;
          startService(IMPATIENT);
          await eventually(async () => (await wallets.redis.hlen(`{${other}}:outbox`)) === 0, PATIENCE);
        },
        { timeout: 120_000 },
      );
      await expectWrittenOnce(2);
    } finally {
      await wallets.redis.hdel(meta, "paused");
      await wallets.redis.del("{billing}:impressions:paused", "{billing}:impressions:wait");
    }
  });

  it("counts matches as charged only once their impressions are written", async () => {
    const { advertiserId } = pick(wallets.market.campaigns, 0);
    const { accountId } = pick(wallets.market.games, 0);
    await database.account.create({ data: { id: accountId, label: "studio" } });
    await database.webhook.create({
      data: {
        id: newId("whk"),
        accountId,
        url: "https://studio.example/",
        events: ["holds.expiry_rate_high"],
        balanceLowCents: 100,
        holdExpiryPercent: 50,
        holdExpiryMinMatches: 4,
        secret: "whsec_1",
      },
    });
    const records = [await wallets.impress({ campaign: 0 }), await wallets.impress({ campaign: 2 })];
    const counted = () => database.holdOutcome.aggregate({ _sum: { charged: true }, where: { accountId } });
    await database.$transaction(
      async (blocker) => {
        await blocker.$queryRaw`SELECT id FROM advertisers WHERE id = ${advertiserId} FOR UPDATE`;
        startService({ ...IMPATIENT, overdueAfterMs: 60_000, webhookEventsEveryMs: 20 });
        await producer.add(records);
        await eventually(async () => (await counted())._sum.charged !== null, PATIENCE);
        expect((await counted())._sum.charged).toBe(1n);
      },
      { timeout: 120_000 },
    );
  });

  it("finds by its walk what the due index has lost", async () => {
    await impress(4);
    const match = await wallets.hold({}, { ttlMs: 20 });
    await wallets.redis.del("{due}:outbox", "{due}:holds");
    startService({ ...QUICK, walkEveryMs: 50 });
    await expectWrittenOnce(4);
    await eventually(async () => (await wallets.heldMillicents(match.advertiser_id)) === 0, PATIENCE);
  });

  it("walks also while old deliveries to webhooks cannot be deleted", async () => {
    await impress(4);
    await wallets.redis.del("{due}:outbox");
    await database.$executeRaw`ALTER TABLE payout_periods RENAME TO payout_periods_elsewhere`;
    try {
      startService({ ...QUICK, walkEveryMs: 50 });
      await expectWrittenOnce(4);
    } finally {
      await database.$executeRaw`ALTER TABLE payout_periods_elsewhere RENAME TO payout_periods`;
    }
  });

  it("releases what lapsed", async () => {
    const match = await wallets.hold({}, { ttlMs: 20 });
    startService();
    await eventually(async () => (await wallets.heldMillicents(match.advertiser_id)) === 0, PATIENCE);
  });

  it("says whether its stores answer", async () => {
    const { readiness } = startService();
    await eventually(async () => (await checkReadiness(readiness)).ready);
    const lost = startService(QUICK, "postgres://nobody@127.0.0.1:1/nothing");
    await eventually(async () => (await checkReadiness(lost.readiness)).checks.redis === "ok");
    expect(await checkReadiness(lost.readiness)).toMatchObject({ ready: false });
  });

  it("goes on by itself after Postgres was unavailable", async () => {
    const gate = await Gate.open(server.url);
    startService(QUICK, gate.url);
    await producer.add(await impress(3));
    await expectWrittenOnce(3);
    await gate.close();
    await producer.add(await impress(5));
    await eventually(async () => (await wallets.due.registered("outbox", 1)).length > 0);
    expect(await wallets.outboxSize()).toBe(5);
    await gate.reopen();
    await expectWrittenOnce(8);
    await gate.close();
  });
});

describe("billing process", () => {
  it("may be killed in the middle of a batch: another one writes it, once", async () => {
    const child = startProcess("./testing/billing-process.ts", TAKES_OVER_SOON);
    await once(child, "message");
    const records = await impress(50);
    const { advertiserId } = pick(wallets.market.campaigns, 0);
    // Somebody holds an advertiser's row: the batch stops after its impressions were inserted, before the commit.
    await database.$transaction(
      async (blocker) => {
        await blocker.$queryRaw`SELECT id FROM advertisers WHERE id = ${advertiserId} FOR UPDATE`;
        await producer.add(records);
        await eventually(async () => {
          const waiting = await database.$queryRaw<unknown[]>`SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE advertisers%'
              AND pid <> pg_backend_pid()`;
          return waiting.length === 1;
        }, PATIENCE);
        const gone = once(child, "exit");
        child.kill("SIGKILL");
        await gone;
      },
      { timeout: 120_000 },
    );
    // Records of other advertisers are written apart, and may have been committed before the kill.
    const blocked = records.filter(({ match }) => match.advertiser_id === advertiserId);
    expect(blocked.length).toBeGreaterThan(0);
    expect(await wallets.outboxSize()).toBeGreaterThanOrEqual(blocked.length);
    startService({ ...QUICK, ...TAKES_OVER_SOON });
    await expectWrittenOnce(50);
    await eventually(async () => (await producer.depth()) === 0, PATIENCE);
  });

  it("ends a batch that runs before it stops", async () => {
    const child = startProcess();
    await once(child, "message");
    await producer.add(await impress(50));
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
    startService();
    await expectWrittenOnce(50);
  });
});

function startProcess(file = "./main.ts", pace: Partial<BillingPace> = {}): ChildProcess {
  const child = fork(new URL(file, import.meta.url), [JSON.stringify(pace)], {
    env: { PATH: process.env.PATH, ...environment() },
    execArgv: ["--conditions=@diegetic/source"],
  });
  children.push(child);
  return child;
}

/** A way to Postgres that can be shut, with every connection through it. */
class Gate {
  readonly url: string;
  readonly #port: number;
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  #server: Server;

  private constructor(server: Server, target: URL, port: number) {
    this.#server = server;
    this.#target = target;
    this.#port = port;
    this.url = Object.assign(new URL(target), { host: `127.0.0.1:${port}` }).toString();
    this.#forward();
  }

  static async open(databaseUrl: string): Promise<Gate> {
    const gate = createServer().listen(0, "127.0.0.1");
    await once(gate, "listening");
    const address = gate.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return new Gate(gate, new URL(databaseUrl), address.port);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async reopen(): Promise<void> {
    this.#server = createServer().listen(this.#port, "127.0.0.1");
    this.#forward();
    await once(this.#server, "listening");
  }

  #forward(): void {
    this.#server.on("connection", (inbound) => {
      const outbound = connect(Number(this.#target.port), this.#target.hostname);
      for (const [socket, other] of [
        [inbound, outbound],
        [outbound, inbound],
      ] as const) {
        this.#sockets.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
        socket.pipe(other);
      }
    });
  }
}
