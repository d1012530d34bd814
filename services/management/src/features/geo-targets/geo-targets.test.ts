import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Caller, campaignBody, type Harness, startHarness } from "../../testing/harness.ts";

let harness: Harness;
let caller: Caller;
let campaignId: string;
beforeAll(async () => {
  harness = await startHarness();
  caller = await harness.advertiser();
  campaignId = await newCampaign();
});
afterAll(() => harness.stop());

const newCampaign = async (): Promise<string> =>
  (await caller.post("/campaigns", campaignBody).expect(201)).body.id;
const post = (body: object, campaign = campaignId) => caller.post(`/campaigns/${campaign}/geo-targets`, body);

const country = { target_type: "country", country_code: "DE" };
const state = { target_type: "state", country_code: "US", state_code: "CA" };
const city = { target_type: "city", country_code: "FR", city_name: "Orléans" };
const radius = { target_type: "radius", lat: 52.52, lng: 13.405, radius_km: 25.5 };
const empty = {
  country_code: null,
  state_code: null,
  city_name: null,
  lat: null,
  lng: null,
  radius_km: null,
  include: true,
};

describe("a geo target is answered as it is kept", () => {
  /** What is sent, and what is answered besides `empty`. */
  const accepted: [string, object, object][] = [
    ["a country", country, country],
    ["a state", state, state],
    ["a city", city, city],
    ["a city of one state", { ...city, state_code: "CVL" }, { ...city, state_code: "CVL" }],
    ["a radius", radius, radius],
    ["an exclude", { ...country, include: false }, { ...country, include: false }],
    ["an include", { ...country, include: true }, country],
    ["null for include: the default", { ...country, include: null }, country],
    ["a code in lower case: kept in upper case", { ...country, country_code: "de" }, country],
    ["a code in mixed case: kept in upper case", { ...city, country_code: "fR" }, city],
    ["a state's code as given", { ...state, state_code: "ca" }, { ...state, state_code: "ca" }],
    ["the edges of latitude and longitude", ...twice({ ...radius, lat: -90, lng: 180 })],
    ["the other edges", ...twice({ ...radius, lat: 90, lng: -180 })],
    ["the smallest radius", ...twice({ ...radius, radius_km: 0.001 })],
    ["half of the earth's circumference", ...twice({ ...radius, radius_km: 20_037.5 })],
    ["fields of other types: not kept", { ...country, state_code: "BE", city_name: "B" }, country],
    ["a country beside a radius: not kept", { ...radius, country_code: "DE" }, radius],
    ["a place beside a state: not kept", { ...state, lat: 1, lng: 2, radius_km: 3 }, state],
    ["null like an absent field", { ...country, lat: null, city_name: null }, country],
  ];
  it.each(accepted)("%s", async (_name, sent, kept) => {
    const { body } = await post(sent, await newCampaign()).expect(201);
    const { id, campaign_id, created_at, ...answered } = body;
    expect(answered).toEqual({ ...empty, ...kept });
  });

  function twice(body: object): [object, object] {
    return [body, body];
  }
});

