import type { DepositOperation, History } from "../history.ts";
import type { World } from "../topology/world.ts";
import type { Samples } from "../workload/sampler.ts";
import { readWallets } from "../workload/slices.ts";
import type { Market } from "../workload/traders.ts";
import type { Aftermath } from "./aftermath.ts";
import { type Check, CheckBuilder } from "./report.ts";

/** All totals of one advertiser, as text: money in millicents unless the name says otherwise. */
const TOTALS = `
  SELECT a.id, a.deposited_millicents::text AS deposited, a.spent_millicents::text AS spent, a.impressions::text,
    (SELECT coalesce(sum(amount_cents::bigint), 0) * 1000 FROM deposits WHERE advertiser_id = a.id)::text AS deposits,
    (SELECT coalesce(sum(amount_microcents), 0) FROM ledger_entries
      WHERE advertiser_id = a.id AND kind = 'deposit')::text AS ledger_deposits_microcents,
    (SELECT coalesce(-sum(amount_microcents), 0) FROM ledger_entries
      WHERE advertiser_id = a.id AND kind = 'charge')::text AS ledger_charges_microcents,
    (SELECT coalesce(sum(impressions), 0) FROM ledger_entries
      WHERE advertiser_id = a.id AND kind = 'charge')::text AS ledger_impressions,
    (SELECT count(*) FROM impressions WHERE advertiser_id = a.id)::text AS rows,
    (SELECT coalesce(sum(price_millicents), 0) FROM impressions WHERE advertiser_id = a.id)::text AS row_prices,
    (SELECT coalesce(sum(impressions), 0) FROM campaigns WHERE advertiser_id = a.id)::text AS campaign_impressions,
    (SELECT coalesce(sum(spent_millicents), 0) FROM campaigns WHERE advertiser_id = a.id)::text AS campaign_spent,
    (SELECT coalesce(sum(impressions), 0) FROM campaign_games WHERE advertiser_id = a.id)::text AS game_impressions,
    (SELECT coalesce(sum(impressions), 0) FROM game_advertiser_rollups
      WHERE advertiser_id = a.id)::text AS game_day_impressions
  FROM advertisers a ORDER BY a.id`;

const CAMPAIGNS = `
  SELECT c.id, c.advertiser_id, c.spent_millicents::text AS spent, c.impressions::text, c.budget_cents::text,
    coalesce(r.impressions, 0)::text AS rows, coalesce(r.spent, 0)::text AS row_prices,
    (SELECT coalesce(sum(impressions), 0) FROM campaign_rollups WHERE campaign_id = c.id)::text AS rollup_impressions,
    (SELECT coalesce(sum(spent_millicents), 0) FROM campaign_rollups WHERE campaign_id = c.id)::text AS rollup_spent,
    (SELECT coalesce(sum(impressions), 0) FROM creatives WHERE campaign_id = c.id)::text AS creative_impressions,
    (SELECT coalesce(-sum(amount_microcents), 0) FROM ledger_entries
      WHERE campaign_id = c.id AND kind IN ('charge', 'fee'))::text AS ledger_earned,
    (SELECT coalesce(sum(earning_microcents), 0) FROM campaign_games WHERE campaign_id = c.id)::text AS game_earned,
    coalesce(r.earned, 0)::text AS row_earned,
    (SELECT coalesce(sum(impressions), 0) FROM campaign_version_rollups
      WHERE campaign_id = c.id)::text AS version_impressions,
    c.unique_users::text AS counted_users,
    coalesce(r.users, 0)::text AS users
  FROM campaigns c LEFT JOIN (SELECT campaign_id, count(*) AS impressions, sum(price_millicents) AS spent,
    sum(earning_microcents) AS earned, count(DISTINCT user_hash) AS users FROM impressions GROUP BY campaign_id) r ON r.campaign_id = c.id
  ORDER BY c.id`;

const UNBALANCED_ENTRY_GROUPS = `
  SELECT entry_group_id, sum(amount_microcents)::text AS sum FROM ledger_entries WHERE kind <> 'deposit'
  GROUP BY entry_group_id HAVING sum(amount_microcents) <> 0`;

/** Charge = earning + fee, of the impressions and of the ledger, in microcents. */
const EARNINGS = `
  SELECT (SELECT coalesce(sum(earning_microcents), 0) FROM impressions)::text AS rows,
    (SELECT coalesce(sum(earning_microcents), 0) FROM game_rollups)::text AS rollups,
    (SELECT coalesce(sum(amount_microcents), 0) FROM ledger_entries WHERE kind = 'earning')::text AS ledger`;

