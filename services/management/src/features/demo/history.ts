import { createHash } from "node:crypto";
import { type AffinityContribution, derivedId, type ImpressionRecord } from "@diegetic/contracts";
import { DAY_MS, type Database, dateOfDay, utcDay } from "@diegetic/database";
import {
  addCampaignGameCounts,
  type CampaignGameCounts,
  type RedisConnection,
  type SceneContext,
  TrafficRecorder,
} from "@diegetic/hot-state";
import { percentToBasisPoints, priceMillicents } from "@diegetic/money";
import { HISTORY_DAYS } from "./demo.ts";
import { DEMO_CAMPAIGNS, DEMO_COUNTRIES, DEMO_GAMES, type DemoCampaign, type DemoGame } from "./market.ts";

const HOUR_MS = 60 * 60 * 1_000;
const PLAYERS = 2_600;
/** Weight of each UTC hour: quiet mornings, busy evenings. */
const HOURS = [5, 4, 3, 2, 2, 2, 2, 3, 4, 4, 5, 5, 6, 6, 6, 7, 8, 9, 11, 13, 14, 13, 10, 7].map(
  (share, hour) => [hour, share] as const,
);
/** Weight of each day of the week, Sunday first. */
const WEEKDAYS = [1.3, 0.85, 0.8, 0.85, 0.95, 1.1, 1.35];
/** Growth from the first to the last day, as a fraction. */
const GROWTH = 0.35;
/** Minimum balance during the history. */
const BALANCE_LEFT_CENTS = 2_200;
/** Calls without an impression, per impression, by outcome. */
const UNSEEN_MATCHES = 0.24;
const NO_MATCH: readonly [reason: string, share: number][] = [
  ["no_eligible_campaign", 0.16],
  ["session_cap", 0.11],
  ["budget", 0.03],
];
const REFUSED = 0.004;

/** The past of the demo: impression records for billing, and the calls that caused them. */
export interface DemoHistory {
  accountId: string;
  advertiserId: string;
  records: ImpressionRecord[];
  calls: DemoCall[];
}

/** A call from a demo game. */
export interface DemoCall {
  gameId: string;
  atMs: number;
  kind: "match" | "impression" | "refused";
  context: SceneContext;
  countryCode: string | null;
  /** Set for a match with an ad and its impression. */
  campaignId?: string;
  noMatchReason?: string;
}

interface KnownCampaign {
  spec: DemoCampaign;
  id: string;
  version: number;
  creatives: (readonly [id: string, share: number])[];
  affinities: { id: string; weight: number }[];
}

/**
 * The history of the demo account; undefined: it is written already, or the account is too old. It is the same at every
 * start before `createDemoLogin`; afterwards somebody may have changed what it follows from.
 */
export async function demoHistory(database: Database, accountId: string): Promise<DemoHistory | undefined> {
  const login = { isDemo: true, memberships: { some: { accountId } } };
  if ((await database.user.findFirst({ where: login, select: { id: true } })) !== null) return undefined;
  const advertiser = await database.advertiser.findUnique({ where: { accountId } });
  if (advertiser === null) return undefined;
  const campaigns = await knownCampaigns(database, advertiser.id);
  const owned = await database.placement.findMany({ where: { accountId }, select: { gameId: true } });
  const ownGames = new Set(owned.map(({ gameId }) => gameId));
  const games = DEMO_GAMES.filter(({ gameId }) => ownGames.has(gameId));
  if (campaigns.length < DEMO_CAMPAIGNS.length || games.length === 0) return undefined;
  const deposits = await database.deposit.findMany({ where: { advertiserId: advertiser.id } });
  const history = new HistoryWriter({
    accountId,
    advertiserId: advertiser.id,
    sinceMs: advertiser.createdAt.getTime(),
    campaigns,
    games,
    deposits: deposits.map(({ amountCents, createdAt }) => ({ amountCents, atMs: createdAt.getTime() })),
  }).write();
  const last = history.records.at(-1);
  if (last === undefined) return undefined;
  const day = dateOfDay(utcDay(last.recorded_at_ms));
  const written =
    (await database.impression.findUnique({
      where: { day_impressionId: { day, impressionId: last.impression_id } },
      select: { impressionId: true },
    })) ?? (await database.droppedImpressionDay.findUnique({ where: { day } }));
  return written === null ? history : undefined;
}

/** Adds the calls of a history to the developers' traffic statistics, and to what campaigns count by game. */
export async function recordDemoCalls(redis: RedisConnection, history: DemoHistory): Promise<void> {
  const recorder = new TrafficRecorder(redis, { everyMs: HOUR_MS, maxWordScenes: 10_000 });
  const { accountId } = history;
  let hour = 0;
  for (const { gameId, atMs, kind, context, countryCode, noMatchReason } of history.calls) {
    const itsHour = Math.floor(atMs / HOUR_MS);
    if (itsHour !== hour) await recorder.flush();
    hour = itsHour;
    if (kind === "impression") recorder.impression(gameId, accountId, atMs);
    else if (kind === "refused") {
      recorder.gameRefusal({ gameId, accountId }, "impressions", 409, atMs);
      recorder.accountRefusal(accountId, "impressions", 409, atMs);
    } else {
      recorder.match({ gameId, accountId, atMs, context, countryCode, noMatchReason, secrets: [] });
    }
  }
  await recorder.flush();
  await addCampaignGameCounts(redis, history.advertiserId, countsByGame(history.calls));
}

