import type { AdvertiserBody } from "@diegetic/contracts";
import { type Cents, centsDown } from "@diegetic/money";
import type { Advertiser } from "../../core/advertisers/store.ts";
import { timestamp } from "../../core/shared/time.ts";

/** Deposits less spending, rounded down (docs/behaviour.md#rounding). */
export function balanceCents(money: Pick<Advertiser, "depositedMillicents" | "spentMillicents">): Cents {
  return centsDown(money.depositedMillicents - money.spentMillicents);
}

export function toAdvertiserResponse(advertiser: Advertiser): AdvertiserBody {
  return {
    id: advertiser.id,
    company_name: advertiser.companyName,
    contact_email: advertiser.contactEmail,
    website: advertiser.website,
    balance_cents: balanceCents(advertiser),
    created_at: timestamp(advertiser.createdAt),
  };
}
