/** One advertiser on real stores, with the parts of match, billing and management that move or count its money. */
import { derivedId, type ImpressionRecord, type MatchFacts, newId } from "@diegetic/contracts";
import {
  createDatabase,
  createPipeline,
  type Database,
  installationId,
  type Pipeline,
} from "@diegetic/database";
import {
  type CommitRequest,
  createMoneyCommands,
  DueIndex,
  InstallationClaim,
  isRedisUnavailable,
  type MoneyCommands,
  type RedisConnection,
  SnapshotPublisher,
} from "@diegetic/hot-state";
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { createBillingMeasures } from "../../services/billing/src/measures.ts";
import { Settler } from "../../services/billing/src/settle/settler.ts";
import { DayPartitions } from "../../services/billing/src/write/day-partitions.ts";
import { ImpressionWriter } from "../../services/billing/src/write/impression-writer.ts";
import { Publishing, WalletNotReady } from "../../services/management/src/core/publishing/publishing.ts";
import { WalletRecovery } from "../../services/management/src/core/wallet-recovery/wallet-recovery.ts";

const logger = createLogger({ service: "recovery", instance: "test", level: "silent" });
const GAME = "a game";
const UNREACHED_CAP_CENTS = 1_000_000;
const FREEZE_IF_THERE = `if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('HSET', KEYS[1], 'lineage', 'another server')
end`;
export const PRICE_MILLICENTS = 1_000;

export interface Stores {
  database: Database;
  pipeline: Pipeline;
  redis: RedisConnection;
  close(): Promise<void>;
}

export function openStores(databaseUrl: string, redisUrl: string): Stores {
  const database = createDatabase(databaseUrl, { poolSize: 12 });
  const pipeline = createPipeline(databaseUrl);
  const redis = connectTestRedis(redisUrl);
  redis.on("error", () => undefined);
  return {
    database,
    pipeline,
    redis,
    close: async () => {
      redis.disconnect();
      await Promise.all([pipeline.close(), database.$disconnect()]);
    },
  };
}

export class WalletScenario {
  readonly advertiserId = newId("adv");
  readonly campaignIds = [newId("camp"), newId("camp")] as const;
  readonly money: MoneyCommands;
  readonly recovery: WalletRecovery;
  readonly publishing: Publishing;
  /** Records of answered commits that no job has delivered to billing yet. */
  readonly answered: ImpressionRecord[] = [];
  /** Matches with answered impressions. */
  readonly billed: MatchFacts[] = [];
  readonly open: MatchFacts[] = [];
  readonly #stores: Stores;
  readonly #writer: ImpressionWriter;
  readonly #settler: Settler;
  readonly #creatives = new Map<string, string>();
  readonly #versions = new Map<string, number>();
  /** Called when Redis has answered a change of a campaign. */
  #onApplied = new Set<() => void>();