const OVER_DAILY_CAP = `
  SELECT r.campaign_id, r.day::text, sum(r.spent_millicents)::text AS spent, c.daily_cap_cents
  FROM campaign_rollups r JOIN campaigns c ON c.id = r.campaign_id
  GROUP BY r.campaign_id, r.day, c.daily_cap_cents HAVING sum(r.spent_millicents) > c.daily_cap_cents::bigint * 1000`;

type Row = Record<string, string>;

/** Compares Postgres' totals with each other and with the wallets in Redis (invariants 2, 3, 4 and 7). */
export async function checkReconciliation(parts: {
  world: World;
  market: Market;
  history: History;
  aftermath: Aftermath;
  samples: Pick<Samples, "versions">;
}): Promise<Check[]> {
  const { world, market, history, aftermath, samples } = parts;
  return [
    aftermath.check,
    await checkTotals(world),
    await checkCampaigns(world, aftermath),
    await checkWallets(world, market, aftermath),
    await checkGrants(world),
    await checkSettings(world, samples.versions),
    await checkDeposits(world, history.deposits),
  ];
}

async function checkTotals(world: World): Promise<Check> {
  const check = new CheckBuilder(
    "all sums of an advertiser are equal in Postgres, and its ledger is balanced",
  );
  for (const row of await world.query<Row>(TOTALS)) {
    const equal = (a: string, b: string, factor = 1n) =>
      check.expect(
        BigInt(row[a] ?? -1) === BigInt(row[b] ?? -2) * factor,
        () => `${row.id}: ${a} is ${row[a]}, ${b} is ${row[b]}`,
      );
    equal("deposited", "deposits");
    equal("ledger_deposits_microcents", "deposits", 1_000n);
    equal("spent", "row_prices");
    equal("ledger_charges_microcents", "row_prices", 1_000n);
    equal("campaign_spent", "row_prices");
    for (const count of [
      "impressions",
      "ledger_impressions",
      "campaign_impressions",
      "game_impressions",
      "game_day_impressions",
    ]) {
      equal(count, "rows");
    }
    check.expect(
      BigInt(row.spent ?? 0) <= BigInt(row.deposited ?? 0),
      () => `${row.id}: spent ${row.spent} of ${row.deposited}`,
    );
  }
  for (const { entry_group_id, sum } of await world.query<Row>(UNBALANCED_ENTRY_GROUPS)) {
    check.expect(false, () => `entry group ${entry_group_id} sums up to ${sum}`);
  }
  for (const { rows, rollups, ledger } of await world.query<Row>(EARNINGS)) {
    check.expect(rows === rollups && rows === ledger, () => `earnings: ${rows}, ${rollups}, ${ledger}`);
  }
  return check.end();
}

async function checkCampaigns(world: World, { lateMillicents }: Aftermath): Promise<Check> {
  const check = new CheckBuilder(
    "all sums of a campaign are equal in Postgres, within its budget and daily cap",
  );
  for (const row of await world.query<Row>(CAMPAIGNS)) {
    const equal = (a: string, b: string) =>
      check.expect(row[a] === row[b], () => `${row.id}: ${a} is ${row[a]}, ${b} is ${row[b]}`);
    for (const money of ["spent", "rollup_spent"]) equal(money, "row_prices");
    for (const count of [
      "impressions",
      "rollup_impressions",
      "creative_impressions",
      "version_impressions",
    ]) {
      equal(count, "rows");
    }
    equal("counted_users", "users");
    for (const earned of ["ledger_earned", "game_earned"]) equal(earned, "row_earned");
    check.expect(
      BigInt(row.spent ?? 0) <= BigInt(row.budget_cents ?? 0) * 1_000n,
      () => `${row.id}: spent ${row.spent} millicents of ${row.budget_cents} cents`,
    );
  }
  for (const row of await world.query<Row>(OVER_DAILY_CAP)) {
    const over = Number(row.spent) - Number(row.daily_cap_cents) * 1_000;
    const late = lateMillicents.get(`${row.campaign_id} ${row.day}`) ?? 0;
    check.expect(over <= late, () => `over its daily cap: ${JSON.stringify(row)}, ${late} came late`);
  }
  return check.end();
}

