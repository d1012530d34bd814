import type { CampaignSummary, WalletSummary } from "@diegetic/hot-state";
import type { AdvertiserBalances, CampaignBalances, ImpressionSums } from "./balances.ts";
import { atMost, type Check, equal, lateCheck, moneyCheck, type Pair, type PairsOf } from "./comparison.ts";

/** Billing queues a record again after seconds, so an older one is stuck. */
const OVERDUE_MS = 120_000;

/** An advertiser or a campaign whose wallet serves, and Postgres' balances at the same moment. */
interface Holder {
  id: string;
  inPostgres: { version: number; spentMillicents: bigint; impressions: bigint };
  inWallet: { version: number; spentMillicents: number; heldMillicents: number; impressions: number };
  /** Published version, read before the wallet. */
  published: number;
  /** Committed impressions that Postgres does not have yet; null: unknown. */
  waiting: ImpressionSums | null;
  advertiser: AdvertiserBalances;
}

export interface CampaignHolder extends Holder {
  inPostgres: CampaignBalances;
  inWallet: CampaignSummary;
  /** Newest version under which a hold or charge was taken. Above a limit it is exact. */
  newestVersion: number;
}

export interface Wallet {
  advertiser: AdvertiserBalances;
  summary: WalletSummary;
  /** Null: absent or frozen. A frozen wallet does not serve; management restores it from Postgres. */
  account: (Holder & { depositedMillicents: number }) | null;
  /** Those of `account` that are in the wallet. */
  campaigns: CampaignHolder[];
}

/** An advertiser's wallet in Redis, compared with itself and with Postgres. */
export const WALLET_CHECKS: readonly Check<PairsOf<Wallet>>[] = [
  lateCheck("wallet_present", "Wallets in Redis: one per advertiser and campaign, readable", (w) => {
    const present = new Set(w.campaigns.map(({ id }) => id));
    return [
      equal(w.advertiser.id, 1, w.summary.account === null ? 0 : 1),
      ...(w.account === null ? [] : w.advertiser.campaigns).map(({ id }) =>
        equal(id, 1, present.has(id) ? 1 : 0),
      ),
    ];
  }),
  lateCheck("recovery_epoch", "Wallets in Redis: verified, and in Postgres' recovery epoch", (w) => {
    const { account } = w.summary;
    if (account === null) return [];
    return equal(w.advertiser.id, w.advertiser.recoveryEpoch, account.live ? account.epoch : -1);
  }),
  lateCheck(
    "wallet_version",
    "Versions: published is at most Redis' version",
    ofHolders(({ id, inWallet, published }) => atMost(id, inWallet.version, published)),
  ),
  lateCheck(
    "wallet_settings",
    "Budgets, caps and statuses: Redis = Postgres",
    ofCampaigns((holder) => {
      if (!hasSettingsOfPostgres(holder)) return [];
      const { id, inPostgres, inWallet } = holder;
      return [
        equal(`${id} budget`, inPostgres.budgetMillicents, inWallet.budgetMillicents),
        // 0 stands for no cap.
        equal(`${id} daily cap`, inPostgres.dailyCapMillicents ?? 0, inWallet.dailyCapMillicents ?? 0),
        equal(`${id} status`, 0, inPostgres.status === inWallet.status ? 0 : 1),
      ];
    }),
  ),
  lateCheck("wallet_deposited", "Deposited, millicents: Redis = Postgres", ({ account, advertiser }) =>
    account !== null && hasSettingsOfPostgres(account)
      ? equal(account.id, advertiser.depositedMillicents, account.depositedMillicents)
      : [],
  ),
  moneyCheck(
    "wallet_spent",
    "Spent, millicents: Redis = Postgres + outbox",
    ofHolders((holder) =>
      inTotal(holder, holder.inWallet.spentMillicents, holder.inPostgres.spentMillicents, "priceMillicents"),
    ),
  ),
  moneyCheck(
    "wallet_impressions",
    "Impressions: Redis = Postgres + outbox",
    ofHolders((holder) =>
      inTotal(holder, holder.inWallet.impressions, holder.inPostgres.impressions, "impressions"),
    ),
  ),
  moneyCheck("wallet_held", "Held, millicents: account = campaigns = open holds", heldAmounts),
  moneyCheck(
    "wallet_shares",
    "Held by developer and game: counts that differ from open holds",
    ofCampaigns(({ id, inWallet: { differingShares } }) =>
      differingShares === null ? [] : equal(id, 0, differingShares),
    ),
  ),
  moneyCheck(
    "wallet_grants",
    "Slices: accepted is at most what they were granted, millicents",
    ofCampaigns(({ id, inWallet: { grants } }) =>
      grants === undefined ? [] : atMost(id, grants.grantedMillicents, grants.acceptedMillicents),
    ),
  ),
  moneyCheck("wallet_balance", "Spent + held is at most deposited, millicents", ({ account, advertiser }) => {
    if (account === null) return [];
    const used = account.inWallet.spentMillicents + account.inWallet.heldMillicents;
    return within(account.id, { limit: account.depositedMillicents, used }, advertiser.late.of("all"));
  }),
  moneyCheck(
    "wallet_budget",
    "Spent + held is at most the budget, unless that was lowered",
    ofCampaigns(({ id, inWallet, newestVersion, advertiser }) => {
      const lowered = newestVersion < inWallet.version ? inWallet.spentMillicents : undefined;
      return within(id, limitsOf(inWallet).budget, advertiser.late.of(id), lowered);
    }),
  ),
  moneyCheck(
    "wallet_daily_cap",
    "Day's spent + held is at most the cap, unless that was lowered",
    ofCampaigns(({ id, inWallet, newestVersion, advertiser }) => {
      const { dailyCap } = limitsOf(inWallet);
      const lowered = newestVersion < inWallet.version ? 0 : undefined;
      if (dailyCap === null) return [];
      return within(id, dailyCap, advertiser.late.of(`${id} ${inWallet.day}`), lowered);
    }),
  ),
  moneyCheck(
    "wallet_day",
    "Day's rollups + outbox are at most Redis' day, millicents",
    ofCampaigns(({ id, inPostgres, inWallet, waiting, advertiser }) => {
      const written = inPostgres.spentByDay[inWallet.day];
      if (waiting === null || written === undefined) return [];
      const day = `${id} ${inWallet.day}`;
      const known = BigInt(written) + waiting.of(day).priceMillicents;
      return atMost(id, inWallet.daySpentMillicents, known - advertiser.pendingLate.of(day).priceMillicents);
    }),
  ),
  lateCheck("outbox_age", "Records in the outbox for more than two minutes", ({ advertiser, summary }) => {
    const records = summary.outbox.records ?? [];
    const overdue = records.filter((record) => summary.readAtMs - record.recorded_at_ms > OVERDUE_MS);
    return equal(advertiser.id, 0, overdue.length);
  }),
  lateCheck("lapsed_holds", "Holds that lapsed more than a minute ago", ({ advertiser, summary }) =>
    equal(advertiser.id, 0, summary.holds.lapsedLongAgo),
  ),
  lateCheck("session_releases", "Session seats that are not returned yet", ({ advertiser, summary }) => {
    const { some, count } = summary.sessionReleases;
    // Each by its own name: only a stuck release appears in every read.
    return some.length === 0 ? equal(advertiser.id, 0, count) : some.map((matchId) => equal(matchId, 0, 1));
  }),
];

