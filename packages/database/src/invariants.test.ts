import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { createDatabase, type Database } from "./database.ts";
import { dateOfDay, ensureImpressionPartition } from "./days.ts";
import { ConstraintViolation } from "./errors.ts";

let server: TestDatabase;
let database: Database;
let sequence = 0;

beforeAll(async () => {
  server = await createTestDatabase();
  database = createDatabase(server.url);
});
afterAll(async () => {
  await database.$disconnect();
  await server.drop();
});

const names = { account: "", advertiser: "", campaign: "" };

/** Every test has its own rows, so that no test has to clean up. */
beforeEach(async () => {
  sequence += 1;
  Object.assign(names, {
    account: `acct_${sequence}`,
    advertiser: `adv_${sequence}`,
    campaign: `camp_${sequence}`,
  });
  await database.account.create({ data: { id: names.account, label: "test" } });
  await database.advertiser.create({
    data: {
      id: names.advertiser,
      accountId: names.account,
      companyName: "Acme",
      contactEmail: `a${sequence}@example.com`,
      contactEmailLower: `a${sequence}@example.com`,
      depositedMillicents: 1_000n,
    },
  });
  await database.campaign.create({
    data: {
      id: names.campaign,
      advertiserId: names.advertiser,
      name: "c",
      budgetCents: 1,
      cpmBidCents: 100,
    },
  });
});

/** The constraint that rejects setting one column of this test's row. */
async function refusal(table: string, column: string, value: string): Promise<string | null | undefined> {
  const keys: Record<string, string> = {
    advertisers: names.advertiser,
    campaigns: names.campaign,
    creatives: `crt_${sequence}`,
    geo_targets: `geo_${sequence}`,
    affinities: `aff_${sequence}`,
    api_keys: `key_${sequence}`,
    placements: `game_${sequence}`,
    deposits: `dep_${sequence}`,
  };
  const key = table === "placements" ? "game_id" : "id";
  const statement = `UPDATE ${table} SET ${column} = ${value} WHERE ${key} = '${keys[table]}'`;
  try {
    const changed = await database.$executeRawUnsafe(statement);
    if (changed !== 1) throw new Error(`${statement} changed ${changed} rows`);
    return undefined;
  } catch (error) {
    if (error instanceof ConstraintViolation) return error.constraint;
    throw error;
  }
}

async function createDetails(): Promise<void> {
  const campaignId = names.campaign;
  await database.creative.create({
    data: {
      id: `crt_${sequence}`,
      campaignId,
      creativeType: "narrative_hook",
      brandName: "b",
      narrativeHook: "h",
    },
  });
  await database.geoTarget.create({
    data: { id: `geo_${sequence}`, campaignId, targetType: "radius", lat: 1, lng: 2, radiusKm: 3 },
  });
  await database.affinity.create({
    data: { id: `aff_${sequence}`, campaignId, affinityType: "mood", affinityValue: "calm" },
  });
  await database.apiKey.create({
    data: {
      id: `key_${sequence}`,
      accountId: names.account,
      sha256: sequence.toString(16).padStart(64, "0"),
      prefix: "igk_",
      label: "k",
      scopes: ["serving"],
    },
  });
  await database.placement.create({
    data: {
      gameId: `game_${sequence}`,
      accountId: names.account,
      creatorId: "u",
      placementTypes: ["narrative_hook"],
    },
  });
  await database.deposit.create({
    data: { id: `dep_${sequence}`, advertiserId: names.advertiser, amountCents: 1 },
  });
}

describe("CHECK constraints", () => {
  it.each([
    ["advertisers", "spent_millicents", "1001", "advertisers_money_check"],
    ["advertisers", "spent_millicents", "-1", "advertisers_money_check"],
    ["advertisers", "deposited_millicents", "9007199254740992", "advertisers_deposited_check"],
    ["advertisers", "impressions", "-1", "advertisers_impressions_check"],
    ["advertisers", "published_version", "2", "advertisers_published_version_check"],
    ["campaigns", "spent_millicents", "1001", "campaigns_money_check"],
    ["campaigns", "spent_millicents", "-1", "campaigns_money_check"],
    ["campaigns", "budget_cents", "1000000001", "campaigns_budget_check"],
    ["campaigns", "daily_cap_cents", "0", "campaigns_daily_cap_check"],
    ["campaigns", "cpm_bid_cents", "99", "campaigns_bid_check"],
    ["campaigns", "cpm_bid_cents", "10001", "campaigns_bid_check"],
    ["campaigns", "priority", "11", "campaigns_priority_check"],
    ["campaigns", "impressions", "-1", "campaigns_impressions_check"],
    ["campaigns", "published_version", "2", "campaigns_published_version_check"],
    ["creatives", "max_uses_per_game", "21", "creatives_max_uses_check"],
    ["creatives", "narrative_hook", "NULL", "creatives_hook_check"],
    ["creatives", "impressions", "-1", "creatives_impressions_check"],
    ["geo_targets", "country_code", "'de'", "geo_targets_country_check"],
    ["geo_targets", "lat", "91", "geo_targets_position_check"],
    ["geo_targets", "radius_km", "0", "geo_targets_radius_check"],
    ["geo_targets", "radius_km", "NULL", "geo_targets_fields_check"],
    ["affinities", "weight", "3.01", "affinities_weight_check"],
    ["affinities", "since_version", "-1", "affinities_since_version_check"],
    ["affinities", "impressions", "-1", "affinities_rollup_check"],
    ["affinities", "contribution_sum", "-1", "affinities_rollup_check"],
    ["api_keys", "sha256", "'ABC'", "api_keys_sha256_check"],
    ["api_keys", "scopes", "'{}'", "api_keys_scopes_check"],
    ["api_keys", "rate_limit_per_minute", "0", "api_keys_rate_limit_check"],
    ["api_keys", "published_version", "2", "api_keys_published_version_check"],
    ["placements", "placement_types", "'{}'", "placements_types_check"],
    ["placements", "revenue_share_basis_points", "10001", "placements_share_check"],
    ["placements", "max_ads_per_session", "51", "placements_max_ads_check"],
    ["placements", "published_version", "2", "placements_published_version_check"],
    ["deposits", "amount_cents", "0", "deposits_amount_check"],
  ])("%s.%s = %s is refused", async (table, column, value, constraint) => {
    await createDetails();
    expect(await refusal(table, column, value)).toBe(constraint);
  });

  it("accept allowed values", async () => {
    await createDetails();
    expect(await refusal("advertisers", "spent_millicents", "1000")).toBeUndefined();
    expect(await refusal("campaigns", "spent_millicents", "1000")).toBeUndefined();
    expect(await refusal("affinities", "weight", "0.1")).toBeUndefined();
    expect(await refusal("affinities", "weight", "3")).toBeUndefined();
  });
});

