import { patientCall } from "../../api/call.ts";
import type { BodyOf } from "../../api/operations.ts";
import { settingsOf } from "./use-campaign.ts";

/** Copies a campaign with everything that belongs to it, as a draft. Answers the copy's id. */
export async function duplicateCampaign(id: string): Promise<string> {
  const at = { path: { campaign_id: id } };
  const [campaign, creatives, geoTargets, rules, affinities] = await Promise.all([
    patientCall("GET /campaigns/{campaign_id}", at),
    patientCall("GET /campaigns/{campaign_id}/creatives", at),
    patientCall("GET /campaigns/{campaign_id}/geo-targets", at),
    patientCall("GET /campaigns/{campaign_id}/blocklist", at),
    patientCall("GET /campaigns/{campaign_id}/affinities", at),
  ]);
  const copy = await patientCall("POST /campaigns", {
    body: {
      ...settingsOf(campaign),
      name: `${campaign.name} (copy)`.slice(0, 200),
    },
  });
  const into = { path: { campaign_id: copy.id } };
  for (const {
    id: _id,
    campaign_id: _campaign,
    impressions: _count,
    created_at: _at,
    ...creative
  } of creatives) {
    await patientCall("POST /campaigns/{campaign_id}/creatives", { ...into, body: creative });
  }
  if (affinities.length > 0) {
    const list = affinities.map(({ affinity_type, affinity_value, weight }) => ({
      affinity_type,
      affinity_value,
      weight,
    }));
    await patientCall("PUT /campaigns/{campaign_id}/affinities/bulk", {
      ...into,
      body: { affinities: list },
    });
  }
  for (const { id: _id, campaign_id: _campaign, created_at: _at, ...target } of geoTargets) {
    await patientCall("POST /campaigns/{campaign_id}/geo-targets", {
      ...into,
      body: target as BodyOf<"POST /campaigns/{campaign_id}/geo-targets">,
    });
  }
  for (const { rule_type, value } of rules) {
    await patientCall("POST /campaigns/{campaign_id}/blocklist", { ...into, body: { rule_type, value } });
  }
  return copy.id;
}
