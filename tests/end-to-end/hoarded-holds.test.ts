import { type Api, apiClient, enableGame, startCampaign } from "@diegetic/testing/api";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { type ComposedApi, startComposedApi } from "../contract/composed-api.fixture.ts";

const MATCH_INSTANCES = 2;
const AT_A_TIME = 10;
const PRICE_CENTS = 10;
const AFFORDABLE = 300;
/** Half of what is left: nothing is spent. */
const SHARE = AFFORDABLE / 2;
const HOARDING = "hoarding-game";
const HONEST = "honest-game";

let services: ComposedApi;
let advertiser: Api;
let campaignId: string;

beforeAll(async () => {
  services = await startComposedApi({}, MATCH_INSTANCES);
  advertiser = apiClient(services.origin("/campaigns"), await services.newKey());
  const budgetCents = AFFORDABLE * PRICE_CENTS;
  const plan = { depositCents: 2 * budgetCents, budgetCents, cpmBidCents: PRICE_CENTS * 1_000 };
  ({ campaignId } = await startCampaign(advertiser, plan));
});
afterAll(() => services?.stop());

/** A new account with this game; its client of each match instance. */
async function developerOf(gameId: string): Promise<Api[]> {
  const key = await services.newKey();
  await enableGame(apiClient(services.origin("/placements"), key), gameId);
  return services.matchOrigins.map((origin) => apiClient(origin, key));
}

/** Requests ads for invented players, who never see them. Returns the number of matches. */
async function matches(developer: readonly Api[], gameId: string, players: number): Promise<number> {
  let found = 0;
  for (let sent = 0; sent < players; sent += AT_A_TIME) {
    const answers = await Promise.all(
      Array.from({ length: AT_A_TIME }, (_, index) => {
        const scene = { game_id: gameId, user_id: `invented-${sent + index}`, game_context: {} };
        return developer[index % developer.length]?.serve("/match", scene);
      }),
    );
    found += answers.filter((answer) => answer?.status === 200).length;
  }
  return found;
}

it("a developer who reports no impression locks half of what a campaign has left, and is named by its report", async () => {
  const hoarder = await developerOf(HOARDING);
  const honest = await developerOf(HONEST);
  expect(await matches(hoarder, HOARDING, AFFORDABLE)).toBe(SHARE);
  expect(await matches(honest, HONEST, AT_A_TIME)).toBe(AT_A_TIME);
  const report = await advertiser.expect(200, "GET", `/campaigns/${campaignId}/analytics/games`);
  const none = { impressions: 0, seen_rate: 0, spent_cents: 0 };
  expect(report).toMatchObject({
    campaign_id: campaignId,
    open_holds: SHARE + AT_A_TIME,
    games: [
      { ...none, game_id: HOARDING, matches: SHARE, held_cents: SHARE * PRICE_CENTS },
      { ...none, game_id: HONEST, matches: AT_A_TIME, held_cents: AT_A_TIME * PRICE_CENTS },
    ],
  });
});

it("an explanation may be requested 60 times a minute with a key that carries no limit", async () => {
  const { key } = await services.newAccount({ rateLimitPerMinute: null });
  const usual = apiClient(services.origin("/campaigns"), key);
  const scene = { game_id: HONEST, user_id: "p", game_context: {} };
  const { headers } = await usual.request("POST", `/campaigns/${campaignId}/explain`, scene);
  expect([headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")]).toEqual(["60", "59"]);
});