  constructor(stores: Stores) {
    this.#stores = stores;
    const { database, redis } = stores;
    this.money = createMoneyCommands(redis);
    const metrics = createMetrics({ service: "recovery" });
    const measures = createBillingMeasures(metrics);
    const shared = { database, money: this.money, measures };
    const nowMs = Date.now;
    this.#writer = new ImpressionWriter({
      ...shared,
      pipeline: stores.pipeline,
      claim: new InstallationClaim(redis, () => installationId(database)),
      partitions: new DayPartitions(database),
      logger,
      nowMs,
    });
    this.#settler = new Settler(shared);
    this.recovery = this.recoverer(this.money);
    this.publishing = new Publishing({
      database,
      pipeline: stores.pipeline,
      wallets: {
        ...this.money,
        applyCampaign: async (campaign) => {
          const result = await this.money.applyCampaign(campaign);
          for (const notify of this.#onApplied) notify();
          return result;
        },
      },
      // Like the restore of another instance, which reads the rows at its own time.
      recovery: this.recoverer(this.money),
      snapshot: new SnapshotPublisher(redis),
      claim: new InstallationClaim(redis, () => installationId(database)),
      nowMs,
      logger,
    });
  }

  /** Changes a campaign's daily cap like management: commit, then publish. No cap is ever reached. */
  async change(campaign: number): Promise<void> {
    const id = this.campaignIds[campaign % 2] ?? this.campaignIds[0];
    const { version } = await this.#stores.database.campaign.update({
      where: { id },
      data: { version: { increment: 1 }, dailyCapCents: { increment: 1 } },
    });
    this.#versions.set(id, version);
    await this.#publish([id]);
  }

  /**
   * A change that commits after another management's restore has read the rows, and reaches Redis before that restore
   * writes.
   */
  async changeDuringRestore(campaign: number): Promise<void> {
    const account = `{${this.advertiserId}}:account`;
    // The state after a promotion. Lost data cannot be frozen.
    await whileAwayNull(this.#stores.redis.eval(FREEZE_IF_THERE, 1, account));
    const hasRead = new Signal();
    const mayWrite = new Signal();
    const restored = this.recoverer({
      ...this.money,
      restoreWallet: async (request) => {
        hasRead.give();
        await mayWrite.given;
        return this.money.restoreWallet(request);
      },
    }).restoreFrozen([this.advertiserId]);
    // A restore that finds nothing to do never writes.
    await Promise.race([hasRead.given, restored]);
    this.#onApplied.add(mayWrite.give);
    try {
      await this.change(campaign);
    } finally {
      this.#onApplied.delete(mayWrite.give);
      mayWrite.give();
    }
    await restored;
  }

  /** Publishes unpublished rows, like the repair loop. Returns whether nothing is left. */
  async publishPending(): Promise<boolean> {
    const rows = await this.#stores.database.campaign.findMany({
      where: { advertiserId: this.advertiserId },
    });
    const pending = rows.filter((row) => row.publishedVersion < row.version).map(({ id }) => id);
    return pending.length === 0 || (await this.#publish(pending));
  }

  async #publish(ids: readonly string[]): Promise<boolean> {
    try {
      return (await whileAwayNull(this.publishing.publish("campaign", ids))) !== null;
    } catch (error) {
      if (error instanceof WalletNotReady) return false;
      throw error;
    }
  }

  /** Version and daily cap of each campaign, in its row and in Redis. */
  async settings(): Promise<{ rows: object[]; wallets: object[] }> {
    const { database } = this.#stores;
    const rows = await Promise.all(
      this.campaignIds.map((id) => database.campaign.findUniqueOrThrow({ where: { id } })),
    );
    const wallets = await Promise.all(
      this.campaignIds.map((id) => this.money.readCampaign(this.advertiserId, id)),
    );
    return {
      rows: rows.map(({ version, dailyCapCents }) => ({ version, cap: (dailyCapCents ?? 0) * 1_000 })),
      wallets: wallets.map((wallet) => ({ version: wallet?.version, cap: wallet?.dailyCapMillicents })),
    };
  }

  /** Another management process, with its own wallet commands. Without `claimMs`, its claims last as long as in production. */
  recoverer(wallets: MoneyCommands, claimMs?: number): WalletRecovery {
    const { database, redis } = this.#stores;
    return new WalletRecovery({
      claim: new InstallationClaim(redis, () => installationId(database)),
      database,
      wallets,
      due: new DueIndex(redis),
      nowMs: Date.now,
      logger,
      metrics: createMetrics({ service: "recovery" }),
      claimMs,
    });
  }

  static async open(
    stores: Stores,
    plan: { depositCents: number; budgetCents: number },
  ): Promise<WalletScenario> {
    const scenario = new WalletScenario(stores);
    const { database } = stores;
    const accountId = newId("acct");
    await database.account.create({ data: { id: accountId, label: "recovery" } });
    await database.advertiser.create({
      data: {
        id: scenario.advertiserId,
        accountId,
        companyName: "c",
        contactEmail: `${accountId}@example.com`,
        contactEmailLower: `${accountId}@example.com`,
        depositedMillicents: BigInt(plan.depositCents) * 1_000n,
      },
    });
    for (const id of scenario.campaignIds) {
      const creativeId = newId("crt");
      scenario.#creatives.set(id, creativeId);
      await database.campaign.create({
        data: {
          id,
          advertiserId: scenario.advertiserId,
          name: "c",
          status: "active",
          budgetCents: plan.budgetCents,
          dailyCapCents: UNREACHED_CAP_CENTS,
          cpmBidCents: PRICE_MILLICENTS,
        },
      });
      await database.creative.create({
        data: { id: creativeId, campaignId: id, creativeType: "product_mention", brandName: "b" },
      });
    }
    await scenario.recovery.restoreFrozen([scenario.advertiserId]);
    return scenario;
  }

  /** Holds a match; ignores refusals and an unavailable Redis. */
  async hold(campaign: number): Promise<void> {
    const campaignId = this.campaignIds[campaign % 2] ?? this.campaignIds[0];
    const match = this.#match(campaignId);
    const result = await whileAwayNull(
      this.money.reserve({
        match,
        campaignVersion: this.#versions.get(campaignId) ?? 1,
        holdTtlMs: 600_000,
        sessionStartedMs: null,
        sessionIdleMs: 600_000,
        creatives: [{ creativeId: this.#creativeOf(campaignId), maxUses: 1_000 }],
      }),
    );
    if (result?.outcome === "held") this.open.push(match);
  }

  /** Commits an impression like the match tier. Returns whether it was answered 201. */
  async commit(match: MatchFacts | undefined): Promise<boolean> {
    if (match === undefined) return false;
    return this.#charge(match.campaign_id, { operationId: newId("op"), matchId: match.match_id });
  }

  /** An impression with an Idempotency-Key and without a match id. */
  async commitKeyed(campaignId: string, key: string): Promise<boolean> {
    const operationId = derivedId("op", `${this.advertiserId} ${campaignId} ${key}`);
    return this.#charge(campaignId, { operationId, isKeyed: true, matchId: null });
  }

  async #charge(
    campaignId: string,
    operation: Pick<CommitRequest, "operationId" | "isKeyed" | "matchId">,
  ): Promise<boolean> {
    const result = await whileAwayNull(
      this.money.commit({
        advertiserId: this.advertiserId,
        campaignId,
        gameId: GAME,
        creativeId: this.#creativeOf(campaignId),
        nowMs: Date.now(),
        ...operation,
      }),
    );
    if (result?.outcome !== "charged") return false;
    if (!result.replay) {
      this.answered.push(result.record);
      this.billed.push(result.record.match);
    }
    return true;
  }

  /** Delivers some of the answered records to billing, like jobs. */
  async deliver(count: number): Promise<void> {
    const records = this.answered.splice(0, count);
    const written = await whileAwayNull(this.#writer.write(records).then(() => true));
    if (written === null) this.answered.push(...records);
  }

  /** Delivers the whole outbox to billing, like the sweeper. */
  async sweep(): Promise<void> {
    const outbox = await whileAwayNull(this.money.listOutbox(this.advertiserId, 500));
    if (outbox !== null) await whileAwayNull(this.#writer.write(outbox.items));
  }

  async settle(): Promise<void> {
    await whileAwayNull(this.#settler.pass(new AbortController().signal));
  }

  /** Checks the wallet once. Returns whether it is no longer frozen. */
  async restore(): Promise<boolean> {
    return (await this.recovery.restoreFrozen([this.advertiserId])) === 0;
  }

  /** Totals of Postgres and of the wallet, in the same format. */
  async compare(): Promise<{ postgres: object; wallet: object; quarantined: number }> {
    const { database, redis } = this.#stores;
    const { advertiserId } = this;
    const sums = async (where: { advertiserId: string; campaignId?: string }) => {
      const sum = await database.impression.aggregate({
        where,
        _count: { impressionId: true },
        _sum: { priceMillicents: true },
      });
      return { spent: Number(sum._sum.priceMillicents ?? 0n), impressions: sum._count.impressionId };
    };
    const account = await this.money.readAccount(advertiserId);
    const campaigns = await Promise.all(
      this.campaignIds.map((id) => this.money.readCampaign(advertiserId, id)),
    );
    const brief = (totals: { spentMillicents: number; impressions: number } | null) =>
      totals && { spent: totals.spentMillicents, impressions: totals.impressions };
    const heldByHolds = (await redis.zcard(`{${advertiserId}}:holds`)) * PRICE_MILLICENTS;
    const heldInWallet = account?.heldMillicents;
    const postgres = {
      account: await sums({ advertiserId }),
      campaigns: await Promise.all(this.campaignIds.map((campaignId) => sums({ advertiserId, campaignId }))),
      held: heldByHolds,
    };
    return {
      postgres,
      wallet: { account: brief(account), campaigns: campaigns.map(brief), held: heldInWallet },
      quarantined: await database.quarantinedImpression.count({ where: { advertiserId } }),
    };
  }

  #creativeOf(campaignId: string): string {
    const creativeId = this.#creatives.get(campaignId);
    if (creativeId === undefined) throw new Error(`no creative of ${campaignId}`);
    return creativeId;
  }

  #match(campaignId: string): MatchFacts {
    return {
      match_id: newId("mat"),
      advertiser_id: this.advertiserId,
      campaign_id: campaignId,
      campaign_version: 1,
      game_id: GAME,
      developer_account_id: "acct_dev",
      user_hash: "user",
      session_key: newId("key"),
      country_code: null,
      affinity_score: 0,
      affinities: [],
      price_millicents: PRICE_MILLICENTS,
      revenue_share_basis_points: 7_000,
      matched_at_ms: Date.now(),
    };
  }
}

/** A one-time event that others can await. */
class Signal {
  give: () => void = () => undefined;
  readonly given = new Promise<void>((resolve) => {
    this.give = resolve;
  });
}

/** Null when Redis refuses or is unavailable: the caller got no answer. */
export async function whileAwayNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (isRedisUnavailable(error)) return null;
    throw error;
  }
}
