import type { CampaignSummary, WalletSummary } from "./wallet-summary.ts";

/**
 * An advertiser's wallet and its slices as one: what each has spent and holds itself, against the advertiser's limits.
 * What slices were granted stays apart, in `sliced`.
 */
export function combineSlices(own: WalletSummary, others: readonly WalletSummary[]): WalletSummary {
  const all = [own, ...others];
  const { account } = own;
  const accounts = others.map((other) => other.account);
  const isWhole = account !== null && accounts.every((one) => one !== null);
  return {
    readAtMs: Math.max(...all.map(({ readAtMs }) => readAtMs)),
    account: isWhole
      ? {
          ...account,
          spentMillicents: sum([ownSpent(account), ...accounts.map((one) => one.spentMillicents)]),
          heldMillicents: sum([ownHeld(account), ...accounts.map((one) => one.heldMillicents)]),
          impressions: sum([ownImpressions(account), ...accounts.map((one) => one.impressions)]),
          epoch: accounts.every(({ epoch }) => epoch === account.epoch) ? account.epoch : -1,
          live: account.live && accounts.every(({ live }) => live),
        }
      : null,
    holds: {
      count: sum(all.map(({ holds }) => holds.count)),
      sumMillicents: sumOrNull(all.map(({ holds }) => holds.sumMillicents)),
      lapsedLongAgo: sum(all.map(({ holds }) => holds.lapsedLongAgo)),
    },
    outbox: {
      count: sum(all.map(({ outbox }) => outbox.count)),
      records: all.some(({ outbox }) => outbox.records === null)
        ? null
        : all.flatMap(({ outbox }) => outbox.records ?? []),
    },
    sessionReleases: {
      count: sum(all.map(({ sessionReleases }) => sessionReleases.count)),
      some: all.flatMap(({ sessionReleases }) => sessionReleases.some),
    },
    campaigns: own.campaigns.flatMap((campaign) => {
      const same = others.flatMap(({ campaigns }) => campaigns.filter(isOf(campaign.campaignId)));
      return same.length < others.length ? [] : [combineCampaign(campaign, same)];
    }),
  };
}

function combineCampaign(own: CampaignSummary, others: readonly CampaignSummary[]): CampaignSummary {
  const all = [own, ...others];
  const spentMillicents = sum([ownSpent(own), ...others.map((one) => one.spentMillicents)]);
  return {
    ...own,
    // What slices have not reported yet was spent a moment ago.
    daySpentMillicents: own.daySpentMillicents + spentMillicents - own.spentMillicents,
    version: Math.min(...all.map(({ version }) => version)),
    // A slice that has not heard of the status is a difference.
    status: all.find(({ status }) => status !== own.status)?.status ?? own.status,
    spentMillicents,
    heldMillicents: sum([ownHeld(own), ...others.map((one) => one.heldMillicents)]),
    impressions: sum([ownImpressions(own), ...others.map((one) => one.impressions)]),
    holdsMillicents: sumOrNull(all.map(({ holdsMillicents }) => holdsMillicents)),
    differingShares: sumOrNull(all.map(({ differingShares }) => differingShares)),
    grants: {
      grantedMillicents: sum(others.map(({ budgetMillicents }) => budgetMillicents)),
      spentMillicents: sum(others.map(({ spentMillicents }) => spentMillicents)),
    },
  };
}

interface Totals {
  spentMillicents: number;
  heldMillicents: number;
  impressions: number;
  sliced?: { spentMillicents: number; heldMillicents: number; impressions: number };
}

function ownSpent({ spentMillicents, sliced }: Totals): number {
  return spentMillicents - (sliced?.spentMillicents ?? 0);
}

function ownHeld({ heldMillicents, sliced }: Totals): number {
  return heldMillicents - (sliced?.heldMillicents ?? 0);
}

function ownImpressions({ impressions, sliced }: Totals): number {
  return impressions - (sliced?.impressions ?? 0);
}

function isOf(campaignId: string) {
  return (campaign: CampaignSummary) => campaign.campaignId === campaignId;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function sumOrNull(numbers: readonly (number | null)[]): number | null {
  return numbers.some((number) => number === null) ? null : sum(numbers.map(Number));
}