/** The matches and impressions of each campaign in each game by the hour, in the last day of the calls. */
function countsByGame(calls: readonly DemoCall[]): CampaignGameCounts[] {
  const sinceMs = (calls.at(-1)?.atMs ?? 0) - DAY_MS;
  const counts = new Map<string, CampaignGameCounts>();
  for (const { campaignId, gameId, atMs, kind } of calls) {
    if (campaignId === undefined || atMs < sinceMs) continue;
    const hourMs = Math.floor(atMs / HOUR_MS) * HOUR_MS;
    const key = `${campaignId} ${hourMs} ${gameId}`;
    const count = counts.get(key) ?? { campaignId, gameId, hourMs, matches: 0, impressions: 0 };
    if (kind === "match") count.matches += 1;
    else count.impressions += 1;
    counts.set(key, count);
  }
  return [...counts.values()];
}

/** The demo's campaigns that still exist by name. */
async function knownCampaigns(database: Database, advertiserId: string): Promise<KnownCampaign[]> {
  const rows = await database.campaign.findMany({
    where: { advertiserId },
    include: { creatives: { orderBy: { id: "asc" } }, affinities: { orderBy: { id: "asc" } } },
  });
  return DEMO_CAMPAIGNS.flatMap((spec) => {
    const row = rows.find(({ name }) => name === spec.name);
    if (row === undefined || row.creatives.length < spec.creatives.length) return [];
    const { id, version, affinities } = row;
    const creatives = spec.creatives.map(
      ({ share }, index) => [row.creatives[index]?.id ?? "", share] as const,
    );
    return [{ spec, id, version, creatives, affinities }];
  });
}

interface HistoryFacts {
  accountId: string;
  advertiserId: string;
  sinceMs: number;
  campaigns: readonly KnownCampaign[];
  games: readonly DemoGame[];
  deposits: readonly { amountCents: number; atMs: number }[];
}

/** Draws the history from a fixed seed, in time order, and never overspends. */
class HistoryWriter {
  readonly #facts: HistoryFacts;
  readonly #random = seeded(20_26);
  readonly #records: ImpressionRecord[] = [];
  readonly #calls: DemoCall[] = [];
  readonly #spent = new Map<string, number>();
  readonly #players = new Map<number, string>();
  #allSpent = 0;

  constructor(facts: HistoryFacts) {
    this.#facts = facts;
  }

