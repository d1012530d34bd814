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

/** A row of `GET /analytics/campaigns` with the series of a number of days. */
export function campaignSummary(campaign: ModelCampaign, all: SeenImpression[], nowMs: number, days: number) {
  const seen = all.filter(({ campaignId }) => campaignId === campaign.id);
  const series = lastDays(nowMs, days)
    .reverse()
    .map((date) => seen.filter(({ recordedAtMs }) => dayOf(recordedAtMs) === date));
  const { pacing_status, projected_exhaustion_date } = pacingAnswer(campaign, seen, nowMs);
  const expected = pacing_status === "not_started" ? null : expectedMillicents(campaign, nowMs);
  return {
    campaign_id: campaign.id,
    name: campaign.name,
    status: campaign.status,
    budget_cents: campaign.budgetCents,
    cpm_bid_cents: campaign.cpmBidCents,
    daily_cap_cents: campaign.dailyCapCents,
    end_date: campaign.endDate,
    spent_millicents: spentOf(seen),
    expected_spend_millicents:
      expected === null ? null : Math.min(campaign.budgetCents * 1_000, Math.floor(expected)),
    impressions: seen.length,
    creatives: campaign.creatives.filter(({ deleted }) => !deleted).length,
    pacing_status,
    projected_exhaustion_date,
    daily_spent_millicents: series.map(spentOf),
    daily_impressions: series.map((ofDay) => ofDay.length),
  };
}

const dayNumber = (ms: number) => Math.floor(ms / DAY_MS);

function daysActive({ firstActivatedAtMs }: ModelCampaign, nowMs: number): number {
  return firstActivatedAtMs === null ? 1 : dayNumber(nowMs) - dayNumber(firstActivatedAtMs) + 1;
}

/** Null with neither both dates nor a cap. */
function expectedMillicents(campaign: ModelCampaign, nowMs: number): number | null {
  const { budgetCents, dailyCapCents, startDate, endDate } = campaign;
  if (startDate !== null && endDate !== null) {
    const [start, end] = [Date.parse(startDate), Date.parse(endDate) + DAY_MS];
    return (budgetCents * 1_000 * Math.min(nowMs - start, end - start)) / (end - start);
  }
  return dailyCapCents === null ? null : dailyCapCents * 1_000 * daysActive(campaign, nowMs);
}

function pacingAnswer(campaign: ModelCampaign, seen: SeenImpression[], nowMs: number) {
  const { budgetCents, dailyCapCents, firstActivatedAtMs, cpmBidCents } = campaign;
  const spent = spentOf(seen);
  const today = spentOf(seen.filter(({ recordedAtMs }) => dayOf(recordedAtMs) === dayOf(nowMs)));
  const remaining = budgetCents * 1_000 - spent;
  const capLeft =
    dailyCapCents === null ? Number.POSITIVE_INFINITY : Math.max(0, dailyCapCents * 1_000 - today);
  const days = daysActive(campaign, nowMs);
  const daysRemaining = spent === 0 ? null : Math.floor((remaining * days) / spent);
  const start = campaign.startDate === null ? null : Date.parse(campaign.startDate);
  const expected = expectedMillicents(campaign, nowMs);
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
    days_active: firstActivatedAtMs === null ? null : days,
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

/** `GET /earnings/advertisers` and, by advertiser, `GET /earnings?advertiser_id=…`; the campaigns have one brand. */
export function earningsAnswers(
  all: SeenImpression[],
  period: { from: string; to: string },
  gameId?: string,
) {
  const own = all.filter((one) => gameId === undefined || one.gameId === gameId);
  const isIn = ({ recordedAtMs }: SeenImpression) =>
    dayOf(recordedAtMs) >= period.from && dayOf(recordedAtMs) <= period.to;
  const sums = (seen: SeenImpression[]) => ({
    impressions: seen.length,
    earned_microcents: earnedMicrocents(seen),
  });
  const answer = <Row>(seen: SeenImpression[], rows: Row[]) => ({ ...period, total: sums(seen), rows });
  const advertisers = ranked(own, ({ advertiserId }) => advertiserId);
  return {
    byAdvertiser: answer(
      own.filter(isIn),
      advertisers
        .map(([advertiser_id, seen]) => ({
          advertiser_id,
          company_name: "Ember",
          brand_names: [CREATIVE.brand_name],
          ...sums(seen.filter(isIn)),
          total_earned_microcents: earnedMicrocents(seen),
        }))
        .sort(
          (a, b) =>
            b.earned_microcents - a.earned_microcents ||
            b.total_earned_microcents - a.total_earned_microcents ||
            (a.advertiser_id < b.advertiser_id ? -1 : 1),
        ),
    ),
    advertisers: advertisers.map(([advertiserId, seen]) => {
      const paid = seen.filter(isIn);
      const days = ranked(paid, ({ recordedAtMs }) => dayOf(recordedAtMs)).sort(([a], [b]) =>
        a < b ? 1 : -1,
      );
      const rows = days.flatMap(([date, ofDay]) =>
        ranked(ofDay, ({ gameId: id }) => id)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([game_id, ofGame]) => ({ date, game_id, ...sums(ofGame) })),
      );
      return { advertiserId, days: answer(paid, rows) };
    }),
  };
}
