import { DAY_MS } from "./world.fixture.ts";

/** An impression as a game saw it. */
export interface SeenImpression {
  campaignId: string;
  advertiserId: string;
  creativeId: string;
  gameId: string;
  user: string;
  countryCode: string | null;
  recordedAtMs: number;
  priceMillicents: number;
  basisPoints: number;
  contributions: { affinity_id: string; contribution: number }[];
  /** The affinities that the campaign had when it was matched. */
  affinityIds: string[];
}

export interface ModelCampaign {
  id: string;
  advertiserId: string;
  name: string;
  status: string;
  budgetCents: number;
  dailyCapCents: number | null;
  cpmBidCents: number;
  startDate: string | null;
  endDate: string | null;
  firstActivatedAtMs: number | null;
  creatives: { id: string; deleted: boolean }[];
  affinities: { id: string; body: { affinity_type: string; affinity_value: string; weight: number } }[];
}

const CREATIVE = { creative_type: "narrative_hook", brand_name: "Ember" };
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
const distinct = <T>(list: T[]): T[] => [...new Set(list)];
/** A mean or a rate to four decimals. */
const four = (dividend: number, divisor: number) =>
  divisor === 0 ? 0 : Math.round((dividend / divisor) * 10_000) / 10_000;
const spentOf = (seen: SeenImpression[]) => sum(seen.map(({ priceMillicents }) => priceMillicents));
const scoreOf = (seen: SeenImpression[]) =>
  sum(seen.flatMap(({ contributions }) => contributions.map(({ contribution }) => contribution)));

/** Half to even of price × share, in microcents. */
function earningOf({ priceMillicents, basisPoints }: SeenImpression): number {
  const exact = (priceMillicents * 1_000 * basisPoints) / 10_000;
  const down = Math.floor(exact);
  if (exact - down !== 0.5) return Math.round(exact);
  return down % 2 === 0 ? down : down + 1;
}
const earnedMicrocents = (seen: SeenImpression[]) => sum(seen.map(earningOf));
const earnedCents = (seen: SeenImpression[]) => Math.floor(earnedMicrocents(seen) / 1_000_000);
const earned = (seen: SeenImpression[]) => ({
  earned_cents: earnedCents(seen),
  earned_microcents: earnedMicrocents(seen),
});

function row(seen: SeenImpression[]) {
  return {
    impressions: seen.length,
    unique_users: distinct(seen.map(({ user }) => user)).length,
    spent_cents: Math.floor(spentOf(seen) / 1_000 + 0.5),
    spent_millicents: spentOf(seen),
  };
}
const scoredRow = (seen: SeenImpression[]) => ({
  ...row(seen),
  avg_affinity_score: four(scoreOf(seen), seen.length),
});

/** The members of a list of impressions by name: most first, then by name. */
function ranked(
  seen: SeenImpression[],
  nameOf: (one: SeenImpression) => string,
): [string, SeenImpression[]][] {
  return distinct(seen.map(nameOf))
    .sort()
    .map((name): [string, SeenImpression[]] => [name, seen.filter((one) => nameOf(one) === name)])
    .sort(([, a], [, b]) => b.length - a.length);
}

function lastDays(nowMs: number, count: number): string[] {
  return Array.from({ length: count }, (_, back) => dayOf(nowMs - back * DAY_MS));
}

/** Every analytics answer of a campaign, counted one impression at a time. */
export function campaignAnswers(campaign: ModelCampaign, all: SeenImpression[], nowMs: number, days: number) {
  const seen = all.filter(({ campaignId }) => campaignId === campaign.id);
  const campaign_id = campaign.id;
  const ofCreative = (id: string) => seen.filter(({ creativeId }) => creativeId === id);
  return {
    stats: {
      campaign_id,
      impressions: seen.length,
      unique_users: distinct(seen.map(({ user }) => user)).length,
      unique_games: distinct(seen.map(({ gameId }) => gameId)).length,
      spent_cents: Math.ceil(spentOf(seen) / 1_000),
      spent_millicents: spentOf(seen),
      budget_cents: campaign.budgetCents,
      effective_cpm_cents: seen.length === 0 ? 0 : Math.round(spentOf(seen) / seen.length),
      avg_affinity_score: four(scoreOf(seen), seen.length),
      top_creative_id: ranked(seen, ({ creativeId }) => creativeId)[0]?.[0] ?? null,
      top_game_id: ranked(seen, ({ gameId }) => gameId)[0]?.[0] ?? null,
    },
    daily: {
      campaign_id,
      days: lastDays(nowMs, days).map((date) => ({
        date,
        ...scoredRow(seen.filter(({ recordedAtMs }) => dayOf(recordedAtMs) === date)),
      })),
    },
    creatives: {
      campaign_id,
      creatives: campaign.creatives
        .filter(({ id, deleted }) => !deleted || ofCreative(id).length > 0)
        .map(({ id }) => ({ creative_id: id, ...CREATIVE, ...scoredRow(ofCreative(id)) }))
        .sort((a, b) => b.impressions - a.impressions || (a.creative_id < b.creative_id ? -1 : 1)),
    },
    geo: {
      campaign_id,
      countries: [
        ...ranked(
          seen.filter(({ countryCode }) => countryCode !== null),
          ({ countryCode }) => String(countryCode),
        ).map(([country_code, members]) => ({ country_code, ...row(members) })),
        ...[seen.filter(({ countryCode }) => countryCode === null)]
          .filter((unknown) => unknown.length > 0)
          .map((unknown) => ({ country_code: null, ...row(unknown) })),
      ],
    },
    affinities: {
      campaign_id,
      affinities: campaign.affinities.map(({ id, body }) => {
        const influenced = seen.filter(({ contributions }) =>
          contributions.some((part) => part.affinity_id === id && part.contribution > 0),
        );
        const eligible = seen.filter(({ affinityIds }) => affinityIds.includes(id));
        const parts = influenced.flatMap(({ contributions }) =>
          contributions.filter((part) => part.affinity_id === id),
        );
        return {
          affinity_id: id,
          ...body,
          match_rate: four(influenced.length, eligible.length),
          avg_score_contribution: four(sum(parts.map(({ contribution }) => contribution)), influenced.length),
          impressions_influenced: influenced.length,
        };
      }),
    },
    pacing: pacingAnswer(campaign, seen, nowMs),
  };
}

