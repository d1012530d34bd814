import { type ImpressionRecord, newId } from "@diegetic/contracts";
import { type Database, dateOfDay, utcDay } from "@diegetic/database";
import type { MoneyCommands, RedisConnection } from "@diegetic/hot-state";
import { openWallet } from "@diegetic/testing/open-wallet";
import { SeededRandom } from "../../../packages/ad-rules/bench/random.ts";

const ADVERTISERS = 300;
const CAMPAIGNS_PER_ADVERTISER = 3;
const CREATIVES_PER_CAMPAIGN = 3;
const AFFINITIES_PER_CAMPAIGN = 4;
const GAMES = 150;
const DEVELOPERS = 50;
const PLAYERS = 30_000;
const COUNTRIES = 60;
const DEPOSIT_MILLICENTS = 1_000_000_000_000;
const BUDGET_CENTS = 1_000_000_000;
const ROWS_PER_INSERT = 1_000;

interface Campaign {
  campaignId: string;
  advertiserId: string;
  creativeIds: string[];
  affinityIds: string[];
  priceMillicents: number;
}

interface Game {
  gameId: string;
  accountId: string;
  basisPoints: number;
}

interface Player {
  userHash: string;
  game: Game;
  countryCode: string | null;
}

/**
 * 300 advertisers with 900 campaigns, 150 games, 30 000 players. Campaigns, games, players and countries follow Zipf's
 * law: a few are seen all the time, most rarely.
 */
export class Market {
  readonly campaigns: Campaign[] = [];
  readonly #players: Player[] = [];
  readonly #random = new SeededRandom(7);