async function checkWallets(world: World, market: Market, { quarantine }: Aftermath): Promise<Check> {
  const check = new CheckBuilder("the wallets in Redis say what Postgres says, and nothing is held or waits");
  const walletIds = await readWalletIds(world);
  const advertisers = await world.query<Row>(TOTALS);
  const campaigns = await world.query<Row>(CAMPAIGNS);
  for (const { id = "", spent, impressions, deposited } of advertisers) {
    const account = await world.money.readAccount(id);
    const found = `${account?.spentMillicents} ${account?.impressions} ${account?.depositedMillicents} ${account?.heldMillicents}`;
    check.expect(
      found === `${spent} ${impressions} ${deposited} 0`,
      () => `${id}: ${found}, not ${spent} ${impressions} ${deposited} 0`,
    );
    for (const walletId of walletIds.get(id) ?? []) {
      for (const waiting of ["holds", "outbox", "giveback"]) {
        const key = `{${walletId}}:${waiting}`;
        const count =
          waiting === "holds" ? await world.directRedis.zcard(key) : await world.directRedis.hlen(key);
        check.expect(count === 0, () => `${key} has ${count}`);
      }
      await checkCharged(world, check, { advertiserId: id, walletId, quarantine });
    }
  }
  for (const { id = "", advertiser_id = "", spent, impressions, budget_cents } of campaigns) {
    const totals = await world.money.readCampaign(advertiser_id, id);
    const found = `${totals?.spentMillicents} ${totals?.impressions} ${totals?.budgetMillicents} ${totals?.heldMillicents}`;
    const wanted = `${spent} ${impressions} ${Number(budget_cents) * 1_000} 0`;
    check.expect(found === wanted, () => `${id}: ${found}, not ${wanted}`);
    for (const walletId of walletIds.get(advertiser_id) ?? []) {
      const shares = await world.directRedis.hgetall(`{${walletId}}:shares:${id}`);
      check.expect(
        Object.keys(shares).length === 0,
        () => `${id} is held in ${walletId}: ${JSON.stringify(shares)}`,
      );
      for (const { gameId } of market.games) {
        await checkMatches(world, check, { walletId, campaignId: id, gameId, quarantine });
      }
    }
  }
  return check.end();
}

async function readWalletIds(world: World): Promise<Map<string, string[]>> {
  const wallets = await readWallets(world);
  return new Map(wallets.map(({ advertiserId, walletIds }) => [advertiserId, walletIds]));
}

/** What an advertiser's own wallet knows of its slices is what they have spent and were granted; all grants were returned. */
async function checkGrants(world: World): Promise<Check> {
  const check = new CheckBuilder("slices have reported what they spent, and returned the rest");
  const walletIds = await readWalletIds(world);
  const wholeOf = (values: (string | null)[]) => values.map((value) => Number(value ?? 0));
  for (const { id = "", advertiser_id = "" } of await world.query<Row>(
    "SELECT id, advertiser_id FROM campaigns ORDER BY id",
  )) {
    const [, ...slices] = walletIds.get(advertiser_id) ?? [];
    if (slices.length === 0) continue;
    let [spent, impressions] = [0, 0];
    for (const walletId of slices) {
      const hash = `{${walletId}}:campaign:${id}`;
      const fields = ["budget", "spent", "held", "impressions"] as const;
      const [budget = 0, own = 0, held = 0, count = 0] = wholeOf(
        await world.directRedis.hmget(hash, ...fields),
      );
      check.expect(
        budget <= own && held === 0,
        () => `${hash}: granted ${budget}, spent ${own}, held ${held}`,
      );
      spent += own;
      impressions += count;
    }
    const hash = `{${advertiser_id}}:campaign:${id}`;
    const known = wholeOf(
      await world.directRedis.hmget(hash, "sliced_spent", "sliced_held", "sliced_impressions"),
    ).join(" ");
    const wanted = `${spent} 0 ${impressions}`;
    check.expect(known === wanted, () => `${hash} knows ${known} of its slices, not ${wanted}`);
  }
  return check.end();
}

/** Changes are in force: neither a restore nor a crash may leave an older version in Redis. */
async function checkSettings(world: World, sampled: Samples["versions"]): Promise<Check> {
  const check = new CheckBuilder("no state in Redis stays behind its row");
  const walletIds = await readWalletIds(world);
  for (const violation of sampled.violations) check.expect(false, () => violation);
  check.examine(Math.max(0, sampled.examined - sampled.violations.length));
  for (const { id = "", version, deposited, slices } of await world.query<Row>(
    "SELECT id, version::text, deposited_millicents::text AS deposited, wallet_slices::text AS slices FROM advertisers",
  )) {
    const account = await world.money.readAccount(id);
    const found = `${account?.version} ${account?.depositedMillicents} ${await world.directRedis.hget(`{${id}}:account`, "slices")}`;
    const wanted = `${version} ${deposited} ${slices}`;
    check.expect(found === wanted, () => `${id}: ${found}, not ${wanted}`);
  }
  for (const row of await world.query<Row>(
    `SELECT id, advertiser_id, version::text, status, concat_ws(' ', version, status, budget_cents::bigint * 1000,
       coalesce((daily_cap_cents::bigint * 1000)::text, 'none')) AS wanted FROM campaigns`,
  )) {
    const { id = "", advertiser_id = "", wanted, version, status } = row;
    const totals = await world.money.readCampaign(advertiser_id, id);
    const cap = totals?.dailyCapMillicents ?? "none";
    const found = `${totals?.version} ${totals?.status} ${totals?.budgetMillicents} ${cap}`;
    check.expect(found === wanted, () => `${id}: ${found}, not ${wanted}`);
    for (const walletId of walletIds.get(advertiser_id) ?? []) {
      const known = await world.directRedis.hmget(`{${walletId}}:campaign:${id}`, "version", "status");
      check.expect(
        known.join(" ") === `${version} ${status}`,
        () => `${id} in ${walletId}: ${known.join(" ")}, not ${version} ${status}`,
      );
    }
  }
  return check.end();
}

