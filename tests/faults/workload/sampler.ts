import { setTimeout as sleep } from "node:timers/promises";
import type { RedisConnection } from "@diegetic/hot-state";
import type { Market } from "./traders.ts";

const EVERY_MS = 100;
const MAX_VIOLATIONS = 50;
const CAMPAIGN_FIELDS = ["version", "budget", "ceiling", "daily_cap", "spent", "held", "day", "day_spent"];

export interface Samples {
  taken: number;
  /** Moments at which the wallet was being rebuilt or could not be read. */
  missed: number;
  violations: string[];
}

interface CampaignSample {
  /** Changes when the wallet was restored after Redis had lost something, and with each late charge that it is told of. */
  restoring: string;
  limit: number;
  dailyCap: number;
  spent: number;
  held: number;
  day: string;
  daySpent: number;
}

/**
 * Looks at the wallets of all advertisers again and again, each in one step, and compares them with what must hold at
 * every instant.
 */
export async function sampleWallets(options: {
  redis: RedisConnection;
  market: Market;
  samples: Samples;
  /** The clock that the scripts read. */
  nowMs: () => number;
  signal: AbortSignal;
}): Promise<void> {
  const { redis, market, samples, nowMs, signal } = options;
  const before = new Map<string, CampaignSample>();
  while (!signal.aborted) {
    for (const { advertiserId } of market.advertisers) {
      const campaignIds = market.campaigns
        .filter((campaign) => campaign.advertiser.advertiserId === advertiserId)
        .map(({ campaignId }) => campaignId);
      try {
        const found = await sampleWallet(redis, advertiserId, { campaignIds, before, nowMs });
        if (found === null) samples.missed += 1;
        else {
          samples.taken += 1;
          const room = MAX_VIOLATIONS - samples.violations.length;
          samples.violations.push(...found.slice(0, room));
        }
      } catch {
        samples.missed += 1;
      }
    }
    await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** What is wrong in one wallet at this moment; null: it is not whole. */
async function sampleWallet(
  redis: RedisConnection,
  advertiserId: string,
  options: { campaignIds: readonly string[]; before: Map<string, CampaignSample>; nowMs: () => number },
): Promise<string[] | null> {
  const { campaignIds, before, nowMs } = options;
  const wallet = `{${advertiserId}}`;
  const transaction = redis.multi();
  transaction.info("replication");
  transaction.hmget(`${wallet}:account`, "lineage", "deposited", "spent", "held", "epoch");
  transaction.hlen(`${wallet}:settled`);
  transaction.zrange(`${wallet}:holds`, "0", "-1");
  for (const id of campaignIds) transaction.hmget(`${wallet}:campaign:${id}`, ...CAMPAIGN_FIELDS);
  const replies = (await transaction.exec()) ?? [];
  const values = replies.map(([error, value]) => {
    if (error) throw error;
    return value;
  });
  const [replication, account, settled, holds, ...hashes] = values as [string, ...(string | null)[][]];
  // Nobody has verified yet what a server brought back: nothing is held or charged there.
  const isFrozen = !account?.[0] || !String(replication).includes(`master_replid:${account[0]}`);
  if (!account || !holds || isFrozen || hashes.some((hash) => hash[0] == null)) {
    for (const id of campaignIds) before.delete(id);
    return null;
  }
  const [deposited = 0, spent = 0, held = 0] = account.slice(1, 4).map(Number);
  const campaigns = hashes.map((hash) => parseCampaign(hash, `${account[4]} ${settled}`, nowMs()));
  const wrong: string[] = [];
  const expect = (holdsTrue: boolean, sentence: string) => {
    if (!holdsTrue) wrong.push(`${new Date().toISOString()} ${advertiserId}: ${sentence}`);
  };
  const heldByHolds = holds.reduce((sum, member) => sum + Number(member?.split("|").at(-1)), 0);
  const earlier = campaignIds.map((id) => before.get(id));
  const restored = earlier[0]?.restoring !== campaigns[0]?.restoring;
  // What a restored wallet was told of may be more than there is, but nothing is added to it.
  const maxSeen = earlier.reduce((sum, campaign) => sum + (campaign ? campaign.spent + campaign.held : 0), 0);
  expect(
    restored || spent + held <= Math.max(deposited, maxSeen),
    `spent ${spent} + held ${held} > deposited ${deposited}, ${maxSeen} before`,
  );
  expect(held === heldByHolds, `held ${held}, but its holds are of ${heldByHolds}`);
  const sum = (field: "held" | "spent") => campaigns.reduce((total, campaign) => total + campaign[field], 0);
  expect(held === sum("held"), `held ${held}, but its campaigns hold ${sum("held")}`);
  expect(spent === sum("spent"), `spent ${spent}, but its campaigns spent ${sum("spent")}`);
  for (const [index, campaign] of campaigns.entries()) {
    const id = campaignIds[index] ?? "";
    for (const sentence of judge(campaign, before.get(id))) expect(false, `${id}: ${sentence}`);
    before.set(id, campaign);
  }
  return wrong;
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
 * Holds that were taken before a budget or cap was lowered may stand above it until they end, and so may charges that
 * Redis had lost and was told of later: but nothing is added to them.
 */
function judge(now: CampaignSample, before: CampaignSample | undefined): string[] {
  const { limit, dailyCap, spent, held, day, daySpent } = now;
  if (held < 0 || spent < 0 || daySpent < 0) return [`negative: ${JSON.stringify(now)}`];
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
