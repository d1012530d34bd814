import { newId } from "@diegetic/contracts";
import { BASE_PATH, type ComposedApi } from "../composed-api.fixture.ts";
import type { FuzzWorld } from "./requests.ts";

const campaign = { name: "Fuzz", budget_cents: 1_000_000, cpm_bid_cents: 100 };
/** Outbids the others, so that matches are of the one campaign that no path names and that stays as it is. */
const steadyCampaign = { ...campaign, cpm_bid_cents: 10_000 };
const creative = {
  creative_type: "narrative_hook",
  brand_name: "Ember",
  narrative_hook: "It smells of Ember.",
  max_uses_per_game: 20,
};
const placement = { creator_id: "studio", placement_types: ["narrative_hook"], max_ads_per_session: 50 };
const webhook = { url: "https://studio.example/events", events: ["campaign.exhausted"] };
const partBodies = {
  "geo-targets": { target_type: "country", country_code: "DE" },
  blocklist: { rule_type: "keyword", value: "never" },
  affinities: { affinity_type: "mood", affinity_value: "calm" },
} as const;
const PARTS_OF_A_KIND = 5;
const CAMPAIGNS = 3;
const WEBHOOKS = 3;
const MATCHES = 10;
/** How much oftener a request names what is its own than what is another's or nobody's. */
const OWN_WEIGHT = 12;

interface Made {
  campaign_id: string[];
  creative_id: string[];
  game_id: string[];
  geo_target_id: string[];
  blocklist_rule_id: string[];
  affinity_id: string[];
  /** Of keys that nobody uses. */
  key_id: string[];
  webhook_id: string[];
  delivery_id: string[];
}

/** Two accounts, each with campaigns and games, so that requests find their own, others' and nobody's. */
export async function openFuzzWorld(api: ComposedApi): Promise<FuzzWorld> {
  const [key, otherKey, emptyKey] = [await api.newKey(), await api.newKey(), await api.newKey()];
  const own = await furnish(api, key, "own");
  const other = await furnish(api, otherKey, "other");
  const steady = await makeSteady(api, key);
  const ids = (name: keyof Made, nobodys: string) => [
    ...Array(OWN_WEIGHT).fill(own[name]).flat(),
    ...other[name],
    nobodys,
  ];
  const knownInPaths = {
    campaign_id: ids("campaign_id", newId("camp")),
    creative_id: ids("creative_id", newId("crt")),
    game_id: ids("game_id", "nobodys-game"),
    geo_target_id: ids("geo_target_id", newId("geo")),
    blocklist_rule_id: ids("blocklist_rule_id", newId("blk")),
    affinity_id: ids("affinity_id", newId("aff")),
    key_id: ids("key_id", newId("key")),
    webhook_id: ids("webhook_id", newId("whk")),
    delivery_id: ids("delivery_id", newId("whd")),
  };
  return {
    key,
    otherKeys: [otherKey, emptyKey],
    knownInPaths,
    known: {
      campaign_id: [...Array(OWN_WEIGHT).fill(steady.campaignId), own.campaign_id[0], other.campaign_id[0]],
      creative_id: [...Array(OWN_WEIGHT).fill(steady.creativeId), own.creative_id[0], other.creative_id[0]],
      match_id: [...steady.matchIds, newId("mat")],
      game_id: [...Array(OWN_WEIGHT).fill("steady-game"), ...knownInPaths.game_id.slice(-2)],
      user_id: ["player", "someone", "somebody else"],
    },
  };
}

type Create = (path: string, body: object) => Promise<Record<string, string>>;

function creator(api: ComposedApi, key: string): Create {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  return async (path, body) => {
    const raw = { method: "POST", path: BASE_PATH + path, headers, body: JSON.stringify(body) };
    const answer = await api.send(raw);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text);
  };
}

async function furnish(api: ComposedApi, key: string, name: string): Promise<Made> {
  const create = creator(api, key);
  const idOf = async (path: string, body: object) => (await create(path, body)).id ?? "";
  await create("/register", { company_name: "Ember", contact_email: `${name}@example.com` });
  await create("/deposit", { amount_cents: 10_000_000 });
  const made: Made = {
    campaign_id: [],
    creative_id: [],
    game_id: [`${name}-game`],
    geo_target_id: [],
    blocklist_rule_id: [],
    affinity_id: [],
    key_id: [],
    webhook_id: [],
    delivery_id: [],
  };
  await create(`/placements/${name}-game`, placement);
  for (let number = 0; number < CAMPAIGNS; number += 1) {
    made.campaign_id.push(await idOf("/campaigns", campaign));
    const path = `/campaigns/${made.campaign_id[number]}`;
    for (let part = 0; part < PARTS_OF_A_KIND; part += 1) {
      made.creative_id.push(await idOf(`${path}/creatives`, creative));
      made.geo_target_id.push(await idOf(`${path}/geo-targets`, partBodies["geo-targets"]));
      made.blocklist_rule_id.push(await idOf(`${path}/blocklist`, partBodies.blocklist));
      const affinity = { ...partBodies.affinities, affinity_value: `calm ${part}` };
      made.affinity_id.push(await idOf(`${path}/affinities`, affinity));
      made.key_id.push(await idOf("/api-keys", { label: "spare" }));
    }
  }
  for (let number = 0; number < WEBHOOKS; number += 1) {
    const webhookId = await idOf("/webhooks", webhook);
    made.webhook_id.push(webhookId);
    made.delivery_id.push(await idOf(`/webhooks/${webhookId}/test`, {}));
  }
  await create(`/campaigns/${made.campaign_id[0]}/activate`, {});
  return made;
}

async function makeSteady(api: ComposedApi, key: string) {
  const create = creator(api, key);
  await create("/placements/steady-game", placement);
  const { id: campaignId = "" } = await create("/campaigns", steadyCampaign);
  const { id: creativeId = "" } = await create(`/campaigns/${campaignId}/creatives`, creative);
  await create(`/campaigns/${campaignId}/activate`, {});
  const matchIds: string[] = [];
  for (let number = 0; number < MATCHES; number += 1) {
    const match = { game_id: "steady-game", user_id: `early player ${number}`, game_context: {} };
    matchIds.push((await create("/match", match)).match_id ?? "");
  }
  return { campaignId, creativeId, matchIds };
}
