import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  type CampaignBody,
  type CreativeBody,
  campaignCreate,
  campaignPatch,
  creativePatch,
  InvalidInput,
  integerParameter,
  registerRequest,
} from "../index.ts";
import { isFlightDate, isWebAddress } from "./formats.ts";

const campaign = { name: "n", budget_cents: 1, cpm_bid_cents: 100 };

function refusal(read: () => unknown): InvalidInput {
  try {
    read();
  } catch (error) {
    if (error instanceof InvalidInput) return error;
    throw error;
  }
  throw new Error("was accepted");
}

describe("validators", () => {
  it("answer any JSON with a value of the schema or a sentence", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom(...Object.keys(campaign), "target_tags"),
        (value, field) => {
          for (const body of [value, { ...campaign, [field]: value }]) {
            try {
              const read = campaignCreate(body);
              expect(read.budget_cents).toBeGreaterThanOrEqual(1);
              expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
            } catch (error) {
              if (!(error instanceof InvalidInput)) throw error;
              expect([400, 422]).toContain(error.status);
              expect(error.message.length).toBeLessThan(500);
              expect(error.message).not.toMatch(/\p{Cc}/u);
            }
          }
        },
      ),
    );
  });

  it("read null as absent in a create and keep it in a PATCH", () => {
    expect(campaignCreate({ ...campaign, priority: null, target_tags: null })).toEqual(campaign);
    expect(campaignPatch({ priority: null }, {} as CampaignBody)).toEqual({ priority: null });
    expect(refusal(() => campaignPatch({ name: null }, {} as CampaignBody)).message).toBe(
      "name must be text of at most 200 characters that is not blank, but null was sent",
    );
  });

  it("name field, what is allowed and what came", () => {
    expect(refusal(() => campaignCreate({ ...campaign, cpm_bid_cents: 50 })).message).toBe(
      "cpm_bid_cents must be a whole number from 100 to 10000, but 50 was sent",
    );
    expect(refusal(() => campaignCreate({ ...campaign, name: undefined })).message).toBe(
      "name is required: it must be text of at most 200 characters that is not blank",
    );
    const long = refusal(() => campaignCreate({ ...campaign, name: "é".repeat(5_000) }));
    expect(long.message).toContain("a text of 5000 characters was sent");
    expect(long.message.length).toBeLessThan(250);
  });

  it("answer a number beyond what JSON readers hold as out of range, and only where a number belongs", () => {
    const bodyWith = (text: string) => JSON.parse(JSON.stringify(campaign).replace("1,", `${text},`));
    for (const text of ["1e400", "-1e400"]) {
      const { status, message } = refusal(() => campaignCreate(bodyWith(text)));
      expect([status, message]).toEqual([
        422,
        "budget_cents must be a whole number from 1 to 1000000000, but a number too large to read was sent",
      ]);
    }
    expect(refusal(() => campaignCreate({ ...campaign, name: JSON.parse("1e400") })).status).toBe(400);
  });

  it("never let a field of the prototype through", () => {
    const body = JSON.parse('{"name":"n","cpm_bid_cents":100,"__proto__":{"budget_cents":5}}');
    expect(refusal(() => campaignCreate(body)).message).toContain("budget_cents is required");
    expect(({} as Record<string, unknown>).budget_cents).toBeUndefined();
  });

  it("say that a text is too long before anything else about it", () => {
    const register = (fields: object) =>
      registerRequest({ company_name: "n", contact_email: "a@b.example", ...fields });
    const tooLong = [
      () => register({ contact_email: "x".repeat(300) }),
      () => register({ company_name: `\u0001${"a".repeat(300)}` }),
      () => register({ website: "x".repeat(5_000) }),
    ];
    expect(tooLong.map((read) => refusal(read).status)).toEqual([422, 422, 422]);
  });

  it("say of a date that is too long that it is no date", () => {
    const { status, message } = refusal(() => campaignCreate({ ...campaign, start_date: "x".repeat(41) }));
    expect([status, message]).toEqual([
      400,
      "start_date must be a date or a moment of ISO 8601, such as 2026-12-01 or 2026-12-01T10:00:00Z, but a text of 41 characters was sent",
    ]);
  });

  it.each([
    ["ember", "a text of 5 characters"],
    ["a@b@c.example", "a text of 13 characters"],
    ["ember ads@example.com", "a text of 21 characters"],
    ["ember@example", "a text of 13 characters"],
    ["", "an empty text"],
    [" ", "a blank text of 1 character"],
  ])("refuse the e-mail address %j without repeating it", (contact_email, sent) => {
    const { status, message } = refusal(() => registerRequest({ company_name: "n", contact_email }));
    expect([status, message]).toEqual([
      400,
      `contact_email must be an e-mail address such as name@example.com, but ${sent} was sent`,
    ]);
  });

  it("say of an address that is too long how long it may be, and nothing of its form", () => {
    const contact_email = `${"x".repeat(250)}@example.com`;
    expect(refusal(() => registerRequest({ company_name: "n", contact_email }))).toMatchObject({
      status: 422,
      message: "contact_email must be text of at most 254 characters, but a text of 262 characters was sent",
    });
  });

  it("say of a website that is no address how one begins, and nothing of lengths", () => {
    const website = "an old page of the tavern, on the web";
    const fields = { company_name: "n", contact_email: "a@b.example", website };
    expect(refusal(() => registerRequest(fields))).toMatchObject({
      status: 400,
      message: "website must be an absolute http or https address, but a text of 37 characters was sent",
    });
  });

  it("refuse to change the type of a creative, before anything else", () => {
    expect(refusal(() => creativePatch({ creative_type: null, tone: 5 }, {} as CreativeBody)).status).toBe(
      422,
    );
  });
});