/** The basis of answers to retries: every charge that Redis remembers is in Postgres. */
async function checkCharged(
  world: World,
  check: CheckBuilder,
  wallet: { advertiserId: string; walletId: string; quarantine: ReadonlySet<string> },
): Promise<void> {
  const { advertiserId, walletId, quarantine } = wallet;
  const tailOf = (id: string) => id.slice(-14);
  const rows = await world.query<Row>("SELECT match_id FROM impressions WHERE advertiser_id = $1", [
    advertiserId,
  ]);
  const matchIds = rows.map(({ match_id = "" }) => match_id);
  const known = new Set([...matchIds, ...quarantine].map(tailOf));
  const epoch = Number(await world.directRedis.hget(`{${walletId}}:account`, "era")) % 256;
  for (const period of new Set(matchIds.map((matchId) => matchId.slice(4, 10)))) {
    const entries = await world.directRedis.hgetallBuffer(`{${walletId}}:charged:${period}`);
    for (const [tail, value] of Object.entries(entries)) {
      const isVoid = value[6] !== epoch;
      check.expect(isVoid || known.has(tail), () => `${walletId} remembers a charge of ${tail}`);
    }
  }
}

/** Every hold has ended: as an impression in Postgres, or released. */
async function checkMatches(
  world: World,
  check: CheckBuilder,
  place: { walletId: string; campaignId: string; gameId: string; quarantine: ReadonlySet<string> },
): Promise<void> {
  const { walletId, campaignId, gameId, quarantine } = place;
  const entries = await world.directRedis.hgetall(`{${walletId}}:matches:${campaignId}:${gameId}`);
  // Matches before the valid-from epoch are void: the restored wallet does not know them.
  const validFrom = await world.directRedis.hget(`{${walletId}}:account`, "era");
  if ((entries[":era"] ?? entries.era) !== validFrom) return;
  const rows = await world.query<Row>(
    "SELECT match_id, impression_id FROM impressions WHERE campaign_id = $1 AND game_id = $2",
    [campaignId, gameId],
  );
  const charged = new Map(rows.map(({ match_id = "", impression_id = "" }) => [match_id, impression_id]));
  for (const [matchId, text] of Object.entries(entries)) {
    if (!matchId.startsWith("mat_")) continue;
    const fields = text.split("|");
    const [state, impressionId] = [fields[0], fields[9]];
    check.expect(state !== "O", () => `the hold of ${matchId} never ended`);
    const expected = state === "C" && !quarantine.has(impressionId ?? "") ? impressionId : undefined;
    check.expect(
      charged.get(matchId) === expected,
      () => `${matchId} is ${state} ${impressionId} in Redis, and ${charged.get(matchId)} in Postgres`,
    );
  }
}

async function checkDeposits(world: World, operations: readonly DepositOperation[]): Promise<Check> {
  const check = new CheckBuilder("every deposit counts once");
  const rows = await world.query<Row>("SELECT advertiser_id, amount_cents::text AS amount FROM deposits");
  const known = new Set(operations.map(({ advertiserId, amountCents }) => `${advertiserId} ${amountCents}`));
  const count = new Map<string, number>();
  for (const { advertiser_id, amount } of rows) {
    const name = `${advertiser_id} ${amount}`;
    count.set(name, (count.get(name) ?? 0) + 1);
    check.expect(known.has(name), () => `a deposit of ${name} was never made`);
  }
  for (const { advertiserId, amountCents, done } of operations) {
    const times = count.get(`${advertiserId} ${amountCents}`) ?? 0;
    check.expect(
      done ? times === 1 : times <= 1,
      () => `${advertiserId} ${amountCents} counts ${times} times`,
    );
  }
  return check.end();
}
