import { ApiError } from "../../api/api-error.ts";
import { call, LONG_TIMEOUT_MS } from "../../api/call.ts";
import { callToChange } from "../../api/call-to-change.ts";
import type { BodyOf } from "../../api/operations.ts";
import { retryWhileRateLimited } from "../../api/retry-rate-limited.ts";
import { keyedChange } from "../../api/unanswered.ts";
import { settingsOf } from "./campaign-fields.tsx";
import { nameOfCopy } from "./name-of-copy.ts";

type WholeCampaign = BodyOf<"POST /campaigns/bulk">["campaigns"][number];

/** Copies a campaign with everything that belongs to it, as a draft, or nothing at all. Answers the copy's id. */
export async function duplicateCampaign(id: string, signal: AbortSignal): Promise<string> {
  const at = { path: { campaign_id: id } };
  const retrying = <Answer>(attempt: () => Promise<Answer>) => retryWhileRateLimited(attempt, signal);
  const [campaign, creatives, geoTargets, rules, affinities] = await Promise.all([
    retrying(() => call("GET /campaigns/{campaign_id}", at)),
    retrying(() => call("GET /campaigns/{campaign_id}/creatives", at)),
    retrying(() => call("GET /campaigns/{campaign_id}/geo-targets", at)),
    retrying(() => call("GET /campaigns/{campaign_id}/blocklist", at)),
    retrying(() => call("GET /campaigns/{campaign_id}/affinities", at)),
  ]);
  const copy: WholeCampaign = {
    ...settingsOf(campaign),
    name: nameOfCopy(campaign.name),
    creatives: creatives.map(
      ({ id: _id, campaign_id: _campaign, impressions: _count, created_at: _at, ...creative }) => creative,
    ),
    geo_targets: geoTargets.map(
      ({ id: _id, campaign_id: _campaign, created_at: _at, ...target }) => target as GeoTarget,
    ),
    blocklist: rules.map(({ rule_type, value }) => ({ rule_type, value })),
    affinities: affinities.map(({ affinity_type, affinity_value, weight }) => ({
      affinity_type,
      affinity_value,
      weight,
    })),
  };
  const body = { campaigns: [withoutNulls(copy)] };
  const { idempotencyKey, end } = keyedChange(["POST /campaigns/bulk", id, body]);
  const sending = retrying(() =>
    callToChange("POST /campaigns/bulk", { body }, { idempotencyKey, timeoutMs: LONG_TIMEOUT_MS }),
  );
  void sending.then(() => end(), end);
  const { results } = await sending;
  const [result] = results;
  if (result?.campaign === undefined)
    throw new ApiError(result?.status ?? 0, result?.error ?? "No result came.");
  return result.campaign.id;
}

/** Null means the same as a field that is left out; a large campaign has to fit into one body. */
function withoutNulls<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutNulls) as Value;
  if (value === null || typeof value !== "object") return value;
  const named = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(named.map(([name, field]) => [name, withoutNulls(field)])) as Value;
}

type GeoTarget = NonNullable<WholeCampaign["geo_targets"]>[number];
