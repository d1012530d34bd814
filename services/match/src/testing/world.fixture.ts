/** Real match instances on a real Redis, with advertisers, campaigns, games and keys as management publishes them. */
import { createHash } from "node:crypto";
import {
  entityName,
  newId,
  type SnapshotApiKey,
  type SnapshotCampaign,
  type SnapshotCreative,
  type SnapshotPlacement,
} from "@diegetic/contracts";
import {
  createMoneyCommands,
  type MoneyCommands,
  type RedisConnection,
  type SnapshotEntry,
  SnapshotPublisher,
} from "@diegetic/hot-state";
import { createLogger, createMetrics, type ListeningServer, listen } from "@diegetic/service-kit";
import { documented } from "@diegetic/testing/documented";
import { openWallet } from "@diegetic/testing/open-wallet";
import { PATIENT_MATCH } from "@diegetic/testing/patient";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import request from "supertest";
import { createMatchService, type MatchService, type MatchServiceOptions } from "../service.ts";
import { readMatchSettings } from "../settings.ts";

const PROPAGATION_TIMEOUT_MS = 60_000;

export interface Instance {
  url: string;
  service: MatchService;
  stop(): Promise<void>;
}

export interface CampaignWish extends Partial<Omit<SnapshotCampaign, "creatives">> {
  depositedMillicents?: number;
  budgetMillicents?: number;
  dailyCapMillicents?: number | null;
  creatives?: Partial<SnapshotCreative>[];
  /** Publishes to match instances after the wallet has the change; `walletOnly` skips the publication. */
  walletOnly?: boolean;
}

export class World {
  readonly redis: RedisConnection;
  readonly money: MoneyCommands;
  readonly publisher: SnapshotPublisher;
  readonly instances: Instance[] = [];
  readonly #url: string;
  readonly #published = new Map<string, number>();
  #key = "";
  accountId = "acct_dev";

  private constructor(url: string) {
    this.#url = url;
    this.redis = connectTestRedis(url);
    this.redis.on("error", () => undefined);
    this.money = createMoneyCommands(this.redis);
    this.publisher = new SnapshotPublisher(this.redis);
  }

  static async open(url: string): Promise<World> {
    const world = new World(url);
    await world.publisher.rebuild([]);
    return world;
  }

  async startInstance(
    environment: Record<string, string> = {},
    options: Partial<MatchServiceOptions> = {},
  ): Promise<Instance> {
    const read = readMatchSettings({
      REDIS_URL: this.#url,
      PLAYER_HASH_KEY: "k".repeat(32),
      RATE_LIMIT_MATCH: "unlimited",
      RATE_LIMIT_IMPRESSIONS: "unlimited",
      INSTANCE_NAME: `match-${this.instances.length + 1}`,
      ...environment,
    });
    const service = createMatchService({
      ...read,
      logger: createLogger({ service: "match", instance: "test", level: "silent" }),
      metrics: createMetrics({ service: "match" }),
      ...PATIENT_MATCH,
      ...options,
    });
    const server = await listen(service.app, { host: "127.0.0.1", port: 0, portVariable: "PORT" });
    await service.waitUntilFresh(PROPAGATION_TIMEOUT_MS);
    const instance = {
      url: `http://127.0.0.1:${server.port}${read.settings.basePath}`,
      service,
      stop: () => stopBoth(server, service),
    };
    this.instances.push(instance);
    return instance;
  }

