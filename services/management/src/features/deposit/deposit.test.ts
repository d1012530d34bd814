import { newId } from "@diegetic/contracts";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Harness, startHarness } from "../../testing/harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

async function bookings(advertiserId: string) {
  const { database } = harness.management;
  const where = { where: { advertiserId } };
  const [deposits, entries] = await Promise.all([
    database.deposit.findMany(where),
    database.ledgerEntry.findMany(where),
  ]);
  return { deposits, entries };
}

describe("POST /deposit", () => {
  it("adds to the balance, the ledger and the advertiser's wallet before it answers", async () => {
    const caller = await harness.advertiser();
    const first = await caller.post("/deposit", { amount_cents: 1 }).expect(200);
    expect(first.body).toEqual({ balance_cents: 1, deposited_cents: 1 });
    await caller.post("/deposit", { amount_cents: 1_000_000_000 }).expect(200, {
      balance_cents: 1_000_000_001,
      deposited_cents: 1_000_000_000,
    });
    expect(await harness.money.readAccount(caller.advertiserId)).toMatchObject({
      depositedMillicents: 1_000_000_001_000,
      spentMillicents: 0,
    });
    const { deposits, entries } = await bookings(caller.advertiserId);
    expect(deposits).toHaveLength(2);
    expect(entries.map((entry) => entry.amountMicrocents)).toEqual([1_000_000n, 1_000_000_000_000_000n]);
  });

  const refused: [string, unknown, number, string][] = [
    ["nothing", {}, 400, "amount_cents is required"],
    ["null", { amount_cents: null }, 400, "amount_cents is required"],
    ["a text", { amount_cents: "100" }, 400, "whole number"],
    ["a fraction", { amount_cents: 1.5 }, 400, "whole number"],
    ["zero", { amount_cents: 0 }, 422, "from 1 to 1000000000"],
    ["too much", { amount_cents: 1_000_000_001 }, 422, "from 1 to 1000000000"],
    ["a negative amount", { amount_cents: -5 }, 422, "from 1"],
  ];
  it.each(refused)("refuses %s", async (_name, body, status, part) => {
    const caller = await harness.advertiser();
    const answer = await caller.post("/deposit", body).expect(status);
    expect(answer.body.detail).toContain(part);
  });

  it("refuses what would no longer be exact", async () => {
    const caller = await harness.advertiser();
    await harness.management.database.advertiser.update({
      where: { id: caller.advertiserId },
      data: { depositedMillicents: 9_007_199_254_740_991n - 1_000n },
    });
    await caller.post("/deposit", { amount_cents: 2 }).expect(422);
    await caller.post("/deposit", { amount_cents: 1 }).expect(200);
  });
});

describe("Idempotency-Key", () => {
  it("deposits once, regardless of the number and concurrency of retries", async () => {
    const caller = await harness.advertiser();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        caller.post("/deposit", { amount_cents: 700 }).set("Idempotency-Key", "once"),
      ),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ balance_cents: 700, deposited_cents: 700 });
    }
    await caller.post("/deposit", { amount_cents: 1 }).expect(200);
    // The same JSON in another order of fields is the same body; the answer is the first one.
    const again = await caller
      .post("/deposit", { amount_cents: 700 })
      .set("Idempotency-Key", "once")
      .expect(200);
    expect(again.body.balance_cents).toBe(700);
    expect((await bookings(caller.advertiserId)).deposits).toHaveLength(2);
  });

  it("refuses another body, keeps accounts and endpoints apart and limits the key", async () => {
    const caller = await harness.advertiser();
    await caller.post("/deposit", { amount_cents: 5 }).set("Idempotency-Key", "k").expect(200);
    const other = await caller.post("/deposit", { amount_cents: 6 }).set("Idempotency-Key", "k").expect(409);
    expect(other.body.detail).toContain("Idempotency-Key");
    const stranger = await harness.advertiser();
    await stranger.post("/deposit", { amount_cents: 6 }).set("Idempotency-Key", "k").expect(200);
    const campaign = { name: "a", budget_cents: 1, cpm_bid_cents: 100 };
    const made = await caller.post("/campaigns", campaign).set("Idempotency-Key", "k").expect(201);
    const letterForLetter = await caller.post("/campaigns", campaign).set("Idempotency-Key", "k").expect(201);
    expect(letterForLetter.text).toBe(made.text);
    const same = await caller
      .post("/campaigns", { cpm_bid_cents: 100, budget_cents: 1, name: "a" })
      .set("Idempotency-Key", "k")
      .expect(201);
    expect(same.body).toEqual(made.body);
    await caller.post("/deposit", { amount_cents: 5 }).set("Idempotency-Key", "x".repeat(255)).expect(200);
    await caller.post("/deposit", { amount_cents: 5 }).set("Idempotency-Key", "x".repeat(256)).expect(422);
  });

  it("stores no refusal, and forgets after 24 hours", async () => {
    const caller = await harness.advertiser();
    const { database, repairLoop } = harness.management;
    await caller.post("/deposit", { amount_cents: 0 }).set("Idempotency-Key", "r").expect(422);
    await caller.post("/deposit", { amount_cents: 3 }).set("Idempotency-Key", "r").expect(200);
    const where = { accountId: caller.accountId, key: "r" };
    const old = new Date(Date.now() - 24 * 3_600_000 - 1_000);
    await database.idempotencyKey.updateMany({ where, data: { createdAt: old } });
    await caller.post("/deposit", { amount_cents: 4 }).set("Idempotency-Key", "r").expect(200, {
      balance_cents: 7,
      deposited_cents: 4,
    });
    await database.idempotencyKey.updateMany({ where, data: { createdAt: old } });
    await repairLoop.round();
    await eventually(async () => (await database.idempotencyKey.count({ where })) === 0);
  });
});

describe("GET /deposits", () => {
  it("lists them newest first", async () => {
    const caller = await harness.advertiser();
    const deposits = Array.from({ length: 250 }, (_, at) => ({
      id: newId("dep"),
      advertiserId: caller.advertiserId,
      amountCents: at + 1,
    }));
    await harness.management.database.deposit.createMany({ data: deposits });
    const { body } = await caller.get("/deposits").expect(200);
    const ids = deposits.map(({ id }) => id).toSorted();
    expect(body.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
    const rest = await caller.get(`/deposits?cursor=${ids[101]}`).expect(200);
    expect(rest.body).toEqual(body.slice(-101));
    expect((await caller.get(`/deposits?cursor=${ids[0]}`).expect(200)).body).toEqual([]);
  });

  it("has pages of 500, because nothing bounds how many there are", async () => {
    const caller = await harness.advertiser();
    const deposits = Array.from({ length: 501 }, () => ({
      id: newId("dep"),
      advertiserId: caller.advertiserId,
      amountCents: 1,
    }));
    await harness.management.database.deposit.createMany({ data: deposits });
    const { body, headers } = await caller.get("/deposits").expect(200);
    expect(body).toHaveLength(500);
    const [, next] = /^<\/api(\/deposits\?[^>]+)>; rel="next"$/.exec(headers.link ?? "") ?? [];
    const last = await caller.get(next ?? "").expect(200);
    expect([last.body.length, last.headers.link]).toEqual([1, undefined]);
  });
});
