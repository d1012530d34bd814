import type { ImpressionRecord } from "@diegetic/contracts";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { rounds } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
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
});
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
    // Whatever was refused before, this match is charged.
    [{ kind: "restore", which: 0 }],
    [{ kind: "hold", which: 0 }],
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

/** Two open matches of one campaign, and a copy of Redis in which both are open. */
async function twoOpenMatches(): Promise<{ scenario: WalletScenario; older: [string, Buffer][] }> {
  await stores.redis.flushall();
  const scenario = await WalletScenario.open(stores, { depositCents: 14, budgetCents: 8 });
  await scenario.hold(0);
  await scenario.hold(0);
  return { scenario, older: await copyOf(stores.redis) };
}

/** Sends an impression with a key and without a match id; returns its record and operation. */
async function recordKeyed(scenario: WalletScenario, key: string): Promise<ImpressionRecord> {
  expect(await scenario.commitKeyed(scenario.campaignIds[0], key)).toBe(true);
  const record = scenario.answered.at(-1);
  if (record === undefined) throw new Error("nothing was charged");
  return record;
}

async function billedRows({ advertiserId }: WalletScenario): Promise<[string, string | null][]> {
  const rows = await stores.database.impression.findMany({
    where: { advertiserId },
    orderBy: { impressionId: "asc" },
  });
  return rows.map(({ impressionId, operationId }) => [impressionId, operationId]);
}

it("two keys whose charges only Redis had may swap their matches when they are retried: each is billed once", async () => {
  const { scenario, older } = await twoOpenMatches();
  const [one, two] = [await recordKeyed(scenario, "one"), await recordKeyed(scenario, "two")];
  scenario.answered.splice(0); // Their jobs were in the same Redis.
  await goBackTo(stores.redis, older);
  expect(await scenario.restore()).toBe(true);
  const twoAgain = await recordKeyed(scenario, "two");
  const oneAgain = await recordKeyed(scenario, "one");
  // Each key was answered with both impressions, and both impressions are billed.
  expect(twoAgain).toMatchObject({ impression_id: one.impression_id, operation_id: two.operation_id });
  expect(oneAgain).toMatchObject({ impression_id: two.impression_id, operation_id: one.operation_id });
  await untilQuiet(scenario);
  expect(await billedRows(scenario)).toEqual([
    [one.impression_id, two.operation_id],
    [two.impression_id, one.operation_id],
  ]);
  const { postgres: truth, wallet, quarantined } = await scenario.compare();
  expect([wallet, quarantined]).toEqual([truth, 0]);
});

it.each([
  ["before the restore", ["deliver", "restore", "retry"]],
  ["after the restore, before the retry", ["restore", "deliver", "retry"]],
  ["after the restore and a settlement, before the retry", ["restore", "deliver", "settle", "retry"]],
  ["after the retry", ["restore", "retry", "deliver"]],
  ["after the retry was billed", ["restore", "retry", "sweep", "deliver"]],
  ["after another request took its match, before the retry", ["restore", "other", "deliver", "retry"]],
  ["after another request took its match and billed it", ["restore", "other", "sweep", "deliver", "retry"]],
  ["after another request took its match, and the retry", ["restore", "other", "retry", "deliver"]],
] as const)(
  "a key that an older Redis has forgotten is billed once when its record arrives %s",
  async (_name, steps) => {
    const { scenario, older } = await twoOpenMatches();
    const first = await recordKeyed(scenario, "one");
    const atBilling = scenario.answered.splice(0);
    await goBackTo(stores.redis, older);
    let answered = 1;
    for (const step of steps) {
      if (step === "deliver") {
        const waiting = scenario.answered.splice(0);
        scenario.answered.push(...atBilling.splice(0));
        await scenario.deliver(1);
        scenario.answered.push(...waiting);
      } else if (step === "retry" || step === "other") {
        // Holds are void once the wallet is found to be behind Postgres.
        if (step === "retry") await scenario.hold(0);
        await recordKeyed(scenario, step === "retry" ? "one" : "two");
        answered += 1;
      } else await scenario[step]();
    }
    await untilQuiet(scenario);
    const rows = await billedRows(scenario);
    expect(rows.filter(([, operationId]) => operationId === first.operation_id)).toHaveLength(1);
    expect(rows.length).toBeLessThan(answered);
    const { postgres: truth, wallet } = await scenario.compare();
    expect(wallet).toEqual(truth);
    const { advertiserId } = scenario;
    const aside = await stores.database.quarantinedImpression.findMany({ where: { advertiserId } });
    for (const { reason, resolvedAt } of aside) {
      expect([reason, resolvedAt]).toEqual([
        expect.stringContaining("the same Idempotency-Key"),
        expect.any(Date),
      ]);
    }
  },
);

