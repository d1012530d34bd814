import type { ImpressionRecord } from "@diegetic/contracts";
import { type Database, utcDay } from "@diegetic/database";
import { expect } from "@jest/globals";
import { billImpression } from "../write/billed-impression.ts";
import { type Market, pick, readSums, type TestCampaign } from "./market.fixture.ts";

/** Which users a campaign reached, by dimension and member, counted one record at a time. */
function expectedUsers(records: ImpressionRecord[], campaignId: string): Map<string, number> {
  const users = new Map<string, Set<string>>();
  for (const record of records.filter(({ match }) => match.campaign_id === campaignId)) {
    for (const member of [
      "total:",
      `day:${utcDay(record.recorded_at_ms)}`,
      `creative:${record.creative_id}`,
      `country:${record.match.country_code ?? ""}`,
    ]) {
      users.set(member, (users.get(member) ?? new Set()).add(record.match.user_hash));
    }
  }
  return new Map([...users].map(([member, reached]) => [member, reached.size]));
}

async function expectCampaign(
  database: Database,
  market: Market,
  index: number,
  records: ImpressionRecord[],
): Promise<void> {
  const { campaignId } = pick(market.campaigns, index);
  const own = records.filter(({ match }) => match.campaign_id === campaignId);
  const sums = await readSums(database, campaignId);
  expect(new Set(Object.values(sums.impressions))).toEqual(new Set([own.length]));
  const spent = own.reduce((sum, { match }) => sum + match.price_millicents, 0);
  expect(new Set(Object.values(sums.spentMillicents))).toEqual(new Set([spent]));
  const earned = own.reduce(
    (sum, record) => sum + billImpression(record, record.recorded_at_ms).earningMicrocents,
    0n,
  );
  expect(sums.earningMicrocents).toEqual({ rows: earned, games: earned });
  expect(sums.ledgerBalance).toBe(0n);

  await expectRollups(database, campaignId, own);
  await expectAffinities(database, pick(market.campaigns, index), own);
}

async function expectRollups(database: Database, campaignId: string, own: ImpressionRecord[]): Promise<void> {
  const campaign = await database.campaign.findUniqueOrThrow({ where: { id: campaignId } });
  const days = await database.campaignRollup.findMany({ where: { campaignId } });
  const creatives = await database.creative.findMany({ where: { campaignId, impressions: { gt: 0 } } });
  const countries = await database.campaignCountry.findMany({ where: { campaignId } });
  const games = await database.campaignGame.findMany({ where: { campaignId } });
  const rows = [
    ...days.map((row) => ({ ...row, dimension: "day", dimensionKey: row.day.toISOString().slice(0, 10) })),
    ...creatives.map((row) => ({
      ...row,
      dimension: "creative",
      dimensionKey: row.id,
      users: row.uniqueUsers,
    })),
    ...countries.map((row) => ({
      ...row,
      dimension: "country",
      dimensionKey: row.countryCode,
      affinityScoreSum: null,
    })),
  ];
  const counted = rows.map(
    ({ dimension, dimensionKey, users }) => [`${dimension}:${dimensionKey}`, Number(users)] as const,
  );
  if (campaign.uniqueUsers > 0n) counted.push(["total:", Number(campaign.uniqueUsers)]);
  expect(new Map(counted)).toEqual(expectedUsers(own, campaignId));
  const memberOf: Record<string, (record: ImpressionRecord) => string> = {
    day: (record) => utcDay(record.recorded_at_ms),
    creative: (record) => record.creative_id,
    country: (record) => record.match.country_code ?? "",
  };
  const gameOf = (record: ImpressionRecord) => record.match.game_id;
  expect(games).toHaveLength(new Set(own.map(gameOf)).size);
  for (const { gameId, impressions } of games) {
    expect(Number(impressions)).toBe(own.filter((record) => gameOf(record) === gameId).length);
  }
  for (const [dimension, of] of Object.entries(memberOf)) {
    expect(rows.filter((row) => row.dimension === dimension)).toHaveLength(new Set(own.map(of)).size);
  }
  for (const row of rows) {
    const members = own.filter((record) => memberOf[row.dimension]?.(record) === row.dimensionKey);
    expect(Number(row.impressions)).toBe(members.length);
    expect(Number(row.spentMillicents)).toBe(
      members.reduce((sum, { match }) => sum + match.price_millicents, 0),
    );
    if (row.affinityScoreSum === null) continue;
    const score = members.reduce((sum, { match }) => sum + match.affinity_score, 0);
    expect(Math.abs(Number(row.affinityScoreSum) - score)).toBeLessThan(1e-6 * members.length);
  }
}

