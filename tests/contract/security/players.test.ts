import { documented } from "@diegetic/testing/documented";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import request from "supertest";
import { type ComposedApi, startComposedApi } from "../composed-api.fixture.ts";

let api: ComposedApi;
beforeAll(async () => {
  api = await startComposedApi();
});
afterAll(() => api.stop());

function clientOf(key: string) {
  const authorized = (method: "get" | "post", path: string) =>
    documented(request(api.origin(path))[method](path).auth(key, { type: "bearer" }));
  return {
    get: async (path: string) => (await authorized("get", path).expect(200)).body,
    post: async (path: string, body: object = {}) => {
      const answer = await authorized("post", path).send(body);
      if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
      return answer.body;
    },
  };
}

/** The impression of a match in this game, for a player that its studio calls player-1. */
async function play(studio: ReturnType<typeof clientOf>, gameId: string, sessionId: string): Promise<void> {
  const scene = { game_id: gameId, user_id: "player-1", session_id: sessionId, game_context: {} };
  const { campaign_id, creative_id, match_id } = await studio.post("/match", scene);
  await studio.post("/impressions", { game_id: gameId, campaign_id, creative_id, match_id });
}

describe("the same player id", () => {
  it("is one person in the games of one account, and another in those of another", async () => {
    const advertiser = clientOf(await api.newKey());
    await advertiser.post("/register", { company_name: "Ember", contact_email: "ads@ember.example" });
    await advertiser.post("/deposit", { amount_cents: 1_000 });
    const campaign = await advertiser.post("/campaigns", {
      name: "Autumn",
      budget_cents: 1_000,
      cpm_bid_cents: 500,
    });
    await advertiser.post(`/campaigns/${campaign.id}/creatives`, {
      creative_type: "product_mention",
      brand_name: "Ember",
    });
    await advertiser.post(`/campaigns/${campaign.id}/activate`);
    const studios = [clientOf(await api.newKey()), clientOf(await api.newKey())] as const;
    const placement = { creator_id: "studio", placement_types: ["product_mention"] };
    await studios[0].post("/placements/first", placement);
    await studios[0].post("/placements/sequel", placement);
    await studios[1].post("/placements/other", placement);

    /** Once billing has written this number of impressions. */
    const peopleOf = async (impressions: number) => {
      const stats = await eventually(async () => {
        const read = await advertiser.get(`/campaigns/${campaign.id}/stats`);
        return read.impressions === impressions && read;
      });
      return stats.unique_users;
    };
    await play(studios[0], "first", "s");
    await play(studios[0], "sequel", "s");
    expect(await peopleOf(2)).toBe(1);
    await play(studios[1], "other", "s");
    expect(await peopleOf(3)).toBe(2);

    // Nothing that is stored lets a person be followed from one studio to the other.
    const stored = await api.database.impression.findMany({
      select: { gameId: true, userHash: true, sessionKey: true },
    });
    const namesIn = (gameId: string) => {
      const { userHash, sessionKey } = stored.find((one) => one.gameId === gameId) ?? {};
      return [userHash, sessionKey];
    };
    expect(namesIn("sequel")).toEqual(namesIn("first"));
    for (const name of namesIn("other")) expect(namesIn("first")).not.toContain(name);
  });
});
