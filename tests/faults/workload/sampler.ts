import { setTimeout as sleep } from "node:timers/promises";
import { advertiserOf, walletIdOf } from "@diegetic/hot-state";
import type { World } from "../topology/world.ts";
import { sampleGrants } from "./grant-sampler.ts";
import type { Market } from "./traders.ts";

/** Two rounds of billing, on a slow machine. */
const LATE_SETTLES_WITHIN_MS = 5_000;
const EVERY_MS = 100;
/** Postgres is read once per this many reads of Redis. */
const VERSIONS_EVERY = 5;
const MAX_VIOLATIONS = 50;
const ACCOUNT_FIELDS = ["lineage", "deposited", "spent", "held", "sliced_held", "epoch", "version", "slices"];
const CAMPAIGN_FIELDS = [
  "version",
  "budget",
  "ceiling",
  "daily_cap",
  "spent",
  "held",
  "day",
  "day_spent",
  "revision",
];

export interface Samples {
  taken: number;
  /** Reads during which the wallet was being restored or was unreadable. */
  missed: number;
  violations: string[];
  /** Published versions compared with those in Redis. */
  versions: { examined: number; violations: string[] };
}

/** Published versions by the id of an advertiser or a campaign. */
type Published = ReadonlyMap<string, number>;

interface CampaignSample {
  /**
   * Changes when the wallet is restored after a loss, with each late charge that it receives, and when a slice returns
   * what it was granted.
   */
  restoring: string;
  limit: number;
  dailyCap: number;
  spent: number;
  held: number;
  day: string;
  daySpent: number;
}