describe("a geo target is refused", () => {
  const without = (body: object, field: string) => ({ ...body, [field]: undefined });
  const refused: [string, object, number, string][] = [
    ["no type", { country_code: "DE" }, 400, "target_type is required"],
    ["an unknown type", { ...country, target_type: "planet" }, 422, "country, state, city, radius"],
    ["a type that is no text", { ...country, target_type: 1 }, 400, "target_type"],
    ["a country without code", without(country, "country_code"), 400, "country_code is required when"],
    ["a country of null", { ...country, country_code: null }, 400, "country_code is required when"],
    ["a state without country", without(state, "country_code"), 400, "country_code is required when"],
    ["a state without code", without(state, "state_code"), 400, "state_code is required when"],
    ["a city without country", without(city, "country_code"), 400, "country_code is required when"],
    ["a city without name", without(city, "city_name"), 400, "city_name is required when"],
    ["a radius without lat", without(radius, "lat"), 400, "lat is required"],
    ["a radius without lng", without(radius, "lng"), 400, "lng is required"],
    ["a radius without radius_km", without(radius, "radius_km"), 400, "radius_km is required"],
    ["lat without lng beside a country", { ...country, lat: 1 }, 400, "lng is required"],
    ["lng without lat beside a country", { ...country, lng: 1 }, 400, "lat is required"],
    ["a code that ISO 3166-1 does not have", { ...country, country_code: "XX" }, 400, "ISO 3166-1"],
    ["a code of three letters", { ...country, country_code: "DEU" }, 400, "ISO 3166-1"],
    ["letters that only become a code", { ...country, country_code: "ıt" }, 400, "ISO 3166-1"],
    ["an empty code", { ...country, country_code: "" }, 400, "country_code"],
    ["a code that is no text", { ...country, country_code: 49 }, 400, "country_code"],
    ["a blank state", { ...state, state_code: " " }, 400, "state_code"],
    ["an empty city", { ...city, city_name: "" }, 400, "city_name"],
    ["a city of an accent alone", { ...city, city_name: "\u0301" }, 400, "more than accents"],
    ["a city of a lengthening stroke", { ...city, city_name: "\u0640" }, 400, "more than accents"],
    ["a city of what nobody sees", { ...city, city_name: "\u200b" }, 400, "not blank"],
    ["a long city", { ...city, city_name: "x".repeat(201) }, 422, "at most 200"],
    ["lat out of range", { ...radius, lat: 90.001 }, 422, "lat must be a number from -90 to 90"],
    ["lat below its range", { ...radius, lat: -90.001 }, 422, "lat"],
    ["lng out of range", { ...radius, lng: 180.001 }, 422, "lng must be a number from -180 to 180"],
    ["lng below its range", { ...radius, lng: -180.001 }, 422, "lng"],
    ["lat as text", { ...radius, lat: "52" }, 400, "lat must be a number"],
    [
      "no radius at all",
      { ...radius, radius_km: 0 },
      422,
      "radius_km must be a number from 0.001 to 20037.5",
    ],
    ["a negative radius", { ...radius, radius_km: -1 }, 422, "radius_km"],
    ["a radius beyond the earth", { ...radius, radius_km: 20_037.6 }, 422, "radius_km"],
    ["include as text", { ...country, include: "true" }, 400, "include must be true or false"],
  ];
  it.each(refused)("with %s", async (_name, body, status, part) => {
    const answer = await post(body).expect(status);
    expect(answer.body).toEqual({ detail: expect.stringContaining(part) });
  });

  it("with a number that JSON cannot hold", async () => {
    const text = JSON.stringify(radius).replace("25.5", "1e999");
    await post({}).set("Content-Type", "application/json").send(text).expect(400);
  });
});

describe("the same place in an include and an exclude", () => {
  const contradictions: [string, object, object][] = [
    ["a country", country, country],
    ["a country in other case", country, { ...country, country_code: "de" }],
    ["a state in other case", state, { ...state, state_code: "ca " }],
    ["a city without case and accents", city, { ...city, city_name: "ORLEANS" }],
    ["a city with decorated letters", { ...city, city_name: "Tromsø" }, { ...city, city_name: "tromso" }],
    [
      "a city of one state",
      { ...city, state_code: "CVL" },
      { ...city, city_name: "orleans", state_code: "cvl" },
    ],
    ["a radius", radius, radius],
    ["a radius on the antimeridian", { ...radius, lng: 180 }, { ...radius, lng: -180 }],
    ["a radius at the pole", { ...radius, lat: 90, lng: 5 }, { ...radius, lat: 90, lng: 6 }],
  ];
  it.each(contradictions)("is 422: %s", async (_name, one, other) => {
    for (const include of [true, false]) {
      const campaign = await newCampaign();
      const first = await post({ ...one, include }, campaign).expect(201);
      const answer = await post({ ...other, include: !include }, campaign).expect(422);
      expect(answer.body.detail).toContain(first.body.id);
      // The same way round it may stand twice.
      await post({ ...other, include }, campaign).expect(201);
    }
  });

  const compatible: [string, object, object][] = [
    ["another country", country, { ...country, country_code: "AT" }],
    ["a state of the country", { ...country, country_code: "US" }, state],
    ["the same state code in another country", state, { ...state, country_code: "CO" }],
    ["the city in any state", city, { ...city, state_code: "CVL" }],
    ["a city whose name differs by more than accents", city, { ...city, city_name: "Orlando" }],
    ["a smaller circle", radius, { ...radius, radius_km: 5 }],
    ["a circle elsewhere", radius, { ...radius, lat: 52.53 }],
  ];
  it.each(compatible)("is not meant by %s", async (_name, one, other) => {
    const campaign = await newCampaign();
    await post({ ...one, include: true }, campaign).expect(201);
    await post({ ...other, include: false }, campaign).expect(201);
  });

  it("is allowed in another campaign, and once the first is deleted", async () => {
    const [one, two] = [await newCampaign(), await newCampaign()];
    const { body } = await post(country, one).expect(201);
    await post({ ...country, include: false }, two).expect(201);
    await caller.delete(`/campaigns/${one}/geo-targets/${body.id}`).expect(204);
    await post({ ...country, include: false }, one).expect(201);
  });

  it("never comes about by requests at the same time", async () => {
    const campaign = await newCampaign();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => post({ ...country, include: n % 2 === 0 }, campaign)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 422]));
    const list = await caller.get(`/campaigns/${campaign}/geo-targets`).expect(200);
    expect(new Set(list.body.map(({ include }: { include: boolean }) => include)).size).toBe(1);
    expect(list.body).toHaveLength(4);
  });
});
