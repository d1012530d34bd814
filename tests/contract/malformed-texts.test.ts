import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { BASE_PATH, type ComposedApi, startComposedApi } from "./composed-api.fixture.ts";

/** Which texts are malformed (400) and which are well-formed but not allowed (422), as a client reads the interface. */
let api: ComposedApi;
let key: string;
let campaign: string;
let creative: string;
beforeAll(async () => {
  api = await startComposedApi();
  key = await api.newKey();
  await send("POST", "/register", { company_name: "Ember", contact_email: "ember@example.com" });
  campaign = `/campaigns/${(await send("POST", "/campaigns", newCampaign)).body.id}`;
  creative = `/creatives/${(await send("POST", `${campaign}/creatives`, newCreative)).body.id}`;
});
afterAll(() => api.stop());

const newCampaign = { name: "Autumn", budget_cents: 1_000, cpm_bid_cents: 500 };
const newCreative = { creative_type: "product_mention", brand_name: "Ember" };

async function send(method: string, path: string, body: object) {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const { status, text } = await api.send({
    method,
    path: BASE_PATH + path,
    headers,
    body: JSON.stringify(body),
  });
  return { status, body: JSON.parse(text) };
}

describe("a field with a list of values", () => {
  const fields: [string, string, () => string, (value: unknown) => object][] = [
    [
      "creative_type",
      "POST",
      () => `${campaign}/creatives`,
      (value) => ({ ...newCreative, creative_type: value }),
    ],
    ["tone", "POST", () => `${campaign}/creatives`, (value) => ({ ...newCreative, tone: value })],
    ["tone", "PATCH", () => creative, (value) => ({ tone: value })],
    [
      "target_type",
      "POST",
      () => `${campaign}/geo-targets`,
      (value) => ({ target_type: value, country_code: "DE" }),
    ],
    ["rule_type", "POST", () => `${campaign}/blocklist`, (value) => ({ rule_type: value, value: "storm" })],
    [
      "affinity_type",
      "POST",
      () => `${campaign}/affinities`,
      (value) => ({ affinity_type: value, affinity_value: "x" }),
    ],
    [
      "affinities[0].affinity_type",
      "PUT",
      () => `${campaign}/affinities/bulk`,
      (value) => ({ affinities: [{ affinity_type: value, affinity_value: "x" }] }),
    ],
    [
      "placement_types[0]",
      "POST",
      () => "/placements/lantern-keep",
      (value) => ({ creator_id: "c", placement_types: [value] }),
    ],
  ];
  it.each(fields)("%s (%s) is malformed when blank, and not allowed when unknown", async (name, ...call) => {
    const [method, path, bodyWith] = call;
    const statuses: number[] = [];
    for (const value of ["", " ", "\u200b", 7, "unknown", "x".repeat(300)]) {
      const answer = await send(method, path(), bodyWith(value));
      expect(answer.body).toEqual({ detail: expect.stringContaining(`${name} must be one of`) });
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([400, 400, 400, 400, 422, 422]);
  });
});

describe("a text with a form", () => {
  it.each([
    ["start_date", "in the middle of the second week of December"],
    ["end_date", "2026-12-01T10:00:00Z".padEnd(2_001, "0")],
    ["start_date", ""],
  ])("%s is malformed without it, however long it is", async (field, value) => {
    const answer = await send("POST", "/campaigns", { ...newCampaign, [field]: value });
    const detail = expect.stringContaining(`${field} must be a date or a moment of ISO 8601`);
    expect(answer).toEqual({ status: 400, body: { detail } });
  });

  it.each(["https:///path", "http://"])("website %s names no host", async (website) => {
    const answer = await send("PATCH", "/profile", { website });
    const detail = expect.stringContaining("website must be an absolute http or https address");
    expect(answer).toEqual({ status: 400, body: { detail } });
  });
});
