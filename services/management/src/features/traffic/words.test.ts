import { newId } from "@diegetic/contracts";
import { createReader } from "@diegetic/database";
import { TrafficRecorder } from "@diegetic/hot-state";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { activeCampaign, type Caller, type Harness, startHarness } from "../../testing/harness.ts";
import { readTargets } from "./store.ts";
import { MarketWords } from "./words.ts";

/** Beyond it, sums of the market are made anew. */
const LATER_MS = 61_000;

let nowMs = Date.UTC(2026, 10, 21, 12);
let harness: Harness;
let studios: Caller[];
beforeAll(async () => {
  harness = await startHarness(() => nowMs);
  studios = await Promise.all([1, 2, 3].map(() => harness.caller()));
  for (const [number, studio] of studios.entries()) {
    for (const game of [`studio${number}-a`, `studio${number}-b`]) {
      await studio
        .post(`/placements/${game}`, { creator_id: "s", placement_types: ["narrative_hook"] })
        .expect(201);
    }
  }
});
afterAll(() => harness.stop());

async function send(gameId: string, context: object): Promise<void> {
  const recorder = new TrafficRecorder(harness.redis);
  const accountId = studios[Number(gameId.charAt("studio".length))]?.accountId ?? "";
  const call = { gameId, accountId, atMs: nowMs, countryCode: null, secrets: [] };
  recorder.match({ ...call, context });
  await recorder.flush();
}

describe("words of the market", () => {
  it("are disclosed when three studios send them, not when one does in three games; own words always", async () => {
    const onlooker = await harness.advertiser();
    for (const number of [0, 1]) await send(`studio${number}-a`, { location: "Tavern" });
    await send("studio0-b", { location: "tavern" });
    await send("studio0-b", { location: "secret lair", theme_id: "noir" });
    expect((await onlooker.get("/market/words").expect(200)).body).toEqual([]);
    const own = await studios[0]?.get("/market/words").expect(200);
    expect(own?.body).toEqual([
      { type: "theme", value: "noir", games: 1, scenes: 1 },
      // Nothing is revealed of the others' tavern.
      { type: "location", value: "tavern", games: 2, scenes: 2 },
      { type: "location", value: "secret lair", games: 1, scenes: 1 },
    ]);
    await send("studio2-a", { location: "tavern" });
    nowMs += LATER_MS;
    const expected = { type: "location", value: "tavern", games: 4, scenes: 4 };
    expect((await onlooker.get("/market/words").expect(200)).body).toEqual([expected]);
    expect((await onlooker.get("/market/words?type=mood").expect(200)).body).toEqual([]);
  });
});

describe("reading what campaigns target", () => {
  it("takes values of most advertisers, however many one has", async () => {
    const large = await harness.advertiser(100);
    const others = await Promise.all([1, 2].map(() => harness.advertiser(100)));
    await activeCampaign(large, { target_tags: Array.from({ length: 9 }, (_, n) => `alone${n}`) });
    for (const other of others) await activeCampaign(other, { target_tags: ["Of Two", "zest"] });
    const reader = createReader(harness.databaseUrl);
    const rows = await readTargets(reader, 2);
    await reader.close();
    const advertiser_ids = expect.arrayContaining(others.map(({ advertiserId }) => advertiserId));
    expect(rows).toEqual([
      { type: "tag", value: "of two", advertiser_ids },
      { type: "tag", value: "zest", advertiser_ids },
    ]);
  });

  it("lets other requests have their turn", async () => {
    const words = Array.from({ length: 5_000 }, (_, n) => ({
      type: "tag",
      value: `tag ${n}`,
      advertiser_ids: [],
    }));
    const market = new MarketWords({
      reader: { close: async () => {}, query: async <Row extends object>() => words as object[] as Row[] },
      traffic: { words: async () => [] },
      clock: () => nowMs,
    });
    let turns = 0;
    let isCounting = true;
    const count = (): void => {
      turns += 1;
      if (isCounting) setImmediate(count);
    };
    count();
    const { unsent } = await market.ofGame("acct", "game");
    isCounting = false;
    expect(unsent).toHaveLength(100);
    expect(turns).toBeGreaterThanOrEqual(10);
  });
});

