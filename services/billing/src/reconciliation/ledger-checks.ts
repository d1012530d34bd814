import type { Database, Transaction } from "@diegetic/database";
import { advertiserPages, pageAfter, pagesOf } from "../loops/pages.ts";
import { atOneMoment } from "./balances.ts";
import {
  type Check,
  equal,
  type Inspection,
  idsOf,
  moneyCheck,
  type PairsOf,
  pageInspection,
  readingOf,
} from "./comparison.ts";

const ADVERTISERS_PER_PAGE = 50;
const ACCOUNTS_PER_PAGE = 200;
const MICROCENTS_PER_MILLICENT = 1_000n;

interface EntrySums {
  chargeMicrocents: bigint;
  feeMicrocents: bigint;
  chargedImpressions: bigint;
}

const NO_ENTRIES: EntrySums = { chargeMicrocents: 0n, feeMicrocents: 0n, chargedImpressions: 0n };

interface CampaignTotals {
  id: string;
  advertiserId: string;
  spentMillicents: bigint;
  impressions: bigint;
  gameEarnings: bigint;
}

/** The ledger of an advertiser and the totals that it must agree with, all read at one moment. */
interface AdvertiserLedger {
  id: string;
  depositRowsMillicents: bigint;
  depositMicrocents: bigint;
  campaigns: (CampaignTotals & EntrySums)[];
}

const LEDGER_CHECKS: readonly Check<PairsOf<AdvertiserLedger>>[] = [
  moneyCheck("deposit_ledger", "Deposits, microcents: rows = ledger", (a) =>
    equal(a.id, a.depositRowsMillicents * MICROCENTS_PER_MILLICENT, a.depositMicrocents),
  ),
  moneyCheck("ledger_charges", "Charges, microcents: ledger = campaign", ({ campaigns }) =>
    campaigns.map((c) => equal(c.id, c.spentMillicents * MICROCENTS_PER_MILLICENT, -c.chargeMicrocents)),
  ),
  moneyCheck("ledger_impressions", "Impressions: ledger = campaign", ({ campaigns }) =>
    campaigns.map((c) => equal(c.id, c.impressions, c.chargedImpressions)),
  ),
  moneyCheck(
    "ledger_balance",
    "Charge + fee + what games earned = 0, microcents, per campaign",
    ({ campaigns }) =>
      campaigns.map((c) => equal(c.id, 0, c.chargeMicrocents + c.feeMicrocents + c.gameEarnings)),
  ),
];

/**
 * Compares the ledger of every advertiser, page by page. Apart from its other balances: reading many entries may take too long,
 * and then only these checks are left out.
 */
export async function* ledgerInspections(database: Database, timeoutMs: number): AsyncGenerator<Inspection> {
  for await (const page of advertiserPages(database, ADVERTISERS_PER_PAGE)) {
    yield pageInspection(idsOf(page), async (ids) => {
      const ledgers = await atOneMoment(database, timeoutMs, (transaction) => readLedgers(transaction, ids));
      return readingOf(LEDGER_CHECKS, ledgers);
    });
  }
}

/** The ledgers of one page of advertisers. */
async function readLedgers(
  transaction: Transaction,
  advertiserIds: readonly string[],
): Promise<AdvertiserLedger[]> {
  const ids = [...advertiserIds];
  const advertisers = await transaction.$queryRaw<{ id: string; depositRowsMillicents: bigint }[]>`
    SELECT id, (SELECT COALESCE(sum(amount_cents), 0)::bigint * 1000 FROM deposits
      WHERE advertiser_id = a.id) AS "depositRowsMillicents"
    FROM advertisers a WHERE id = ANY(${ids}) ORDER BY id`;
  const campaigns = await transaction.$queryRaw<CampaignTotals[]>`
    SELECT id, advertiser_id AS "advertiserId", spent_millicents AS "spentMillicents", impressions,
      (SELECT COALESCE(sum(earning_microcents), 0)::bigint FROM campaign_games
        WHERE campaign_id = c.id AND advertiser_id = c.advertiser_id) AS "gameEarnings"
    FROM campaigns c WHERE advertiser_id = ANY(${ids}) ORDER BY id`;
  const entries = await sumEntries(transaction, ids);
  return advertisers.map((row) => ({
    ...row,
    depositMicrocents: entries.deposits.get(row.id) ?? 0n,
    campaigns: campaigns
      .filter(({ advertiserId }) => advertiserId === row.id)
      .map((campaign) => ({ ...campaign, ...(entries.campaigns.get(campaign.id) ?? NO_ENTRIES) })),
  }));
}