function ofHolders(pairsOf: (holder: Holder) => Pair | readonly Pair[]): PairsOf<Wallet> {
  return ({ account, campaigns }) =>
    account === null ? [] : [account, ...campaigns].flatMap((holder) => pairsOf(holder));
}

function ofCampaigns(pairsOf: (campaign: CampaignHolder) => Pair | readonly Pair[]): PairsOf<Wallet> {
  return ({ campaigns }) => campaigns.flatMap((campaign) => pairsOf(campaign));
}

/** Otherwise a change is on its way. */
function hasSettingsOfPostgres({ inPostgres, inWallet, published }: Holder): boolean {
  return inWallet.version === inPostgres.version || inWallet.version < published;
}

/** The wallet's total is in Postgres or in the outbox. */
function inTotal(
  { id, waiting, advertiser }: Holder,
  inWallet: number,
  inPostgres: bigint,
  unit: "impressions" | "priceMillicents",
): Pair[] {
  if (waiting === null) return [];
  const key = id === advertiser.id ? "all" : id;
  const written = inPostgres + waiting.of(key)[unit];
  const found = BigInt(inWallet);
  // Pending settlements and quarantined records are reported separately: the wallet may have them already, or not yet.
  const [lowest, highest] = [
    written - advertiser.pendingLate.of(key)[unit],
    written + advertiser.quarantined.of(key)[unit] + advertiser.pendingReversed.of(key)[unit],
  ];
  const isExplained = lowest <= found && found <= highest;
  return [equal(id, isExplained ? found : written, found)];
}

function heldAmounts({ account, summary, campaigns }: Wallet): Pair[] {
  if (account === null) return [];
  const { sumMillicents } = summary.holds;
  const held = account.inWallet.heldMillicents;
  const heldByCampaigns = summary.campaigns.reduce((total, campaign) => total + campaign.heldMillicents, 0);
  return [
    ...(sumMillicents === null ? [] : [equal(`${account.id} holds`, sumMillicents, held)]),
    equal(`${account.id} campaigns`, heldByCampaigns, held),
    ...campaigns.flatMap(({ id, inWallet: { holdsMillicents, heldMillicents } }) =>
      holdsMillicents === null ? [] : equal(id, holdsMillicents, heldMillicents),
    ),
  ];
}

/** A limit, and the amounts spent and held against it. */
interface Limit {
  limit: number;
  used: number;
}

export function limitsOf(inWallet: CampaignSummary): { budget: Limit; dailyCap: Limit | null } {
  const held = inWallet.heldMillicents;
  const cap = inWallet.dailyCapMillicents;
  return {
    budget: { limit: inWallet.budgetMillicents, used: inWallet.spentMillicents + held },
    dailyCap: cap === null ? null : { limit: cap, used: inWallet.daySpentMillicents + held },
  };
}

/**
 * Reservations always fit and holds never grow. A limit is exceeded only when it was lowered while holds were open
 * (then nothing was taken under the current version, and `lowered` must fit in any case), or by late charges that a
 * restored wallet received.
 */
function within(
  id: string,
  { limit, used }: Limit,
  lateCharges: { priceMillicents: bigint },
  lowered = used,
): Pair {
  const found = used > limit ? lowered : used;
  return atMost(id, found > limit ? BigInt(limit) + lateCharges.priceMillicents : limit, found);
}
