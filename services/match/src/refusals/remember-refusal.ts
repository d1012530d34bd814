import type { Campaign } from "@diegetic/ad-rules";
import { LACKS_BUDGET, type RefusalLasts, type ReserveRefusal } from "@diegetic/hot-state";
import type { Catalog } from "../catalog/catalog.ts";

/** The fields of a campaign that decide whether a refusal still applies. */
type RefusedCampaign = Pick<Campaign, "campaign_id" | "advertiser_id" | "version" | "cpm_bid_cents">;

/** For refusals that the end of a hold can change. */
const REMEMBER_MS = 250;
/** A newer version ends the other refusals. This limit covers corrections of the wallet without a new version. */
const MAX_MS = 3_600_000;
const REMEMBERED: ReadonlySet<ReserveRefusal> = new Set([...LACKS_BUDGET, "unknown_wallet", "behind"]);

/**
 * Makes the index skip a campaign that was refused for lack of money, or whose wallet is missing or outdated, so that it does
 * not use up the attempts of the next requests (docs/behaviour.md#attempts): briefly, or as long as the refusal says that it
 * lasts. Ignores other reasons, which concern only this request. A newer version of the campaign or, for the balance, of the
 * advertiser ends a refusal at once. Forgetting one costs a reservation, never money.
 * @param known.advertiserVersion the version before the reservation was sent, so that a refusal does not override a deposit
 * that arrived meanwhile
 */
export function rememberRefusal(
  catalog: Pick<Catalog, "index" | "advertiserVersion">,
  { campaign_id, advertiser_id, version, cpm_bid_cents }: RefusedCampaign,
  { reason, lasts }: { reason: ReserveRefusal; lasts: RefusalLasts },
  known: { advertiserVersion: number; nowMs: number },
): void {
  const span = {
    sinceMs: known.nowMs,
    untilMs: known.nowMs + Math.max(REMEMBER_MS, longMs(lasts, known.advertiserVersion)),
  };
  if (reason === "balance") {
    if (catalog.advertiserVersion(advertiser_id) > known.advertiserVersion) return;
    catalog.index.refuseAdvertiser(advertiser_id, { bidCents: cpm_bid_cents, ...span });
  } else if (REMEMBERED.has(reason)) {
    if (catalog.index.versionOf(campaign_id) !== version) return;
    catalog.index.refuse(campaign_id, { lacksMoney: LACKS_BUDGET.has(reason), ...span });
  }
}

/**
 * How long a refusal lasts beyond `REMEMBER_MS`. When the account in Redis is older than the version known here, its
 * deposit arrives without a newer version, so nothing would end a longer refusal.
 */
function longMs(lasts: RefusalLasts, advertiserVersion: number): number {
  if (lasts === null) return 0;
  if (lasts === "version") return MAX_MS;
  if (typeof lasts === "number") return Math.min(lasts, MAX_MS);
  return lasts.accountVersion < advertiserVersion ? 0 : MAX_MS;
}