  constructor() {
    const random = this.#random;
    const countries = Array.from({ length: COUNTRIES }, (_, n) =>
      String.fromCharCode(65 + (n % 26), 65 + Math.floor(n / 26)),
    );
    const developers = Array.from({ length: DEVELOPERS }, () => newId("acct"));
    const games = Array.from({ length: GAMES }, (_, n) => ({
      gameId: `game-${n}`,
      accountId: developers[n % DEVELOPERS] ?? "",
      basisPoints: random.whole(50, 90) * 100,
    }));
    for (let n = 0; n < PLAYERS; n += 1) {
      this.#players.push({
        userHash: hexadecimal(random, 22),
        game: random.zipf(games),
        countryCode: random.chance(0.05) ? null : random.zipf(countries),
      });
    }
    for (let n = 0; n < ADVERTISERS; n += 1) {
      const advertiserId = newId("adv");
      for (let m = 0; m < CAMPAIGNS_PER_ADVERTISER; m += 1) {
        this.campaigns.push({
          campaignId: newId("camp"),
          advertiserId,
          creativeIds: Array.from({ length: CREATIVES_PER_CAMPAIGN }, () => newId("crt")),
          affinityIds: Array.from({ length: AFFINITIES_PER_CAMPAIGN }, () => newId("aff")),
          priceMillicents: random.whole(100, 2_000),
        });
      }
    }
  }

  advertiserIds(): string[] {
    return [...new Set(this.campaigns.map(({ advertiserId }) => advertiserId))];
  }

  /** Writes the rows of advertisers, campaigns, creatives and affinities. */
  async writeTo(database: Database): Promise<void> {
    const advertiserIds = this.advertiserIds();
    const accountOf = (advertiserId: string) => advertiserId.replace("adv_", "acct_");
    await database.account.createMany({
      data: advertiserIds.map((id) => ({ id: accountOf(id), label: "advertiser" })),
    });
    await database.advertiser.createMany({
      data: advertiserIds.map((id) => ({
        id,
        accountId: accountOf(id),
        companyName: "Benchmark",
        contactEmail: `${id}@example.com`,
        contactEmailLower: `${id}@example.com`,
        depositedMillicents: BigInt(DEPOSIT_MILLICENTS),
      })),
    });
    await this.#writeDeposits(
      database,
      advertiserIds.map((id) => ({ id, accountId: accountOf(id) })),
    );
    await database.campaign.createMany({
      data: this.campaigns.map(({ campaignId, advertiserId, priceMillicents }) => ({
        id: campaignId,
        advertiserId,
        name: "Benchmark",
        budgetCents: BUDGET_CENTS,
        cpmBidCents: priceMillicents,
      })),
    });
    const creatives = this.campaigns.flatMap(({ campaignId, creativeIds }) =>
      creativeIds.map((id) => ({ id, campaignId, creativeType: "product_mention" as const, brandName: "b" })),
    );
    const affinities = this.campaigns.flatMap(({ campaignId, affinityIds }) =>
      affinityIds.map((id) => ({ id, campaignId, affinityType: "mood" as const, affinityValue: "tense" })),
    );
    for (const data of pagesOf(creatives)) await database.creative.createMany({ data });
    for (const data of pagesOf(affinities)) await database.affinity.createMany({ data });
  }

  /** Writes deposits like management, so that reconciliation finds no difference. */
  async #writeDeposits(database: Database, advertisers: { id: string; accountId: string }[]): Promise<void> {
    const depositOf = (id: string) => id.replace("adv_", "dep_");
    await database.deposit.createMany({
      data: advertisers.map(({ id }) => ({
        id: depositOf(id),
        advertiserId: id,
        amountCents: DEPOSIT_MILLICENTS / 1_000,
      })),
    });
    await database.ledgerEntry.createMany({
      data: advertisers.map(({ id, accountId }) => ({
        entryGroupId: depositOf(id),
        kind: "deposit" as const,
        day: dateOfDay(utcDay(Date.now())),
        accountId,
        advertiserId: id,
        amountMicrocents: BigInt(DEPOSIT_MILLICENTS) * 1_000n,
      })),
    });
  }

  /** Opens the advertisers' wallets, so that reconciliation finds them. */
  async openWallets(money: MoneyCommands): Promise<void> {
    for (const advertiserId of this.advertiserIds()) {
      await openWallet(money, { advertiserId, version: 1, depositedMillicents: DEPOSIT_MILLICENTS });
    }
  }

  /** Committed impressions as in an outbox, in the order of their commits. */
  impressions(count: number): ImpressionRecord[] {
    const nowMs = Date.now();
    return Array.from({ length: count }, () => this.#impression(nowMs));
  }

  #impression(nowMs: number): ImpressionRecord {
    const random = this.#random;
    const player = random.zipf(this.#players);
    const campaign = random.zipf(this.campaigns);
    const affinities = campaign.affinityIds
      .filter(() => random.chance(0.4))
      .map((affinity_id) => ({ affinity_id, contribution: random.whole(1, 30) / 10 }));
    return {
      impression_id: newId("imp", nowMs),
      creative_id: random.zipf(campaign.creativeIds),
      recorded_at_ms: nowMs,
      recovery_epoch: 0,
      match: {
        match_id: newId("mat", nowMs),
        advertiser_id: campaign.advertiserId,
        campaign_id: campaign.campaignId,
        campaign_version: 1,
        game_id: player.game.gameId,
        developer_account_id: player.game.accountId,
        user_hash: player.userHash,
        session_key: player.userHash,
        country_code: player.countryCode,
        affinity_score: affinities.reduce((sum, { contribution }) => sum + contribution, 0),
        affinities,
        price_millicents: campaign.priceMillicents,
        revenue_share_basis_points: player.game.basisPoints,
        matched_at_ms: nowMs - 3_000,
      },
    };
  }
}

/** Writes records where `commit` leaves them, without a match for each. */
export async function fillOutboxes(
  redis: RedisConnection,
  records: readonly ImpressionRecord[],
): Promise<void> {
  const fields = new Map<string, Record<string, string>>();
  for (const record of records) {
    const outbox = `{${record.match.advertiser_id}}:outbox`;
    const entries = fields.get(outbox) ?? {};
    entries[record.impression_id] = JSON.stringify(record);
    fields.set(outbox, entries);
  }
  for (const [outbox, entries] of fields) await redis.hset(outbox, entries);
}

function* pagesOf<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    yield rows.slice(start, start + ROWS_PER_INSERT);
  }
}

function hexadecimal(random: SeededRandom, digits: number): string {
  let text = "";
  while (text.length < digits)
    text += random
      .whole(0, 2 ** 31)
      .toString(16)
      .padStart(8, "0");
  return text.slice(0, digits);
}
