import type { CampaignIndex } from "@diegetic/ad-rules";
import type { RefusalLasts, ReserveRefusal } from "@diegetic/hot-state";

/** What of a campaign decides whether a refusal still stands. */
export interface RefusedCampaign {
  campaign_id: string;
  advertiser_id: string;
  version: number;
  cpm_bid_cents: number;
}

/** What the end of a hold can change. */
const REMEMBER_MS = 250;
/** A newer version ends the others. Should the books be put right without one, it is noticed after so long. */
const MAX_MS = 3_600_000;
const LACKS_MONEY: ReadonlySet<ReserveRefusal> = new Set(["budget", "daily_cap"]);
const REMEMBERED: ReadonlySet<ReserveRefusal> = new Set([...LACKS_MONEY, "unknown_wallet", "behind"]);

/**
 * Has the index pass over what was refused for lack of money, so that exhausted campaigns do not stand in the way of the
 * next request (docs/behaviour.md#attempts): for a moment, or as long as the refusal says that it lasts. A
 * newer version of the campaign or, for the balance, of the advertiser ends a refusal at once. Forgetting one costs a
 * reservation, never money.
 */
export class RefusalMemory {
  readonly #index: CampaignIndex;
  readonly #advertiserVersion: (advertiserId: string) => number;

  constructor(index: CampaignIndex, advertiserVersion: (advertiserId: string) => number) {
    this.#index = index;
    this.#advertiserVersion = advertiserVersion;
  }

  /**
   * Other reasons than lack of money and a wallet that is missing or behind are not remembered: they are about this request alone.
   * @param asked.advertiserVersion as it was known before the reservation was sent: a deposit that came while the
   * refusal was on its way must not be outdated by it
   */
  remember(
    campaign: RefusedCampaign,
    { reason, lasts }: { reason: ReserveRefusal; lasts: RefusalLasts },
    asked: { advertiserVersion: number; nowMs: number },
  ): void {
    const { campaign_id, advertiser_id, version, cpm_bid_cents } = campaign;
    const span = {
      sinceMs: asked.nowMs,
      untilMs: asked.nowMs + Math.max(REMEMBER_MS, longMs(lasts, asked.advertiserVersion)),
    };
    if (reason === "balance") {
      if (this.#advertiserVersion(advertiser_id) > asked.advertiserVersion) return;
      this.#index.refuseAdvertiser(advertiser_id, { bidCents: cpm_bid_cents, ...span });
    } else if (REMEMBERED.has(reason)) {
      if (this.#index.versionOf(campaign_id) !== version) return;
      this.#index.refuse(campaign_id, { lacksMoney: LACKS_MONEY.has(reason), ...span });
    }
  }
}

/**
 * How long a refusal stands beyond the moment. An account in Redis that is older than the one known here gets its deposit
 * without a newer version: nothing would end the refusal then.
 */
function longMs(lasts: RefusalLasts, advertiserVersion: number): number {
  if (lasts === null) return 0;
  if (lasts === "version") return MAX_MS;
  if (typeof lasts === "number") return Math.min(lasts, MAX_MS);
  return lasts.accountVersion < advertiserVersion ? 0 : MAX_MS;
}