async function expectAffinities(
  database: Database,
  campaign: TestCampaign,
  own: ImpressionRecord[],
): Promise<void> {
  const { campaignId, affinityIds } = campaign;
  const versions = await database.campaignVersionRollup.findMany({ where: { campaignId } });
  const expected = new Map<number, number>();
  for (const { match } of own) {
    expected.set(match.campaign_version, (expected.get(match.campaign_version) ?? 0) + 1);
  }
  expect(new Map(versions.map((row) => [row.campaignVersion, Number(row.impressions)]))).toEqual(expected);
  for (const affinityId of affinityIds) {
    const affinity = await database.affinity.findUniqueOrThrow({ where: { id: affinityId } });
    const contributions = own.map(({ match }) =>
      match.affinities
        .filter((entry) => entry.affinity_id === affinityId)
        .reduce((sum, { contribution }) => sum + contribution, 0),
    );
    expect(Number(affinity.impressions)).toBe(
      contributions.filter((contribution) => contribution > 0).length,
    );
    expect(Number(affinity.contributionSum)).toBeCloseTo(
      contributions.reduce((sum, contribution) => sum + contribution, 0),
      6,
    );
  }
}

/** Everything that is counted is what a naive count of the records, one at a time, comes to. */
export async function expectTotals(
  database: Database,
  market: Market,
  records: ImpressionRecord[],
): Promise<void> {
  for (let i = 0; i < market.campaigns.length; i++) await expectCampaign(database, market, i, records);
  for (const advertiserId of new Set(market.campaigns.map((campaign) => campaign.advertiserId))) {
    const own = records.filter(({ match }) => match.advertiser_id === advertiserId);
    const advertiser = await database.advertiser.findUniqueOrThrow({ where: { id: advertiserId } });
    expect(Number(advertiser.impressions)).toBe(own.length);
    expect(Number(advertiser.spentMillicents)).toBe(
      own.reduce((sum, { match }) => sum + match.price_millicents, 0),
    );
  }
  for (const { gameId, accountId } of market.games) {
    const own = records.filter(({ match }) => match.game_id === gameId);
    const earned = own.reduce(
      (sum, record) => sum + billImpression(record, record.recorded_at_ms).earningMicrocents,
      0n,
    );
    const wanted = {
      where: { gameId, accountId },
      _sum: { impressions: true, earningMicrocents: true },
    } as const;
    const byAdvertiser = new Map<string, { impressions: bigint; earningMicrocents: bigint }>();
    for (const record of own) {
      const { day, earningMicrocents } = billImpression(record, record.recorded_at_ms);
      const key = `${day} ${record.match.advertiser_id}`;
      const sum = byAdvertiser.get(key);
      byAdvertiser.set(key, {
        impressions: (sum?.impressions ?? 0n) + 1n,
        earningMicrocents: (sum?.earningMicrocents ?? 0n) + earningMicrocents,
      });
    }
    const rollups = await database.gameAdvertiserRollup.findMany({ where: { gameId, accountId } });
    expect(
      new Map(
        rollups.map(({ day, advertiserId, impressions, earningMicrocents }) => [
          `${day.toISOString().slice(0, 10)} ${advertiserId}`,
          { impressions, earningMicrocents },
        ]),
      ),
    ).toEqual(byAdvertiser);
    for (const { _sum: sums } of [
      await database.gameRollup.aggregate(wanted),
      await database.campaignGame.aggregate(wanted),
      await database.gameTotal.aggregate(wanted),
    ]) {
      expect(Number(sums.impressions ?? 0n)).toBe(own.length);
      expect(sums.earningMicrocents ?? 0n).toBe(earned);
    }
    const ledger = await database.ledgerEntry.aggregate({
      where: { gameId, accountId, kind: "earning" },
      _sum: { impressions: true, amountMicrocents: true },
    });
    expect(ledger._sum.impressions ?? 0).toBe(own.length);
    expect(ledger._sum.amountMicrocents ?? 0n).toBe(earned);
  }
}