it.each([
  [" later", ["restore", "late", "settle", "retry"]],
  [" before", ["restore", "retry", "late", "settle"]],
] as const)(
  "a match whose lost charge is quarantined is reversed in the wallet when a retry charges it again%s",
  async (_name, steps) => {
    await stores.redis.flushall();
    const scenario = await WalletScenario.open(stores, { depositCents: 14, budgetCents: 8 });
    await scenario.hold(0);
    const { operation_id } = await recordKeyed(scenario, "one");
    await scenario.deliver(1);
    await stores.redis.flushall();
    expect(await scenario.restore()).toBe(true);
    await scenario.hold(0);
    const older = await copyOf(stores.redis);
    const again = await recordKeyed(scenario, "one");
    const [atBilling] = scenario.answered.splice(0);
    await goBackTo(stores.redis, older);
    for (const step of steps) {
      if (step === "late") {
        const waiting = scenario.answered.splice(
          0,
          Number.POSITIVE_INFINITY,
          ...(atBilling ? [atBilling] : []),
        );
        await scenario.deliver(1);
        scenario.answered.push(...waiting);
      } else if (step === "retry") {
        expect(await recordKeyed(scenario, "one")).toMatchObject({ impression_id: again.impression_id });
      } else await scenario[step]();
    }
    await untilQuiet(scenario);
    expect(await billedRows(scenario)).toHaveLength(1);
    expect((await billedRows(scenario))[0]?.[1]).toBe(operation_id);
    const { postgres: truth, wallet } = await scenario.compare();
    expect(wallet).toEqual(truth);
  },
);

it.each([
  ["after its reversal", ["late", "settle", "raise", "retry"]],
  ["before its reversal", ["late", "retry", "settle"]],
  ["after an operator has resolved it", ["late", "settle", "resolve", "raise", "retry"]],
  ["before it is refused", ["retry", "late", "settle"]],
  ["in one batch with it", ["retry", "both", "settle"]],
  ["and refused first", ["retry", "sweep", "late"]],
  ["and reversed first", ["retry", "sweep", "settle", "late"]],
] as const)(
  "a lost charge that Postgres refuses for lack of money is reversed in the wallet when a retry makes it again, %s",
  async (_name, steps) => {
    await stores.redis.flushall();
    const scenario = await WalletScenario.open(stores, { depositCents: 14, budgetCents: 8 });
    const { advertiserId } = scenario;
    await scenario.hold(0);
    const [match] = scenario.open.splice(0);
    const older = await copyOf(stores.redis);
    expect(await scenario.commit(match)).toBe(true);
    const lost = scenario.answered.splice(0);
    await scenario.hold(0);
    expect(await scenario.commit(scenario.open.pop())).toBe(true);
    await goBackTo(stores.redis, older);
    expect(await scenario.restore()).toBe(true);
    // With the second lost charge, these use up the budget in Postgres. The wallet still holds the first match.
    for (let other = 0; other < 7; other++) {
      await scenario.hold(0);
      expect(await scenario.commit(scenario.open.pop())).toBe(true);
    }
    await scenario.deliver(8);
    const deliver = async (records: readonly ImpressionRecord[]) => {
      const waiting = scenario.answered.splice(0);
      scenario.answered.push(...records);
      await scenario.deliver(records.length);
      scenario.answered.push(...waiting);
    };
    const again: ImpressionRecord[] = [];
    for (const step of steps) {
      if (step === "late") await deliver(lost);
      else if (step === "both") await deliver([...lost, ...scenario.answered.splice(0)]);
      else if (step === "retry") {
        expect(await scenario.commit(match)).toBe(true);
        again.push(...scenario.answered);
      } else if (step === "raise") {
        await stores.database.campaign.update({
          where: { id: scenario.campaignIds[0] },
          data: { version: { increment: 1 }, budgetCents: 14 },
        });
        expect(await scenario.publishPending()).toBe(true);
      } else if (step === "resolve") {
        await stores.database.quarantinedImpression.updateMany({
          where: { advertiserId },
          data: { resolvedAt: new Date(), resolution: "not charged" },
        });
      } else await scenario[step]();
    }
    await untilQuiet(scenario);
    const expectAgreement = async () => {
      expect(await billedRows(scenario)).toHaveLength(8);
      const aside = await stores.database.quarantinedImpression.findMany({ where: { advertiserId } });
      expect(aside).toMatchObject([
        { impressionId: lost[0]?.impression_id, reason: expect.stringContaining("spent again") },
      ]);
      const { postgres: truth, wallet } = await scenario.compare();
      expect(wallet).toEqual(truth);
    };
    await expectAgreement();
    // Delivered again, both change nothing more.
    for (const one of [...again, ...lost]) await deliver([one]);
    await untilQuiet(scenario);
    await expectAgreement();
  },
);
