import { DAY_MS, dateOfDay, utcDay } from "@diegetic/database";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Harness, startHarness } from "../../testing/harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

describe("a report on spending by creative", () => {
  it("is refused before registration, also where its impressions were dropped", async () => {
    const day = utcDay(Date.now() - DAY_MS);
    const nothing = { impressions: 0, spentMillicents: 0, earningMicrocents: 0 };
    await harness.management.database.droppedImpressionDay.create({
      data: { day: dateOfDay(day), ...nothing },
    });
    const caller = await harness.caller();
    const ask = () => caller.get(`/analytics/spend?from=${day}&to=${day}`);
    expect((await ask().expect(403)).body.detail).toContain("POST /register");
    await caller.post("/register", { company_name: "Ember", contact_email: "a@example.com" }).expect(201);
    await ask().expect(422);
  });
});
