import { exampleIds } from "../../../packages/contracts/src/definition/example-ids.ts";
import { type Provocation, type ProvocationsOfOperations, sent } from "./provocation.ts";

const scene = { game_id: "nobodys-game", user_id: "player", game_context: {} };
const berlin = { target_type: "city", country_code: "DE", city_name: "Berlin" };
const calm = { affinity_type: "mood", affinity_value: "calm" };

/** The campaign has as many of them as it may: one more. */
function oneMore(table: string, columns: string, values: string, most: number, body: object): Provocation {
  return async (world, operation) => {
    const named = await world.campaign(world.owner, {}, "empty");
    await world.api.database.$executeRawUnsafe(
      `INSERT INTO ${table} (id, campaign_id, ${columns})
       SELECT 'many_' || n, '${named.campaign_id}', ${values} FROM generate_series(1, ${most}) AS n`,
    );
    return world.call(operation, { named, body });
  };
}

/** Geo targets, blocklist, affinities, and why a campaign would not serve. */
export const targetingRefusals: ProvocationsOfOperations = {
  createGeoTarget: {
    "400 missing_field": sent({ target_type: "city", country_code: "DE" }),
    "400 malformed_field": sent({ target_type: "country", country_code: "XX" }),
    "422 not_allowed": sent({ target_type: "radius", lat: 91, lng: 0, radius_km: 1 }),
    "422 contradiction": async (world, operation) => ({
      answer: await world.call(operation, { body: { ...berlin, include: false } }),
      issued: { [exampleIds.geoTarget]: world.owner.named.geo_target_id },
    }),
    "422 too_many": oneMore("geo_targets", "target_type, country_code", "'country', 'FR'", 500, berlin),
  },
  createBlocklistRule: {
    "400 missing_field": sent({ rule_type: "keyword" }),
    "400 malformed_field": sent({ rule_type: "keyword", value: 7 }),
    "400 no_word": sent({ rule_type: "keyword", value: "!?" }),
    "422 not_allowed": sent({ rule_type: "word", value: "storm" }),
    "422 too_many": oneMore("blocklist_rules", "rule_type, value", "'theme', 'many'", 1_000, {
      rule_type: "theme",
      value: "storm",
    }),
  },
  createAffinity: {
    "400 missing_field": sent({ affinity_type: "mood" }),
    "400 malformed_field": sent({ ...calm, weight: "strong" }),
    "400 no_word": sent({ affinity_type: "lighting", affinity_value: "…" }),
    "422 not_allowed": sent({ ...calm, weight: 3.5 }),
    "422 too_many": oneMore("affinities", "affinity_type, affinity_value", "'mood', 'many'", 50, calm),
    "422 repeated": async (world, operation) => {
      const named = await world.campaign(world.owner, {}, "empty");
      const { body } = await world.call(operation, { named, body: { ...calm, weight: 1.5 } });
      const again = { ...calm, affinity_value: " CALM" };
      return {
        answer: await world.call(operation, { named, body: again }),
        issued: { [exampleIds.affinity]: body.id },
      };
    },
  },
  replaceAffinities: {
    "400 missing_field": sent({ affinities: [calm, { affinity_type: "mood" }] }),
    "400 malformed_field": sent({ affinities: "calm" }),
    "400 no_word": sent({ affinities: [calm, { affinity_type: "lighting", affinity_value: "…" }] }),
    "422 not_allowed": sent({ affinities: [{ ...calm, weight: 3.5 }] }),
    "422 too_many": sent({ affinities: Array(51).fill(calm) }),
    "422 repeated": sent({ affinities: [calm, { ...calm, weight: 3 }] }),
  },
  explainCampaign: {
    "400 missing_field": sent({ game_id: "nobodys-game", user_id: "player" }),
    "400 malformed_field": sent({ ...scene, game_context: 7 }),
    "404 no_game": sent(scene),
    "422 not_allowed": sent({ ...scene, player_geo: { lat: 91, lng: 0 } }),
  },
};