async function sumEntries(transaction: Transaction, ids: string[]) {
  const rows = await transaction.$queryRaw<
    ({ advertiser_id: string; campaign_id: string | null; deposits: bigint } & EntrySums)[]
  >`
    SELECT advertiser_id, campaign_id,
      COALESCE(sum(amount_microcents) FILTER (WHERE kind = 'deposit'), 0)::bigint AS deposits,
      COALESCE(sum(amount_microcents) FILTER (WHERE kind = 'charge'), 0)::bigint AS "chargeMicrocents",
      COALESCE(sum(amount_microcents) FILTER (WHERE kind = 'fee'), 0)::bigint AS "feeMicrocents",
      COALESCE(sum(impressions) FILTER (WHERE kind = 'charge'), 0)::bigint AS "chargedImpressions"
    FROM ledger_entries WHERE advertiser_id = ANY(${ids}) GROUP BY advertiser_id, campaign_id`;
  const deposits = new Map<string, bigint>();
  const campaigns = new Map<string, EntrySums>();
  for (const { advertiser_id, campaign_id, deposits: deposited, ...balances } of rows) {
    if (campaign_id === null) deposits.set(advertiser_id, deposited);
    else campaigns.set(campaign_id, balances);
  }
  return { deposits, campaigns };
}

interface Earnings {
  id: string;
  gameImpressions: bigint;
  gameEarnings: string;
  ledgerImpressions: bigint;
  ledgerEarnings: string;
}

const DEVELOPER_CHECKS: readonly Check<PairsOf<Earnings>>[] = [
  moneyCheck("earnings", "Earnings, microcents: games = ledger, per developer", (e) =>
    equal(e.id, BigInt(e.ledgerEarnings), BigInt(e.gameEarnings)),
  ),
  moneyCheck("game_impressions", "Impressions: games = ledger, per developer", (e) =>
    equal(e.id, e.ledgerImpressions, e.gameImpressions),
  ),
];

/** Compares every account's earnings with its ledger entries, page by page. */
export async function* developerInspections(database: Database): AsyncGenerator<Inspection> {
  const read = (after: string) =>
    database.account.findMany({ ...pageAfter(after, ACCOUNTS_PER_PAGE), select: { id: true } });
  for await (const page of pagesOf(read)) {
    yield pageInspection(idsOf(page), async (ids) =>
      readingOf(DEVELOPER_CHECKS, await readEarnings(database, [...ids])),
    );
  }
}

function readEarnings(database: Database, ids: string[]): Promise<Earnings[]> {
  return database.$queryRaw<Earnings[]>`
    SELECT wanted.id, COALESCE(g.impressions, 0)::bigint AS "gameImpressions",
      COALESCE(g.earnings, 0)::text AS "gameEarnings", COALESCE(l.impressions, 0)::bigint AS "ledgerImpressions",
      COALESCE(l.earnings, 0)::text AS "ledgerEarnings"
    FROM unnest(${ids}::text[]) AS wanted(id)
    LEFT JOIN (
      SELECT account_id, sum(impressions) AS impressions, sum(earning_microcents) AS earnings
      FROM game_rollups WHERE account_id = ANY(${ids}) GROUP BY account_id) g ON g.account_id = wanted.id
    LEFT JOIN (
      SELECT account_id, sum(impressions) AS impressions, sum(amount_microcents) AS earnings
      FROM ledger_entries WHERE account_id = ANY(${ids}) AND kind = 'earning' GROUP BY account_id) l
      ON l.account_id = wanted.id
    WHERE g.account_id IS NOT NULL OR l.account_id IS NOT NULL`;
}