/** Reads the wallets of all advertisers repeatedly, each in one step, and compares them with the invariants. */
export async function sampleWallets(options: {
  world: World;
  market: Market;
  samples: Samples;
  signal: AbortSignal;
}): Promise<void> {
  const { world, market, samples, signal } = options;
  const before = new Map<string, CampaignSample>();
  const lateInSlices = new Map<string, { settled: string; sinceMs: number }>();
  let published: Published = new Map();
  for (let round = 0; !signal.aborted; round += 1) {
    // Read before Redis: a published version has reached Redis by then.
    if (round % VERSIONS_EVERY === 0) published = await readPublished(world, published);
    for (const { advertiserId } of market.advertisers) {
      const campaignIds = market.campaigns
        .filter((campaign) => campaign.advertiser.advertiserId === advertiserId)
        .map(({ campaignId }) => campaignId);
      // The advertiser's own wallet knows how many slices there are.
      let slices = 1;
      let ofOwn: readonly string[] = [];
      const settled: string[] = [];
      for (let slice = 0; slice < slices; slice += 1) {
        const walletId = walletIdOf(advertiserId, slice);
        try {
          const found = await sampleWallet(world, walletId, { campaignIds, before, published, samples });
          if (found === null) samples.missed += 1;
          else {
            samples.taken += 1;
            slices = Math.max(slices, found.slices);
            if (slice === 0) ofOwn = found.violations;
            else {
              settled.push(`${slice} ${found.settled}`);
              note(samples, found.violations);
            }
          }
        } catch {
          samples.missed += 1;
        }
      }
      // A late charge in a slice may exceed limits, until slices have given back so much.
      const known = lateInSlices.get(advertiserId);
      if (known?.settled !== settled.join()) {
        lateInSlices.set(advertiserId, { settled: settled.join(), sinceMs: Date.now() });
      } else if (settled.length === 0 || Date.now() - known.sinceMs > LATE_SETTLES_WITHIN_MS) {
        note(samples, ofOwn);
      }
      if (slices === 1 || world.variant === "cluster") continue;
      const grants = sampleGrants(world, { advertiserId, slices }, campaignIds);
      note(samples, await grants.catch(() => []));
    }
    await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

function note({ violations }: Samples, found: readonly string[]): void {
  violations.push(...found.slice(0, MAX_VIOLATIONS - violations.length));
}

/** While Postgres is unavailable, its last answer stays valid: a published version stays published. */
async function readPublished(world: World, before: Published): Promise<Published> {
  try {
    const rows = await world.query<{ id: string; version: string }>(
      `SELECT id, published_version::text AS version FROM advertisers
       UNION ALL SELECT id, published_version::text FROM campaigns`,
    );
    return new Map(rows.map(({ id, version }) => [id, Number(version)]));
  } catch {
    return before;
  }
}

/** Violations in one wallet, or one slice of it, at this moment; null: it is incomplete. */
async function sampleWallet(
  world: World,
  walletId: string,
  options: {
    campaignIds: readonly string[];
    before: Map<string, CampaignSample>;
    published: Published;
    samples: Samples;
  },
): Promise<{ violations: string[]; slices: number; settled: string } | null> {
  const { campaignIds, before, published, samples } = options;
  const wallet = `{${walletId}}`;
  const nameOf = (campaignId: string) => `${wallet} ${campaignId}`;
  const isSlice = walletId !== advertiserOf(walletId);
  const transaction = world.directRedis.multi();
  transaction.info("replication");
  transaction.hmget(`${wallet}:account`, ...ACCOUNT_FIELDS);
  transaction.hlen(`${wallet}:settled`);
  transaction.zrange(`${wallet}:holds`, "0", "-1");
  for (const id of campaignIds) transaction.hmget(`${wallet}:campaign:${id}`, ...CAMPAIGN_FIELDS);
  const replies = (await transaction.exec()) ?? [];
  const values = replies.map(([error, value]) => {
    if (error) throw error;
    return value;
  });
  const [replication, account, settled, holds, ...hashes] = values as [string, ...(string | null)[][]];
  // A server returned and its wallets are not verified yet: nothing is held or charged there.
  const isFrozen = !account?.[0] || !String(replication).includes(`master_replid:${account[0]}`);
  if (!account || !holds || isFrozen || hashes.some((hash) => hash[0] == null)) {
    for (const id of campaignIds) before.delete(nameOf(id));
    return null;
  }
  const [deposited = 0, spent = 0, held = 0, slicedHeld = 0] = account.slice(1, 5).map(Number);
  const [epoch, version, slices] = account.slice(5);
  const versions = [version, ...hashes.map((hash) => hash[0])];
  for (const [index, id] of [walletId, ...campaignIds].entries()) {
    const [found, wanted] = [Number(versions[index]), published.get(id) ?? 0];
    samples.versions.examined += 1;
    if (found >= wanted || samples.versions.violations.length >= MAX_VIOLATIONS) continue;
    samples.versions.violations.push(
      `${new Date().toISOString()} ${id}: version ${wanted} is published, ${walletId} has ${found}`,
    );
  }
  const campaigns = hashes.map((hash) => {
    const restoring = `${epoch} ${settled} ${isSlice ? hash.at(-1) : ""}`;
    const sample = parseCampaign(hash, restoring, world.scriptsNowMs());
    // No ceiling limits it: what slices have spent becomes known only after it was set.
    return Number(slices) > 1 ? { ...sample, limit: Number(hash[1]) } : sample;
  });
  const wrong: string[] = [];
  const expect = (holdsTrue: boolean, sentence: string) => {
    if (!holdsTrue) wrong.push(`${new Date().toISOString()} ${walletId}: ${sentence}`);
  };
  const heldByHolds = holds.reduce((sum, member) => sum + Number(member?.split("|").at(-1)), 0);
  const earlier = campaignIds.map((id) => before.get(nameOf(id)));
  const restored = earlier[0]?.restoring !== campaigns[0]?.restoring;
  // The late charges of a restored wallet may exceed the deposits, but nothing is added to them.
  const seen = (campaign: CampaignSample) => campaign.spent + campaign.held;
  const maxSeen = earlier.reduce((sum, campaign) => sum + (campaign ? seen(campaign) : 0), 0);
  const ownHeld = held - slicedHeld;
  expect(ownHeld === heldByHolds, `held ${ownHeld} itself, but its holds are of ${heldByHolds}`);
  const sum = (field: "held" | "spent") => campaigns.reduce((total, campaign) => total + campaign[field], 0);
  expect(
    restored || spent + held <= Math.max(deposited, maxSeen),
    `spent ${spent} + held ${held} > deposited ${deposited}, ${maxSeen} before`,
  );
  expect(held === sum("held"), `held ${held}, but its campaigns hold ${sum("held")}`);
  expect(spent === sum("spent"), `spent ${spent}, but its campaigns spent ${sum("spent")}`);
  for (const [index, campaign] of campaigns.entries()) {
    const id = campaignIds[index] ?? "";
    for (const sentence of violationsOf(campaign, before.get(nameOf(id)), isSlice)) {
      expect(false, `${id}: ${sentence}`);
    }
    before.set(nameOf(id), campaign);
  }
  return { violations: wrong, slices: Number(slices), settled: String(settled) };
}

function parseCampaign(hash: (string | null)[], restoring: string, nowMs: number): CampaignSample {
  const [, budget, ceiling, dailyCap, spent, held, day, daySpent] = hash;
  // A wallet notices a new day with its next charge.
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const isNewDay = day != null && day < today;
  return {
    restoring,
    limit: Math.min(Number(budget), ceiling ? Number(ceiling) : Number.POSITIVE_INFINITY),
    dailyCap: dailyCap ? Number(dailyCap) : Number.POSITIVE_INFINITY,
    spent: Number(spent),
    held: Number(held),
    day: isNewDay ? today : (day ?? ""),
    daySpent: isNewDay ? 0 : Number(daySpent),
  };
}

/**
 * Holds taken before a budget or cap was lowered may exceed it until they end, and so may late charges; but nothing is
 * added to them.
 */
function violationsOf(now: CampaignSample, before: CampaignSample | undefined, isSlice: boolean): string[] {
  const { limit, dailyCap, spent, held, day, daySpent } = now;
  // A slice counts from its last restore, also what it gives back of earlier charges.
  const isNegative = held < 0 || (!isSlice && (spent < 0 || daySpent < 0));
  if (isNegative) return [`negative: ${JSON.stringify(now)}`];
  if (before === undefined || now.restoring !== before.restoring) return [];
  const wrong: string[] = [];
  if (spent > limit && limit >= before.limit && spent > before.spent) {
    wrong.push(`spent ${spent} > budget ${limit}`);
  }
  if (spent + held > limit && limit >= before.limit && spent + held > before.spent + before.held) {
    wrong.push(`spent ${spent} + held ${held} > budget ${limit}`);
  }
  const rose = daySpent + held > before.daySpent + before.held;
  if (day === before.day && daySpent + held > dailyCap && dailyCap >= before.dailyCap && rose) {
    wrong.push(`spent today ${daySpent} + held ${held} > daily cap ${dailyCap}`);
  }
  return wrong;
}