describe("dates", () => {
  it.each([
    "2026-12-01",
    "2024-02-29",
    "2026-12-01T10:00Z",
    "2026-12-01T10:00:00",
    "2026-12-01T10:00:00.123+02:00",
    "2026-12-01T10:00:00+0530",
    "2026-12-01T10:00:00-05",
  ])("takes %s", (text) => expect(isFlightDate(text)).toBe(true));
  it.each([
    "",
    "2026",
    "2026-13-01",
    "2026-02-29",
    "2026-12-1",
    "2026-12-01 10:00",
    "2026-12-01T24:00:00Z",
    "2026-12-01T10:60:00Z",
    "0000-01-01",
    "2026-12-01Z",
    "2026-12-01T10:00:00+0570",
    "2026-12-01T10:00:00+24",
    "2026-12-01T10:00:00+5",
  ])("refuses %p", (text) => expect(isFlightDate(text)).toBe(false));
});

describe("addresses", () => {
  it.each(["https://example.com", "http://example.com:8080/a?b=c#d"])("takes %s", (text) =>
    expect(isWebAddress(text)).toBe(true),
  );
  it.each([
    "example.com",
    "ftp://example.com",
    "javascript:alert(1)",
    "https:example.com",
    "https://",
    "https:///a",
    "http://a b",
  ])("refuses %p", (text) => expect(isWebAddress(text)).toBe(false));
});

describe("numbers of the query", () => {
  const range = { minimum: 1, maximum: 365 };
  it("are whole and in range", () => {
    const days = (text: string) => integerParameter("days", new URLSearchParams({ days: text }), range);
    expect(integerParameter("days", new URLSearchParams(), range)).toBeUndefined();
    expect(days("365")).toBe(365);
    for (const bad of ["", "abc", "1.5", " 1", "1e2"]) {
      expect(refusal(() => days(bad)).status).toBe(400);
    }
    for (const bad of ["0", "366", "-1", "99999999999999999999"]) {
      expect(refusal(() => days(bad)).status).toBe(422);
    }
  });

  it("are sent once", () => {
    const read = () => integerParameter("days", new URLSearchParams("days=1&days=2"), range);
    expect(refusal(read)).toMatchObject({
      status: 400,
      message: "days must be sent once, but it was sent 2 times",
    });
  });
});
