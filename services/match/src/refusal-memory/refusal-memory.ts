import type { ReserveRefusal } from "@diegetic/hot-state";

/** What of a campaign decides whether a refusal still stands. */
export interface RefusedCampaign {
  campaign_id: string;
  advertiser_id: string;
  version: number;
  cpm_bid_cents: number;
}

interface Refusal {
  version: number;
  /** Only for the balance: the lowest bid that it did not cover. */
  cpmBidCents: number;
  lacksMoney: boolean;
  untilMs: number;
}

const REMEMBER_MS = 250;
const MAX_REFUSALS = 10_000;

/**
 * Remembers refusals for lack of money for a moment, so that exhausted campaigns do not stand in the way of the next
 * request (semantics: "How many candidates are tried"). A newer version of the campaign or, for the balance, of the
 * advertiser ends a refusal at once. Forgetting one costs a reservation, never money.
 */
export class RefusalMemory {
  /** By campaign, for budget, daily cap and missing slot; by advertiser, for the balance. */
  readonly #refusals = new Map<string, Refusal>();
  readonly #advertiserVersion: (advertiserId: string) => number;

  constructor(advertiserVersion: (advertiserId: string) => number) {
    this.#advertiserVersion = advertiserVersion;
  }

  /**
   * Other reasons than lack of money and a missing slot are not remembered: they are about this request alone.
   * @param asked.advertiserVersion as it was known before the reservation was sent: a deposit that came while the
   * refusal was on its way must not be outdated by it
   */
  remember(
    campaign: RefusedCampaign,
    reason: ReserveRefusal,
    { advertiserVersion, nowMs }: { advertiserVersion: number; nowMs: number },
  ): void {
    const { campaign_id, advertiser_id, version, cpm_bid_cents } = campaign;
    const untilMs = nowMs + REMEMBER_MS;
    if (reason === "balance") {
      const known = this.#standing(advertiser_id, advertiserVersion, nowMs);
      const cpmBidCents = Math.min(cpm_bid_cents, known?.cpmBidCents ?? cpm_bid_cents);
      this.#set(advertiser_id, { version: advertiserVersion, cpmBidCents, lacksMoney: true, untilMs });
    } else if (reason === "budget" || reason === "daily_cap" || reason === "unknown_slot") {
      const lacksMoney = reason !== "unknown_slot";
      this.#set(campaign_id, { version, cpmBidCents: cpm_bid_cents, lacksMoney, untilMs });
    }
  }

  /** Why the campaign is not worth trying now; undefined: it is. */
  standing(campaign: RefusedCampaign, nowMs: number): { lacksMoney: boolean } | undefined {
    const own = this.#standing(campaign.campaign_id, campaign.version, nowMs);
    if (own !== undefined) return own;
    const advertiserId = campaign.advertiser_id;
    const balance = this.#standing(advertiserId, this.#advertiserVersion(advertiserId), nowMs);
    return balance !== undefined && campaign.cpm_bid_cents >= balance.cpmBidCents ? balance : undefined;
  }

  #standing(id: string, version: number, nowMs: number): Refusal | undefined {
    const refusal = this.#refusals.get(id);
    if (refusal === undefined) return undefined;
    if (refusal.untilMs > nowMs && refusal.version >= version) return refusal;
    this.#refusals.delete(id);
    return undefined;
  }

  #set(id: string, refusal: Refusal): void {
    const known = this.#refusals.get(id);
    if (known !== undefined && known.version > refusal.version) return;
    // Entries stand in the order in which they end: making room takes the oldest.
    this.#refusals.delete(id);
    if (this.#refusals.size >= MAX_REFUSALS) {
      const oldest = this.#refusals.keys().next();
      if (!oldest.done) this.#refusals.delete(oldest.value);
    }
    this.#refusals.set(id, refusal);
  }
}