describe("reading what games send", () => {
  it("costs Redis a bounded number of commands, however often it is requested", async () => {
    const [studio] = studios;
    const commands = async (): Promise<number> => {
      const text = await harness.redis.info("commandstats");
      const counts = [...text.matchAll(/^cmdstat_(?:hgetall|zrevrange):calls=(\d+)/gm)];
      return counts.reduce((sum, [, calls]) => sum + Number(calls), 0);
    };
    const cost = async (path: string, varied?: (n: number) => string): Promise<number> => {
      nowMs += LATER_MS;
      const before = await commands();
      const ask = () => studio?.get(path).expect(200);
      const first = await ask();
      for (const answer of await Promise.all(Array.from({ length: 20 }, ask))) {
        expect(answer?.body).toEqual(first?.body);
      }
      if (varied !== undefined) {
        await Promise.all(Array.from({ length: 20 }, (_, n) => studio?.get(varied(n)).expect(200)));
      }
      return (await commands()) - before;
    };
    const [own, all] = [2, 6];
    await studio
      ?.post("/placements/studio0-silent", { creator_id: "s", placement_types: ["narrative_hook"] })
      .expect(201);
    // Of a game with calls the last ones and the hours of two days; of the account the last call and the errors of two days.
    const pages = (n: number) => `/traffic?limit=${n + 1}&cursor=${n % 3}`;
    expect(await cost("/traffic", pages)).toBe(3 * own + 3);
    // Of a game, also the silent one, the words of two months, once for the market and once for the caller.
    expect(await cost("/market/words")).toBe(2 * (all + own + 2));
  });
});

describe("words of a game", () => {
  it("are distinguished by whether an active campaign targets them", async () => {
    const [studio] = studios;
    const advertisers = await Promise.all([1, 2, 3].map(() => harness.advertiser(5_000)));
    await send("studio0-a", { location: "Café", mood_tags: ["calm", "gloomy"], category: "rpg" });
    for (const [number, advertiser] of advertisers.entries()) {
      const { campaignId } = await activeCampaign(advertiser, {
        target_categories: [number === 0 ? "RPG" : "puzzle"],
        target_tags: [number === 0 ? "Calm" : "CALM", `rare ${number}`, "snow"],
      });
      const affinity = { affinity_type: "location", affinity_value: ["CAFÉ", "café", "Cafe\u0301"][number] };
      await advertiser.post(`/campaigns/${campaignId}/affinities`, affinity).expect(201);
    }
    const draft = await advertisers[0]?.post("/campaigns", {
      name: newId("camp"),
      budget_cents: 1_000,
      cpm_bid_cents: 100,
      target_tags: ["gloomy"],
    });
    expect(draft?.status).toBe(201);
    nowMs += LATER_MS;
    const words = async (caller: Caller | undefined) => (await caller?.get("/traffic/studio0-a/words"))?.body;
    const { sent, unsent } = await words(studio);
    const targeted = sent.map((word: { value: string; is_targeted: boolean }) => [
      word.value,
      word.is_targeted,
    ]);
    expect(Object.fromEntries(targeted)).toEqual({
      tavern: false,
      café: true,
      calm: true,
      gloomy: false,
      // One advertiser alone targets it: the game could find out who by sending it.
      rpg: false,
    });
    // "puzzle" is of two advertisers, and each rare tag of one.
    expect(unsent).toEqual([{ type: "tag", value: "snow" }]);
  });

  it("name what campaigns of the caller's account target, whoever else does", async () => {
    const caller = await harness.advertiser(1_000);
    const stranger = await harness.caller();
    for (const [one, game] of [
      [caller, "own-game"],
      [stranger, "others-game"],
    ] as const) {
      const placement = { creator_id: "s", placement_types: ["narrative_hook"] };
      await one.post(`/placements/${game}`, placement).expect(201);
    }
    await activeCampaign(caller, { target_tags: ["Only Mine"] });
    const unsent = async (one: Caller, game: string) =>
      (await one.get(`/traffic/${game}/words`).expect(200)).body.unsent;
    const own = { type: "tag", value: "only mine" };
    expect(await unsent(caller, "own-game")).toContainEqual(own);
    expect(await unsent(stranger, "others-game")).not.toContainEqual(own);
  });
});