  /** Removes everything published, so that the next test starts with an empty snapshot; creates a new key. */
  async reset(): Promise<void> {
    const removals = [...this.#published].map(([name, version]) => ({
      name,
      rowVersion: version + 1,
      json: null,
    }));
    this.#published.clear();
    await this.publish(removals);
    this.#key = await this.addKey();
  }

  async close(): Promise<void> {
    await Promise.all(this.instances.map((instance) => instance.stop()));
    this.redis.disconnect();
  }

  async publish(entries: SnapshotEntry[]): Promise<void> {
    const version = await this.publisher.publish(entries);
    await this.publisher.awaitPropagation(version, PROPAGATION_TIMEOUT_MS);
    for (const { name, rowVersion, json } of entries) {
      if (json !== null) this.#published.set(name, rowVersion);
    }
  }

  /** Returns the text of the key. */
  async addKey(wish: Partial<SnapshotApiKey> = {}): Promise<string> {
    const text = `igk_${newId("key")}`;
    const key: SnapshotApiKey = {
      key_id: newId("key"),
      account_id: this.accountId,
      version: 1,
      scopes: ["advertiser", "developer", "serving"],
      rate_limit_per_minute: null,
      expires_at_ms: null,
      ...wish,
    };
    await this.publish([{ name: keyName(text), rowVersion: key.version, json: JSON.stringify(key) }]);
    return text;
  }

  async revokeKey(text: string): Promise<void> {
    await this.publish([{ name: keyName(text), rowVersion: 2, json: null }]);
  }

  async addGame(wish: Partial<SnapshotPlacement> = {}): Promise<SnapshotPlacement> {
    const placement: SnapshotPlacement = {
      game_id: newId("key"),
      account_id: this.accountId,
      version: 1,
      is_active: true,
      placement_types: ["narrative_hook", "product_mention", "location_brand", "character_reference"],
      revenue_share_basis_points: 7_000,
      max_ads_per_session: 10,
      blocked_advertisers: [],
      blocked_categories: [],
      ...wish,
    };
    const entry = { name: entityName.placement(placement.game_id), rowVersion: placement.version };
    await this.publish([{ ...entry, json: JSON.stringify(placement) }]);
    return placement;
  }

  async addCampaign(wish: CampaignWish = {}): Promise<SnapshotCampaign> {
    const { depositedMillicents, budgetMillicents, dailyCapMillicents, creatives, walletOnly, ...fields } =
      wish;
    const campaign: SnapshotCampaign = {
      campaign_id: newId("camp"),
      advertiser_id: newId("adv"),
      version: 1,
      status: "active",
      cpm_bid_cents: 1_000,
      priority: 5,
      start_date: null,
      end_date: null,
      target_categories: [],
      target_tags: [],
      geo_targets: [],
      blocklist: [],
      affinities: [],
      ...fields,
      creatives: (creatives ?? [{}]).map((creative) => ({ ...plainCreative(), ...creative })),
    };
    await openWallet(this.money, {
      advertiserId: campaign.advertiser_id,
      version: campaign.version,
      depositedMillicents: depositedMillicents ?? 1_000_000_000,
    });
    await this.money.applyCampaign({
      advertiserId: campaign.advertiser_id,
      campaignId: campaign.campaign_id,
      version: campaign.version,
      status: campaign.status,
      budgetMillicents: budgetMillicents ?? 1_000_000_000,
      dailyCapMillicents: dailyCapMillicents ?? null,
      seed: { spentMillicents: 0, impressions: 0, day: "2026-01-01", daySpentMillicents: 0 },
    });
    const advertiser = {
      advertiser_id: campaign.advertiser_id,
      account_id: "acct_adv",
      version: campaign.version,
    };
    const entries = [
      {
        name: entityName.advertiser(campaign.advertiser_id),
        rowVersion: campaign.version,
        json: JSON.stringify(advertiser),
      },
      {
        name: entityName.campaign(campaign.campaign_id),
        rowVersion: campaign.version,
        json: JSON.stringify(campaign),
      },
    ];
    if (!walletOnly) await this.publish(entries);
    return campaign;
  }

  post(path: string, body: unknown, on: { instance?: number; key?: string } = {}): request.Test {
    const url = this.instances[on.instance ?? 0]?.url;
    if (url === undefined) throw new Error("no such instance");
    return documented(
      request(url)
        .post(path)
        .auth(on.key ?? this.#key, { type: "bearer" })
        .send(body as object),
    );
  }

  /** Sends a match request for a game; default: a new player. */
  match(
    game: Pick<SnapshotPlacement, "game_id">,
    wish: Record<string, unknown> = {},
    on: { instance?: number; key?: string } = {},
  ): request.Test {
    return this.post(
      "/match",
      { game_id: game.game_id, user_id: newId("key"), game_context: {}, ...wish },
      on,
    );
  }

  /** Sends the impression of an answer of `match`. */
  impression(
    game: Pick<SnapshotPlacement, "game_id">,
    match: { campaign_id: string; creative_id: string; match_id?: string },
    on: { instance?: number; key?: string } = {},
  ): request.Test {
    const { campaign_id, creative_id, match_id } = match;
    return this.post("/impressions", { campaign_id, creative_id, match_id, game_id: game.game_id }, on);
  }
}

function keyName(text: string): string {
  return entityName.apiKey(createHash("sha256").update(text).digest("hex"));
}

function plainCreative(): SnapshotCreative {
  return {
    creative_id: newId("crt"),
    creative_type: "narrative_hook",
    brand_name: "Acme",
    product_name: null,
    tagline: null,
    narrative_hook: "A crate of Acme rope stands by the door.",
    alt_hooks: [],
    tone: "neutral",
    max_uses_per_game: 20,
  };
}

async function stopBoth(server: ListeningServer, service: MatchService): Promise<void> {
  await server.close(0);
  await service.stop();
}
