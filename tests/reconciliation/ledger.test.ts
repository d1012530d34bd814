import { type ImpressionRecord, ledgerSchema, newId, validator } from "@diegetic/contracts";
import { DAY_MS, utcDay } from "@diegetic/database";
import { type BillingProducer, createBillingProducer } from "@diegetic/hot-state";
import { afterBilling } from "@diegetic/testing/api";
import { awayFromMidnight, eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { type Advertiser, type Campaign, World } from "./world.fixture.ts";

let world: World;
let producer: BillingProducer;
beforeAll(async () => {
  await awayFromMidnight(3);
  world = await World.open();
  world.startBilling();
  producer = createBillingProducer(world.urls.redisUrl);
}, 600_000);
afterAll(async () => {
  await producer.close();
  await world.close();
});

const millicents = (cents: number) => Math.round(cents * 1_000);

async function readLedger(advertiser: Advertiser, query = "") {
  const { body } = await advertiser.get(`/ledger${query}`).expect(200);
  return validator(ledgerSchema)(body);
}
type Ledger = Awaited<ReturnType<typeof readLedger>>;

const ledger = (...of: Parameters<typeof readLedger>) => afterBilling(() => readLedger(...of));

/** Every row closes and goes on from the one before; the totals add up. */
function expectClosed({ days, totals }: Ledger): void {
  days.forEach((day, i) => {
    const opening = millicents(day.opening_balance_cents);
    const closing = opening + millicents(day.deposits_cents) - millicents(day.charges_cents);
    expect(millicents(day.closing_balance_cents)).toBe(closing);
    if (i > 0) expect(opening).toBe(millicents(days[i - 1]?.closing_balance_cents ?? Number.NaN));
  });
  const { deposits_cents, balance_cents, held_cents, spent_cents } = totals;
  const sum = millicents(balance_cents) + millicents(held_cents) + millicents(spent_cents);
  expect(sum).toBe(millicents(deposits_cents));
  expect(Math.min(balance_cents, held_cents, spent_cents)).toBeGreaterThanOrEqual(0);
}

async function spentMillicents(advertiserId: string): Promise<number> {
  const { _sum } = await world.database.campaign.aggregate({
    where: { advertiserId },
    _sum: { spentMillicents: true },
  });
  return Number(_sum.spentMillicents ?? 0n);
}

function recordOf(campaign: Campaign, recordedAtMs: number, priceMillicents: number): ImpressionRecord {
  return {
    impression_id: newId("imp"),
    creative_id: campaign.creativeId,
    recorded_at_ms: recordedAtMs,
    match: {
      match_id: newId("mat"),
      advertiser_id: campaign.advertiserId,
      campaign_id: campaign.campaignId,
      campaign_version: 1,
      game_id: "game",
      developer_account_id: "acct_dev",
      user_hash: "user",
      session_key: "session",
      country_code: null,
      affinity_score: 0,
      affinities: [],
      price_millicents: priceMillicents,
      revenue_share_basis_points: 7_000,
      matched_at_ms: recordedAtMs - 1_000,
    },
  };
}

describe("GET /ledger", () => {
  it("closes every day and accounts for every charge, whatever was deposited and seen when", async () => {
    const event = fc.record({
      daysAgo: fc.integer({ min: 0, max: 9 }),
      depositCents: fc.integer({ min: 1, max: 1_000_000 }),
      prices: fc.array(fc.integer({ min: 100, max: 10_000 }), { maxLength: 6 }),
    });
    const story = fc.record({
      events: fc.array(event, { minLength: 1, maxLength: 8 }),
      days: fc.integer({ min: 1, max: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ events, days }) => {
        const advertiser = await world.advertiser(1_000);
        const campaigns = [
          await world.campaign(advertiser, { budget_cents: 1_000_000 }),
          await world.campaign(advertiser, { budget_cents: 1_000_000 }),
        ];
        const now = Date.now();
        const deposits = new Map<string, number>([[utcDay(now), 1_000_000]]);
        const charges = new Map<string, number>();
        const records: ImpressionRecord[] = [];
        const add = (sums: Map<string, number>, day: string, amount: number) =>
          sums.set(day, (sums.get(day) ?? 0) + amount);
        for (const { daysAgo, depositCents, prices } of events) {
          const atMs = now - daysAgo * DAY_MS;
          await world.deposit(advertiser, depositCents, atMs);
          add(deposits, utcDay(atMs), depositCents * 1_000);
          prices.forEach((price, i) => {
            const campaign = campaigns[i % 2];
            if (campaign === undefined) throw new Error("there are two");
            records.push(recordOf(campaign, atMs, price));
            add(charges, utcDay(atMs), price);
          });
        }
        await producer.add(records);
        const expectedSpent = [...charges.values()].reduce((sum, amount) => sum + amount, 0);
        await eventually(async () => (await spentMillicents(advertiser.advertiserId)) === expectedSpent);

        const all = await ledger(advertiser, "?days=12");
        expectClosed(all);
        expect(all.days.map(({ date }) => date)).toEqual(
          Array.from({ length: 12 }, (_, i) => utcDay(now - (11 - i) * DAY_MS)),
        );
        for (const day of all.days) {
          expect(millicents(day.deposits_cents)).toBe(deposits.get(day.date) ?? 0);
          expect(millicents(day.charges_cents)).toBe(charges.get(day.date) ?? 0);
        }
        expect(all.days[0]?.opening_balance_cents).toBe(0);
        expect(millicents(all.totals.spent_cents)).toBe(expectedSpent);
        expect(all.totals.impressions).toBe(records.length);
        const charged = all.days.reduce((sum, day) => sum + millicents(day.charges_cents), 0);
        expect(charged).toBe(await spentMillicents(advertiser.advertiserId));

        // A shorter period opens with everything before it.
        const part = await ledger(advertiser, `?days=${days}`);
        expect(part).toEqual({ days: all.days.slice(-days), totals: all.totals });
      }),
      { numRuns: 8 },
    );
  });

  it("shows an impression and a hold at once, and balances at every moment", async () => {
    const advertiser = await world.advertiser(1_000);
    const campaign = await world.campaign(advertiser);
    await world.hold(campaign);
    await world.impress(campaign);
    const { days, totals } = await ledger(advertiser, "?days=1");
    expect(days).toMatchObject([
      { deposits_cents: 1_000, charges_cents: 0.5, impressions: 1, closing_balance_cents: 999.5 },
    ]);
    expect(totals).toEqual({
      deposits_cents: 1_000,
      balance_cents: 999,
      held_cents: 0.5,
      spent_cents: 0.5,
      impressions: 1,
    });

    const stop = new AbortController();
    const traffic = (async () => {
      for (let i = 0; !stop.signal.aborted; i++) {
        await world.impress(campaign);
        if (i % 5 === 0) await advertiser.post("/deposit", { amount_cents: 1 }).expect(200);
      }
    })();
    let seen = 0;
    for (let i = 0; i < 40; i++) {
      const now = await ledger(advertiser, "?days=2");
      expectClosed(now);
      expect(now.totals.impressions).toBeGreaterThanOrEqual(seen);
      seen = now.totals.impressions;
    }
    stop.abort();
    await traffic;
  });

  it("is a table for those who ask for one", async () => {
    const advertiser = await world.advertiser(1_000);
    const campaign = await world.campaign(advertiser);
    await world.impress(campaign);
    await world.hold(campaign);
    const answer = await afterBilling(() =>
      advertiser.get("/ledger?days=2").set("Accept", "text/csv").expect(200),
    );
    const today = utcDay(Date.now());
    const yesterday = utcDay(Date.now() - DAY_MS);
    expect(answer.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(answer.headers["content-disposition"]).toBe(
      `attachment; filename="ledger-${yesterday}-${today}.csv"`,
    );
    expect(answer.headers.vary).toContain("Accept");
    expect(answer.text).toBe(
      [
        "date,opening_balance_cents,deposits_cents,charges_cents,impressions,closing_balance_cents,held_cents",
        `${yesterday},0.000,0.000,0.000,0,0.000,`,
        `${today},0.000,1000.000,0.500,1,999.500,0.500`,
        "",
      ].join("\n"),
    );
    for (const accept of ["application/json", "*/*", "text/csv;q=0.5, application/json", "image/png"]) {
      const json = await advertiser.get("/ledger").set("Accept", accept).expect(200);
      expect(json.headers["content-type"]).toContain("application/json");
    }
  });

  it.each([
    ["has registered today", 0, 0, 1],
    ["has registered five days ago", 5, 5, 6],
    ["has registered long ago", 100, 3, 30],
    ["had a deposit before registering here", 0, 4, 5],
  ])("begins by default with the first day of who %s", async (_who, daysOld, daysAgo, rows) => {
    const now = Date.now();
    const advertiser = await world.advertiser(1_000);
    await world.database.advertiser.update({
      where: { id: advertiser.advertiserId },
      data: { createdAt: new Date(now - daysOld * DAY_MS) },
    });
    await world.deposit(advertiser, 7, now - daysAgo * DAY_MS);

    const whole = await ledger(advertiser);
    expectClosed(whole);
    expect(whole.days).toHaveLength(rows);
    expect(whole.days.at(-1)).toMatchObject({ date: utcDay(now), closing_balance_cents: 1_007 });
    expect(whole.days[0]?.opening_balance_cents).toBe(0);
    const requested = await ledger(advertiser, "?days=30");
    expect(requested.days).toHaveLength(30);
    expect(requested.days.slice(-rows)).toEqual(whole.days);
    expect((await ledger(advertiser, `?to=${utcDay(now)}`)).days).toHaveLength(30);
  });

  it("is the caller's alone, and says what it does not understand", async () => {
    const first = await world.advertiser(1_000);
    const second = await world.advertiser(5);
    expect((await ledger(first)).totals.deposits_cents).toBe(1_000);
    const other = await ledger(second);
    expect(other.totals.deposits_cents).toBe(5);
    const refused = await first.get("/ledger?from=yesterday").expect(400);
    expect(refused.body).toEqual({ detail: 'from must be a day as YYYY-MM-DD, but "yesterday" was sent' });
    await first.get("/ledger?days=367").expect(422);
    const unregistered = await world.advertiser(0);
    await world.database.advertiser.delete({ where: { id: unregistered.advertiserId } });
    await unregistered.get("/ledger").expect(403);
  });

  it("does not wait for a record that was quarantined", async () => {
    await world.stopBilling();
    const advertiser = await world.advertiser(1_000);
    const campaign = await world.campaign(advertiser);
    const record = await world.impress(campaign);
    const { recoveryEpoch } = await world.database.advertiser.findUniqueOrThrow({
      where: { id: advertiser.advertiserId },
    });
    await world.database.quarantinedImpression.create({
      data: {
        impressionId: record.impression_id,
        advertiserId: advertiser.advertiserId,
        record: JSON.stringify(record),
        reason: "planted",
        recoveryEpoch,
      },
    });
    // A busy machine may be slow for a moment; an answer that waits for the record takes a second each time.
    const { totals } = await eventually(async () => {
      const startedMs = performance.now();
      const answer = await readLedger(advertiser);
      return performance.now() - startedMs < 900 ? answer : undefined;
    });
    expect(totals).toMatchObject({ held_cents: 0.5, spent_cents: 0, balance_cents: 999.5 });
  });
});