function pacingAnswer(campaign: ModelCampaign, seen: SeenImpression[], nowMs: number) {
  const { budgetCents, dailyCapCents, firstActivatedAtMs, cpmBidCents } = campaign;
  const spent = spentOf(seen);
  const today = spentOf(seen.filter(({ recordedAtMs }) => dayOf(recordedAtMs) === dayOf(nowMs)));
  const remaining = budgetCents * 1_000 - spent;
  const capLeft =
    dailyCapCents === null ? Number.POSITIVE_INFINITY : Math.max(0, dailyCapCents * 1_000 - today);
  const dayNumber = (ms: number) => Math.floor(ms / DAY_MS);
  const days = firstActivatedAtMs === null ? 1 : dayNumber(nowMs) - dayNumber(firstActivatedAtMs) + 1;
  const daysRemaining = spent === 0 ? null : Math.floor((remaining * days) / spent);
  const start = campaign.startDate === null ? null : Date.parse(campaign.startDate);
  const end = campaign.endDate === null ? null : Date.parse(campaign.endDate) + DAY_MS;
  const expected =
    start !== null && end !== null
      ? (budgetCents * 1_000 * Math.min(nowMs - start, end - start)) / (end - start)
      : dailyCapCents === null
        ? null
        : dailyCapCents * 1_000 * days;
  const ratio = expected === null ? 1 : spent / Math.max(expected, budgetCents * 10);
  const status = () => {
    if (firstActivatedAtMs === null || (start !== null && nowMs < start)) return "not_started";
    if (remaining < cpmBidCents) return "exhausted";
    if (capLeft < cpmBidCents) return "capped_today";
    return ratio > 1.1 ? "over_pacing" : ratio < 0.9 ? "under_pacing" : "on_pace";
  };
  return {
    campaign_id: campaign.id,
    budget_cents: budgetCents,
    spent_cents: Math.ceil(spent / 1_000),
    spent_millicents: spent,
    remaining_cents: Math.floor(remaining / 1_000),
    daily_cap_cents: dailyCapCents,
    today_spent_cents: Math.ceil(today / 1_000),
    today_spent_millicents: today,
    today_remaining_cents: Math.floor(Math.min(remaining, capLeft) / 1_000),
    avg_daily_spend_cents: Math.round(spent / (days * 1_000)),
    projected_exhaustion_date:
      daysRemaining === null ? null : dayOf(Math.min(nowMs + daysRemaining * DAY_MS, Date.UTC(9999, 11, 31))),
    days_remaining: daysRemaining,
    pacing_status: status(),
    utilization_pct: four(spent * 100, budgetCents * 1_000),
  };
}

/** `GET /revenue` of an advertiser; campaigns in the order of creation. */
export function revenueAnswer(depositedCents: number, campaigns: ModelCampaign[], all: SeenImpression[]) {
  const ofCampaign = (id: string) => all.filter(({ campaignId }) => campaignId === id);
  const own = campaigns.flatMap(({ id }) => ofCampaign(id));
  return {
    total_spent_cents: Math.ceil(spentOf(own) / 1_000),
    total_spent_millicents: spentOf(own),
    total_impressions: own.length,
    active_campaigns: campaigns.filter(({ status }) => status === "active").length,
    balance_cents: Math.floor((depositedCents * 1_000 - spentOf(own)) / 1_000),
    campaigns: campaigns
      .map(({ id, name, status }) => ({
        campaign_id: id,
        name,
        spent_cents: Math.ceil(spentOf(ofCampaign(id)) / 1_000),
        spent_millicents: spentOf(ofCampaign(id)),
        impressions: ofCampaign(id).length,
        status,
      }))
      .reverse(),
  };
}

/** `GET /creator-revenue` and, by game, `GET /creator-revenue/{game_id}`. */
export function creatorAnswers(gameIds: string[], sharePct: number, all: SeenImpression[], nowMs: number) {
  const ofGame = (id: string) => all.filter(({ gameId }) => gameId === id);
  const total = (id: string) => ({
    game_id: id,
    ...earned(ofGame(id)),
    impressions: ofGame(id).length,
    revenue_share_pct: sharePct,
  });
  return {
    all: {
      total_earned_cents: earnedCents(gameIds.flatMap(ofGame)),
      total_earned_microcents: earnedMicrocents(gameIds.flatMap(ofGame)),
      total_impressions: gameIds.flatMap(ofGame).length,
      games_count: gameIds.length,
      games: [...gameIds]
        .sort()
        .map(total)
        .sort((a, b) => b.impressions - a.impressions),
    },
    games: gameIds.map((id) => ({
      ...total(id),
      top_advertisers: ranked(ofGame(id), ({ advertiserId }) => advertiserId).map(
        ([advertiser_id, seen]) => ({
          advertiser_id,
          impressions: seen.length,
          ...earned(seen),
        }),
      ),
      daily: lastDays(nowMs, 30).map((date) => {
        const seen = ofGame(id).filter(({ recordedAtMs }) => dayOf(recordedAtMs) === date);
        return { date, impressions: seen.length, ...earned(seen) };
      }),
    })),
  };
}
