import { newId } from "@diegetic/contracts";
import { BASE_PATH, type ComposedApi } from "../composed-api.fixture.ts";
import type { FuzzWorld } from "./requests.ts";

const campaign = { name: "Fuzz", budget_cents: 1_000_000, cpm_bid_cents: 100 };
const creative = {
  creative_type: "narrative_hook",
  brand_name: "Ember",
  narrative_hook: "It smells of Ember.",
};
const placement = { creator_id: "studio", placement_types: ["narrative_hook"], max_ads_per_session: 50 };
const context = { user_id: "player", game_context: { category: "fantasy" } };

interface Made {
  campaignIds: string[];
  creativeIds: string[];
  gameId: string;
  matchId: string;
  /** Of a key that nobody uses. */
  keyId: string;
  partIds: Record<"geo-targets" | "blocklist" | "affinities", string>;
}

const partBodies = {
  "geo-targets": { target_type: "country", country_code: "DE" },
  blocklist: { rule_type: "keyword", value: "never" },
  affinities: { affinity_type: "mood", affinity_value: "calm" },
} as const;

/** Two accounts, each with campaigns and a game, so that requests find their own, others' and nobody's. */
export async function openFuzzWorld(api: ComposedApi): Promise<FuzzWorld> {
  const [key, otherKey, emptyKey] = [await api.newKey(), await api.newKey(), await api.newKey()];
  const own = await furnish(api, key, "own-game");
  const other = await furnish(api, otherKey, "other-game");
  const ids = (select: (made: Made) => string[], prefix: Parameters<typeof newId>[0]) => [
    ...select(own),
    ...select(own),
    ...select(own),
    ...select(other),
    newId(prefix),
  ];
  return {
    key,
    otherKeys: [otherKey, emptyKey],
    known: {
      campaign_id: ids((made) => made.campaignIds, "camp"),
      creative_id: ids((made) => made.creativeIds, "crt"),
      match_id: ids((made) => [made.matchId], "mat"),
      game_id: [own.gameId, own.gameId, other.gameId, "nobodys-game"],
      user_id: ["player", "someone"],
      geo_target_id: ids((made) => [made.partIds["geo-targets"]], "geo"),
      blocklist_rule_id: ids((made) => [made.partIds.blocklist], "blk"),
      affinity_id: ids((made) => [made.partIds.affinities], "aff"),
      key_id: ids((made) => [made.keyId], "key"),
    },
  };
}

async function furnish(api: ComposedApi, key: string, gameId: string): Promise<Made> {
  const create = async (path: string, body: object) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const raw = { method: "POST", path: BASE_PATH + path, headers, body: JSON.stringify(body) };
    const answer = await api.send(raw);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text);
  };
  await create("/register", { company_name: "Ember", contact_email: `${newId("acct")}@example.com` });
  await create("/deposit", { amount_cents: 1_000_000 });
  await create(`/placements/${gameId}`, placement);
  const made: Made = {
    campaignIds: [],
    creativeIds: [],
    gameId,
    matchId: "",
    keyId: (await create("/api-keys", { label: "spare" })).id,
    partIds: { "geo-targets": "", blocklist: "", affinities: "" },
  };
  for (let number = 0; number < 3; number += 1) {
    const { id } = await create("/campaigns", campaign);
    made.campaignIds.push(id);
    for (let more = 0; more < 3; more += 1)
      made.creativeIds.push((await create(`/campaigns/${id}/creatives`, creative)).id);
  }
  const [first = "", second = ""] = made.campaignIds;
  await create(`/campaigns/${first}/activate`, {});
  made.matchId = (await create("/match", { game_id: gameId, ...context })).match_id;
  for (const kind of ["geo-targets", "blocklist", "affinities"] as const) {
    made.partIds[kind] = (await create(`/campaigns/${second}/${kind}`, partBodies[kind])).id;
  }
  return made;
}