  write(): DemoHistory {
    const { sinceMs } = this.#facts;
    const endMs = sinceMs + HISTORY_DAYS * DAY_MS;
    for (let dayMs = startOfDay(sinceMs); dayMs < endMs; dayMs += DAY_MS) {
      const impressions = this.#facts.campaigns
        .flatMap((campaign) => this.#momentsOf(campaign, dayMs).map((atMs) => ({ campaign, atMs })))
        .filter(({ atMs }) => atMs >= sinceMs && atMs < endMs)
        .sort((a, b) => a.atMs - b.atMs);
      const spentToday = new Map<string, number>();
      for (const { campaign, atMs } of impressions) this.#see(campaign, atMs, spentToday);
    }
    this.#calls.sort((a, b) => a.atMs - b.atMs);
    const { accountId, advertiserId } = this.#facts;
    return { accountId, advertiserId, records: this.#records, calls: this.#calls };
  }

  /** Times on a day at which a campaign would be seen if its money sufficed. */
  #momentsOf({ spec }: KnownCampaign, dayMs: number): number[] {
    const day = Math.round((dayMs - startOfDay(this.#facts.sinceMs)) / DAY_MS);
    if (day < spec.since || day >= (spec.pausedOn ?? Number.POSITIVE_INFINITY)) return [];
    const weekday = WEEKDAYS[new Date(dayMs).getUTCDay()] ?? 1;
    const growth = 1 - GROWTH / 2 + (GROWTH * day) / HISTORY_DAYS;
    const mean = spec.daily * weekday * growth * (0.88 + this.#random() * 0.24);
    return Array.from({ length: Math.round(mean) }, () => {
      const hour = pick(HOURS, this.#random);
      return dayMs + hour * HOUR_MS + Math.floor(this.#random() * HOUR_MS);
    });
  }

  #see(campaign: KnownCampaign, atMs: number, spentToday: Map<string, number>): void {
    const { spec, id } = campaign;
    const price = priceMillicents(spec.bidCents);
    const spent = this.#spent.get(id) ?? 0;
    const today = spentToday.get(id) ?? 0;
    const cap = spec.dailyCapCents === undefined ? Number.POSITIVE_INFINITY : spec.dailyCapCents * 1_000;
    if (spent + price > spec.budgetCents * 1_000 || today + price > cap) return;
    if (this.#allSpent + price > this.#depositedBy(atMs) - BALANCE_LEFT_CENTS * 1_000) return;
    const day = (atMs - this.#facts.sinceMs) / DAY_MS;
    const open = this.#facts.games.filter(({ disabledOn }) => day < (disabledOn ?? Number.POSITIVE_INFINITY));
    const game = pick(
      open.map((one) => [one, one.share] as const),
      this.#random,
    );
    const context = game.scenes[Math.floor(this.#random() * game.scenes.length)] ?? {};
    const countryCode = pick(countriesOf(spec), this.#random);
    this.#spent.set(id, spent + price);
    spentToday.set(id, today + price);
    this.#allSpent += price;
    this.#records.push(this.#record(campaign, game, { atMs, price, countryCode }));
    this.#call(game, id, { atMs, context, countryCode });
  }

  /** The calls around an impression: its match, and others without an impression. */
  #call(
    game: DemoGame,
    campaignId: string,
    { atMs, context, countryCode }: Pick<DemoCall, "atMs" | "context" | "countryCode">,
  ): void {
    const { gameId } = game;
    const request = { gameId, kind: "match", context, countryCode } as const;
    const match = { ...request, campaignId, atMs: atMs - 4_000 };
    this.#calls.push(match, { ...match, atMs, kind: "impression" });
    if (this.#random() < UNSEEN_MATCHES) this.#calls.push({ ...match, atMs: atMs - 9_000 });
    for (const [noMatchReason, share] of NO_MATCH) {
      if (this.#random() < share) this.#calls.push({ ...request, atMs: atMs - 15_000, noMatchReason });
    }
    if (this.#random() < REFUSED) this.#calls.push({ ...request, atMs: atMs - 2_000, kind: "refused" });
  }

  #record(
    campaign: KnownCampaign,
    game: DemoGame,
    { atMs, price, countryCode }: { atMs: number; price: number; countryCode: string | null },
  ): ImpressionRecord {
    const { accountId, advertiserId } = this.#facts;
    const name = `demo ${advertiserId} ${this.#records.length}`;
    // Skewed, so that some players return often.
    const player = Math.floor(this.#random() ** 1.8 * PLAYERS);
    const userHash = this.#hashOf(player);
    const affinities = this.#contributions(campaign);
    return {
      impression_id: derivedId("imp", name),
      creative_id: pick(campaign.creatives, this.#random),
      recorded_at_ms: atMs,
      match: {
        match_id: derivedId("mat", name),
        advertiser_id: advertiserId,
        campaign_id: campaign.id,
        campaign_version: campaign.version,
        game_id: game.gameId,
        developer_account_id: accountId,
        user_hash: userHash,
        session_key: `${userHash.slice(0, 20)}-${utcDay(atMs)}`,
        country_code: countryCode,
        affinity_score: affinities.reduce((sum, { contribution }) => sum + contribution, 0),
        affinities,
        price_millicents: price,
        revenue_share_basis_points: percentToBasisPoints(game.sharePercent) ?? 0,
        matched_at_ms: atMs - 4_000,
      },
    };
  }

  #hashOf(player: number): string {
    const known = this.#players.get(player);
    if (known !== undefined) return known;
    const hash = createHash("sha256").update(`demo player ${player}`).digest("base64url");
    this.#players.set(player, hash);
    return hash;
  }

  /** Affinities with more weight are sent more often. */
  #contributions({ affinities }: KnownCampaign): AffinityContribution[] {
    return affinities.flatMap(({ id, weight }) => {
      const luck = this.#random() * 3;
      if (luck > weight) return [];
      return [{ affinity_id: id, contribution: luck < weight / 2 ? weight : weight / 2 }];
    });
  }

  #depositedBy(atMs: number): number {
    return this.#facts.deposits
      .filter((deposit) => deposit.atMs <= atMs)
      .reduce((sum, { amountCents }) => sum + amountCents * 1_000, 0);
  }
}

/** Where a campaign may serve. */
function countriesOf({ geoTargets = [] }: DemoCampaign): typeof DEMO_COUNTRIES {
  const codes = (include: boolean) =>
    geoTargets
      .filter((target) => target.target_type === "country" && (target.include ?? true) === include)
      .map(({ country_code }) => country_code);
  const [included, excluded] = [codes(true), codes(false)];
  return DEMO_COUNTRIES.filter(
    ([country]) =>
      !excluded.includes(country ?? undefined) &&
      (included.length === 0 || included.includes(country ?? undefined)),
  );
}

function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** Draws one choice by its share. */
function pick<Value>(choices: readonly (readonly [Value, number])[], random: () => number): Value {
  const all = choices.reduce((sum, [, share]) => sum + share, 0);
  let left = random() * all;
  for (const [value, share] of choices) {
    left -= share;
    if (left < 0) return value;
  }
  const last = choices.at(-1);
  if (last === undefined) throw new RangeError("there is nothing to pick from");
  return last[0];
}

/** Deterministic numbers from 0 (inclusive) to 1 (exclusive) for a seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
