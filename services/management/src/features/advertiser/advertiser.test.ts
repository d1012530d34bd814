import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import request from "supertest";
import { BASE, type Harness, startHarness } from "../../testing/harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

const profile = { company_name: "Ember", contact_email: "ember@example.com" };

describe("register and profile", () => {
  it("binds a profile to the account, once", async () => {
    const caller = await harness.caller();
    await caller.get("/profile").expect(404);
    await caller.patch("/profile", { company_name: "x" }).expect(404);
    const { body } = await caller.post("/register", { ...profile, website: null, extra: 1 }).expect(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^adv_[0-9a-z]{26}$/),
      ...profile,
      website: null,
      balance_cents: 0,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    await caller.get("/profile").expect(200, body);
    const again = await caller
      .post("/register", { ...profile, contact_email: "other@example.com" })
      .expect(409);
    expect(again.body.detail).toContain("PATCH /profile");
    const other = await harness.caller();
    const taken = await other
      .post("/register", { ...profile, contact_email: "EMBER@Example.com" })
      .expect(409);
    expect(Object.keys(taken.body)).toEqual(["detail"]);
    expect(taken.body.detail).toContain("contact_email");
  });

  it("lets one of two registrations at once win", async () => {
    const caller = await harness.caller();
    const answers = await Promise.all(
      [1, 2, 3].map((n) =>
        caller.post("/register", { company_name: "x", contact_email: `race${n}@example.com` }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  it("changes only what a PATCH contains; null clears the website", async () => {
    const caller = await harness.caller();
    await caller
      .post("/register", { ...profile, contact_email: "patch@example.com", website: "https://example.com/a" })
      .expect(201);
    const renamed = await caller.patch("/profile", { company_name: "New" }).expect(200);
    expect(renamed.body).toMatchObject({ company_name: "New", website: "https://example.com/a" });
    const cleared = await caller.patch("/profile", { website: null }).expect(200);
    expect(cleared.body).toMatchObject({ company_name: "New", website: null });
    await caller.patch("/profile", { contact_email: "patch@example.com" }).expect(200);
    await harness.advertiser();
    const other = await harness.caller();
    await other.post("/register", { ...profile, contact_email: "patch2@example.com" }).expect(201);
    await other.patch("/profile", { contact_email: "PATCH@example.com" }).expect(409);
  });

  const refused: [string, unknown, number, string][] = [
    ["no body", undefined, 400, "body"],
    ["a list", [], 400, "object"],
    ["no company", { contact_email: "a@example.com" }, 400, "company_name is required"],
    ["company null", { ...profile, company_name: null }, 400, "company_name is required"],
    ["company a number", { ...profile, company_name: 5 }, 400, "company_name must be text"],
    ["company blank", { ...profile, company_name: " \t" }, 400, "company_name"],
    ["company too long", { ...profile, company_name: "x".repeat(201) }, 422, "200"],
    ["company with NUL", { ...profile, company_name: "a\0b" }, 400, "company_name"],
    ["no address", { company_name: "a" }, 400, "contact_email is required"],
    ["no e-mail", { ...profile, contact_email: "ember" }, 400, "e-mail"],
    ["e-mail too long", { ...profile, contact_email: `${"x".repeat(250)}@example.com` }, 422, "254"],
    ["no URL", { ...profile, website: "example" }, 400, "website"],
    ["a script as URL", { ...profile, website: "javascript:alert(1)" }, 400, "http"],
    ["a blank URL", { ...profile, website: "" }, 400, "website"],
    ["URL too long", { ...profile, website: `https://example.com/${"x".repeat(2000)}` }, 422, "2000"],
  ];
  it.each(refused)("refuses to register: %s", async (_name, body, status, part) => {
    const caller = await harness.caller();
    const answer = await caller.post("/register", body).expect(status);
    expect(Object.keys(answer.body)).toEqual(["detail"]);
    expect(answer.body.detail).toContain(part);
  });

  it("refuses null for what is required in a PATCH", async () => {
    const caller = await harness.advertiser();
    await caller.patch("/profile", { company_name: null }).expect(400);
    await caller.patch("/profile", { contact_email: null }).expect(400);
    const { body } = await caller.patch("/profile", {}).expect(200);
    const richer = await caller.patch("/profile", { balance_cents: 5 }).expect(422);
    expect(richer.body.detail).toBe("balance_cents cannot be changed by PATCH: add to it by POST /deposit");
    await caller.patch("/profile", { id: "adv_1" }).expect(422);
    await caller.patch("/profile", body).expect(200, body);
  });
});

describe("keys", () => {
  it("asks for one, and says which scope is missing", async () => {
    const none = await request(harness.management.app).get(`${BASE}/profile`).expect(401);
    expect(none.headers["www-authenticate"]).toBe("Bearer");
    expect(none.headers["x-ratelimit-limit"]).toBe("100");
    const serving = await harness.caller({ scopes: ["serving"] });
    await serving.get("/profile").expect(403);
    await serving.get("/creator-revenue").expect(403);
    await serving.get("/nothing").expect(404);
    await serving.post("/profile", {}).expect(405);
  });

  it("refuses a revoked or expired key at the very next request", async () => {
    const { database } = harness.management;
    const revoked = await harness.caller();
    await revoked.get("/profile").expect(404);
    await database.apiKey.updateMany({
      where: { accountId: revoked.accountId },
      data: { revokedAt: new Date() },
    });
    await revoked.get("/profile").expect(401);
    const expired = await harness.caller();
    const past = new Date(Date.now() - 1);
    await database.apiKey.updateMany({ where: { accountId: expired.accountId }, data: { expiresAt: past } });
    await expired.get("/profile").expect(401);
  });

  it("notes the use of a key, at most once a minute", async () => {
    const { database } = harness.management;
    const caller = await harness.caller({ rateLimitPerMinute: 5 });
    const limited = await caller.get("/profile").expect(404);
    expect(limited.headers["x-ratelimit-limit"]).toBe("5");
    const where = { accountId: caller.accountId };
    const first = await database.apiKey.findFirstOrThrow({ where });
    expect(first.lastUsedAt).not.toBeNull();
    await caller.get("/profile").expect(404);
    expect((await database.apiKey.findFirstOrThrow({ where })).lastUsedAt).toEqual(first.lastUsedAt);
  });

  it("sends every advertiser endpoint to registration first", async () => {
    const caller = await harness.caller();
    const missing = "camp_00000000000000000000000000";
    const answers = await Promise.all([
      caller.post("/deposit", {}),
      caller.post("/campaigns", {}),
      caller.get("/campaigns"),
      caller.get(`/campaigns/${missing}`),
      caller.patch(`/campaigns/${missing}`, {}),
      caller.post(`/campaigns/${missing}/activate`),
      caller.post(`/campaigns/${missing}/pause`),
      caller.post(`/campaigns/${missing}/creatives`, {}),
      caller.get(`/campaigns/${missing}/creatives`),
      caller.patch("/creatives/crt_0", {}),
      caller.delete("/creatives/crt_0"),
      caller.get(`/campaigns/${missing}/stats`),
      caller.get("/revenue"),
    ]);
    for (const answer of answers) {
      expect(answer.status).toBe(403);
      expect(answer.body.detail).toContain("register first");
    }
  });
});