describe("impressions", () => {
  const insert = (
    impressionId: string,
    day: string,
    changes: { earning?: bigint; recordedAt?: string } = {},
  ) =>
    database.impression.create({
      data: {
        day: dateOfDay(day),
        impressionId,
        matchId: "mat_1",
        advertiserId: names.advertiser,
        campaignId: names.campaign,
        campaignVersion: 1,
        creativeId: "crt_1",
        gameId: "g",
        developerAccountId: names.account,
        userHash: "u",
        sessionKey: "s",
        affinityScore: "0.5",
        affinities: [],
        priceMillicents: 250n,
        revenueShareBasisPoints: 7_000,
        earningMicrocents: changes.earning ?? 175_000n,
        matchedAt: new Date(`${day}T12:00:00Z`),
        recordedAt: new Date(changes.recordedAt ?? `${day}T23:59:59.999Z`),
      },
    });

  it("need the partition of their day, which concurrent callers may create", async () => {
    await expect(insert("imp_1", "2031-01-01")).rejects.toThrow(ConstraintViolation);
    const made = await Promise.all([1, 2, 3, 4].map(() => ensureImpressionPartition(database, "2031-01-01")));
    expect(made).toEqual([true, true, true, true]);
    await insert("imp_1", "2031-01-01");
    await expect(insert("imp_2", "2031-01-01", { recordedAt: "2031-01-02T00:00:00Z" })).rejects.toMatchObject(
      {
        constraint: "impressions_day_check",
      },
    );
    await expect(insert("imp_2", "2031-01-01", { earning: 250_001n })).rejects.toMatchObject({
      constraint: "impressions_earning_check",
    });
  });

  it("create partitions without waiting for writers of other days", async () => {
    await ensureImpressionPartition(database, "2031-02-01");
    await database.$transaction(async (writer) => {
      await writer.$executeRaw`INSERT INTO impressions SELECT '2031-02-01', 'imp_x', match_id, advertiser_id, campaign_id,
        creative_id, game_id, developer_account_id, user_hash, session_key, country_code, affinity_score, affinities,
        price_millicents, revenue_share_basis_points, earning_microcents, matched_at, '2031-02-01T00:00:00Z',
        written_at, campaign_version
        FROM impressions WHERE impression_id = 'imp_1'`;
      expect(await ensureImpressionPartition(database, "2031-02-02")).toBe(true);
    });
  });
});

describe("ledger", () => {
  const entry = (kind: "deposit" | "charge" | "earning" | "fee", amountMicrocents: bigint) => ({
    entryGroupId: `posting_${sequence}`,
    kind,
    day: dateOfDay("2026-11-21"),
    accountId: kind === "fee" ? null : names.account,
    advertiserId: names.advertiser,
    campaignId: kind === "deposit" ? null : names.campaign,
    gameId: kind === "deposit" ? null : "g",
    impressions: kind === "deposit" ? 0 : 1,
    amountMicrocents,
  });

  it("is append-only", async () => {
    await database.ledgerEntry.createMany({ data: [entry("deposit", 5n)] });
    for (const statement of [
      "UPDATE ledger_entries SET day = day",
      "DELETE FROM ledger_entries",
      "TRUNCATE ledger_entries",
    ]) {
      await expect(database.$executeRawUnsafe(statement)).rejects.toThrow(/append-only/);
    }
  });

  it("accepts only entries that sum to zero", async () => {
    const balanced = [entry("charge", -250n), entry("earning", 175n), entry("fee", 75n)];
    await database.ledgerEntry.createMany({ data: balanced });
    await expect(
      database.ledgerEntry.createMany({
        data: [entry("charge", -250n), entry("earning", 175n), entry("fee", 74n)],
      }),
    ).rejects.toThrow(/does not sum to zero/);
  });

  it("refuses a sign or a subject that does not belong to the kind", async () => {
    const refused = (data: ReturnType<typeof entry>) => expect(database.ledgerEntry.create({ data })).rejects;
    await refused(entry("deposit", 0n)).toMatchObject({ constraint: "ledger_entries_amount_check" });
    await refused({ ...entry("charge", 1n) }).toMatchObject({ constraint: "ledger_entries_amount_check" });
    await refused({ ...entry("deposit", 1n), gameId: "g" }).toMatchObject({
      constraint: "ledger_entries_subject_check",
    });
    await refused({ ...entry("fee", 0n), accountId: names.account }).toMatchObject({
      constraint: "ledger_entries_account_check",
    });
  });
});
