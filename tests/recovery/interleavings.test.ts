import type { ImpressionRecord } from "@diegetic/contracts";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import { createTestDatabase, type TestDatabase } from "../helpers/database.ts";
import { startTestRedis, type TestRedis } from "../helpers/redis.ts";
import { rounds } from "../helpers/rounds.ts";
import { copyOf, goBackTo } from "./redis-copy.fixture.ts";
import {
  openStores,
  PRICE_MILLICENTS,
  type Stores,
  WalletScenario,
  whileAwayNull,
} from "./stores.fixture.ts";

let postgres: TestDatabase;
let server: TestRedis;
let stores: Stores;

beforeAll(async () => {
  [postgres, server] = await Promise.all([createTestDatabase(), startTestRedis()]);
  stores = openStores(postgres.url, server.url);
}, 60_000);
afterAll(async () => {
  await stores.close();
  await Promise.all([postgres.drop(), server.stop()]);
});

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("hold" as const), which: fc.nat(1) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("commit" as const), which: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("change" as const), which: fc.nat(1) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("changeDuringRestore" as const), which: fc.nat(1) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("again" as const), which: fc.nat(9) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("keyed" as const), which: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("deliver" as const), which: fc.nat(4) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom("sweep" as const, "settle" as const, "restore" as const),
      which: fc.constant(0),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("flush" as const, "copy" as const, "goBack" as const),
      which: fc.constant(0),
    }),
  },
);
const restart = { kind: "restart" as const, which: 0 };
type Step = (typeof step extends fc.Arbitrary<infer T> ? T : never) | typeof restart;

/** Steps of one moment run side by side. */
const moments = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 5, maxLength: 25 });

async function run(
  scenario: WalletScenario,
  { kind, which }: Step,
  copies: [string, Buffer][][],
): Promise<unknown> {
  switch (kind) {
    case "hold":
      return scenario.hold(which);
    case "change":
      return scenario.change(which);
    case "changeDuringRestore":
      return scenario.changeDuringRestore(which);
    case "commit":
      return scenario.commit(scenario.open.splice(which % Math.max(1, scenario.open.length), 1)[0]);
    case "again":
      return scenario.commit(scenario.billed[which % Math.max(1, scenario.billed.length)]);
    case "keyed":
      return scenario.commitKeyed(scenario.campaignIds[which % 2] ?? "", `key ${which}`);
    case "deliver":
      return scenario.deliver(which + 1);
    case "sweep":
      return scenario.sweep();
    case "settle":
      return scenario.settle();
    case "restore":
      return scenario.restore();
    case "flush":
      return whileAwayNull(stores.redis.flushall());
    case "copy":
      return copies.push(await copyOf(stores.redis));
    case "restart":
      return goBackTo(stores.redis, await copyOf(stores.redis));
    case "goBack":
      return goBackTo(stores.redis, copies.at(-1) ?? []);
  }
}

async function untilQuiet(scenario: WalletScenario): Promise<void> {
  for (let round = 0; round < 20; round++) {
    const restored = await scenario.restore();
    await scenario.deliver(scenario.answered.length);
    await scenario.sweep();
    await scenario.settle();
    const left = await stores.database.walletSettlement.count({
      where: { advertiserId: scenario.advertiserId, settledAt: null },
    });
    const published = await scenario.publishPending();
    if (restored && published && left === 0 && scenario.answered.length === 0) return;
  }
  throw new Error("the scenario does not come to rest");
}

/** What happens to a record, one by one. */
const afterwards = fc.oneof(
  fc.record({ kind: fc.constant("deliver" as const), which: fc.nat(1) }),
  fc.constantFrom<Step>(
    { kind: "sweep", which: 0 },
    { kind: "settle", which: 0 },
    { kind: "restore", which: 0 },
    restart,
  ),
);

/** One key is used, Redis loses that, and it is used again, twice. */
const keyLostTwice = fc
  .array(fc.array(afterwards, { maxLength: 4 }), { minLength: 4, maxLength: 4 })
  .map(([first = [], second = [], third = [], last = []]): Step[][] => {
    const use: Step[] = [
      { kind: "hold", which: 0 },
      { kind: "keyed", which: 0 },
    ];
    const lose: Step[] = [
      { kind: "flush", which: 0 },
      { kind: "restore", which: 0 },
    ];
    const all = [...use, ...first, ...lose, ...second, ...use, ...third, ...lose, ...use, ...last];
    return all.map((one) => [one]);
  });

/** Changes that meet a restore which has read the rows before them, while money moves and others restore. */
const beside = fc.constantFrom<Step>(
  { kind: "hold", which: 0 },
  { kind: "commit", which: 0 },
  { kind: "change", which: 1 },
  { kind: "restore", which: 0 },
);
const changesDuringRestores = fc
  .array(fc.tuple(fc.nat(1), beside, beside), { minLength: 1, maxLength: 3 })
  .map((chosen): Step[][] => [
    [{ kind: "hold", which: 0 }],
    ...chosen.map(([which, ...others]): Step[] => [{ kind: "changeDuringRestore", which }, ...others]),
    [{ kind: "commit", which: 0 }],
  ]);

it.each([
  ["anything may happen", moments],
  ["a key is lost twice", keyLostTwice],
  ["changes commit while states are restored", changesDuringRestores],
])(
  "wallet and Postgres agree in the end, however losses, recovery and billing interleave: %s",
  async (_name, plans) => {
    const seen = { charges: 0, quarantined: 0 };
    await fc.assert(
      fc.asyncProperty(plans, async (chosen) => {
        await stores.redis.flushall();
        const scenario = await WalletScenario.open(stores, { depositCents: 14, budgetCents: 8 });
        const copies: [string, Buffer][][] = [];
        for (const moment of chosen) await Promise.all(moment.map((one) => run(scenario, one, copies)));
        await untilQuiet(scenario);

        const { postgres: truth, wallet, quarantined } = await scenario.compare();
        expect(wallet).toEqual(truth);
        const settings = await scenario.settings();
        expect(settings.wallets).toEqual(settings.rows);
        const { advertiserId } = scenario;
        const rows = await stores.database.impression.findMany({ where: { advertiserId } });
        const aside = await stores.database.quarantinedImpression.findMany({ where: { advertiserId } });
        const known = new Set([...rows, ...aside].map(({ impressionId }) => impressionId));
        // What was answered is written or reported, and no match is billed twice.
        for (const { match_id } of scenario.billed) expect(known).toContain(match_id.replace("mat_", "imp_"));
        expect(new Set(rows.map(({ matchId }) => matchId)).size).toBe(rows.length);
        expect(rows.length * PRICE_MILLICENTS).toBeLessThanOrEqual(14_000);
        const operations = rows.flatMap(({ operationId }) => operationId ?? []);
        expect(new Set(operations).size).toBe(operations.length);
        for (const { reason, record } of aside) {
          const isRepeated = operations.includes((JSON.parse(record) as ImpressionRecord).operation_id ?? "");
          expect(reason).toMatch(isRepeated ? /spent again|the same Idempotency-Key/ : /spent again/);
        }
        seen.charges += rows.length;
        seen.quarantined += quarantined;
      }),
      { numRuns: Number(process.env.RECOVERY_RUNS ?? rounds(12, 40)) },
    );
    expect(seen.charges).toBeGreaterThan(0);
  },
  240_000,
);
