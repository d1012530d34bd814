import { impressionOfAMatch } from "./common.ts";
import { type Provocation, type ProvocationsOfOperations, repeated, sent, withQuery } from "./provocation.ts";
import { operationNamed, placementBody } from "./world.fixture.ts";

const scene = { game_id: "nobodys-game", user_id: "player", game_context: {} };
const seen = { campaign_id: "camp_1", creative_id: "crt_1", game_id: "nobodys-game" };

/** The match no longer fits into a limit of its campaign that was lowered meanwhile. */
function lowered(limits: object): Provocation {
  return async (world, operation) => {
    const campaign = { budget_cents: 20, daily_cap_cents: 20, cpm_bid_cents: 10_000 };
    const { by, named, body } = await impressionOfAMatch(world, campaign);
    await world.call(operationNamed("updateCampaign"), { by, named, body: limits }).expect(200);
    return world.call(operation, { by, body });
  };
}

/** Placements and the two calls of a running game. */
export const gameRefusals: ProvocationsOfOperations = {
  enablePlacement: {
    "400 missing_field": sent({ placement_types: ["narrative_hook"] }),
    "400 malformed_field": sent({ ...placementBody, placement_types: "narrative_hook" }),
    "422 not_allowed": sent({ ...placementBody, placement_types: [] }),
    "422 too_many": async (world, operation) => {
      const by = await world.account();
      await world.api.database.$executeRaw`
        INSERT INTO placements (game_id, account_id, creator_id, placement_types, published_version)
        SELECT ${`${by.accountId}-`} || n, ${by.accountId}, 'many', ARRAY['narrative_hook']::creative_type[], 1
        FROM generate_series(1, 10000) AS n`;
      return world.call(operation, { by, body: placementBody });
    },
  },
  updatePlacement: {
    "400 malformed_field": sent({ placement_types: null }),
    "422 not_allowed": sent({ revenue_share_pct: 100.5 }),
    "422 response_only": sent({ is_active: false }),
  },
  getTrafficSeries: {
    "400 no_count": withQuery("?count=abc"),
    "422 count": withQuery("?count=49"),
    "422 unit": withQuery("?unit=week"),
  },
  listAccountNoMatchScenes: {
    "400 no_limit": withQuery("?limit=abc"),
    "422 limit": withQuery("?limit=101"),
  },
  listMarketWords: {
    "400 type_twice": withQuery("?type=mood&type=mood"),
    "422 type": withQuery("?type=tag"),
  },
  matchAd: {
    "400 missing_field": sent({ game_id: "nobodys-game", user_id: "player" }),
    "400 malformed_field": sent({ ...scene, player_geo: { country_code: "XX" } }),
    "422 not_allowed": sent({ ...scene, player_geo: { lat: 91, lng: 0 } }),
    "404 no_game": sent(scene),
    "403 other_account": async (world, operation) =>
      world.call(operation, { body: { ...scene, game_id: world.other.named.game_id } }),
  },
  recordImpression: {
    "400 missing_field": sent({ campaign_id: "camp_1", game_id: "nobodys-game" }),
    "400 malformed_field": sent({ ...seen, campaign_id: 7 }),
    "422 not_allowed": sent({ ...seen, match_id: repeated("mat_01kbgy8t5v7w9x1y3z5a7b9cde", 240) }),
    "404 no_game": sent(seen),
    "403 other_account": async (world, operation) =>
      world.call(operation, { body: { ...seen, game_id: world.other.named.game_id } }),
    "404 no_campaign": async (world, operation) =>
      world.call(operation, { body: { ...seen, game_id: world.owner.named.game_id } }),
    "404 no_creative": async (world, operation) => {
      const { campaign_id, game_id } = world.owner.named;
      return world.call(operation, { body: { ...seen, campaign_id, game_id } });
    },
    "409 no_match": async (world, operation) => {
      const { campaign_id, creative_id, game_id } = world.owner.named;
      return world.call(operation, { body: { campaign_id, creative_id, game_id } });
    },
    "409 wrong_match": async (world, operation) => {
      const { campaign_id, creative_id, game_id } = world.owner.named;
      const match_id = "mat_01kbgy8t5v7w9x1y3z5a7b9cde";
      return world.call(operation, { body: { campaign_id, creative_id, game_id, match_id } });
    },
    "409 balance": async (world, operation) => {
      const { by, body, scene: again } = await impressionOfAMatch(world, { cpm_bid_cents: 1_000 }, 1);
      const { accountId } = by;
      const { id } = await world.api.database.advertiser.findUniqueOrThrow({ where: { accountId } });
      // The hold lapses, and another match takes the money.
      await world.lapseHolds(id);
      await world.call(operationNamed("matchAd"), { by, body: again }).expect(200);
      return world.call(operation, { by, body });
    },
    "409 budget": lowered({ budget_cents: 5 }),
    "409 daily_cap": lowered({ daily_cap_cents: 5 }),
  },
};
