import {
  countryParameter,
  droppedImpressions,
  SPEND_DAYS,
  SPEND_DIMENSIONS,
  type SpendBody,
  textParameter,
  tooManyImpressions,
  UNKNOWN_COUNTRY,
  unknownGrouping,
} from "@diegetic/contracts";
import { type Database, StatementTimeout } from "@diegetic/database";
import { isPlainName } from "@diegetic/hot-state";
import type { RequestContext } from "@diegetic/service-kit";
import { callingAdvertiser, readAfter } from "../../core/read-your-writes/caller.ts";
import { type CsvColumn, readTableWindow, tableAnswer } from "../../core/shared/csv.ts";
import { decimalCents } from "../../core/shared/decimal-cents.ts";
import { readPeriod } from "../../core/shared/period.ts";
import type { Parts } from "../parts.ts";
import {
  lastDroppedDay,
  readSpend,
  type SpendDimension,
  type SpendGroup,
  type SpendQuery,
} from "./spend-store.ts";

/** Matches no campaign and no creative. */
const NOTHING = "-";

export async function spend(parts: Parts, context: RequestContext) {
  const { accountId } = context;
  const { query, window } = await readAfter(
    () => callingAdvertiser(parts.database, accountId),
    () => ({ query: readQuery(context.query, parts.clock()), window: readTableWindow(context) }),
  );
  await requireKept(parts.database, accountId, query);
  const found = await readSpend(parts, accountId, query, window).catch((error: unknown) => {
    if (!(error instanceof StatementTimeout)) throw error;
    throw tooManyImpressions.error();
  });
  // Again, because days may have been dropped meanwhile.
  await requireKept(parts.database, accountId, query);
  const { from, to } = query;
  return tableAnswer(context, window, found, {
    fileName: `spend-${from}-${to}.csv`,
    columns: columnsOf(query),
    toBody: (): SpendBody => ({
      from,
      to,
      total: { impressions: found.impressions, spent_millicents: found.spentMillicents },
      rows: found.rows.map(toRowResponse),
    }),
  });
}

/** Throws 422 when impressions that the query needs were dropped, 403 before registration. */
async function requireKept(database: Database, accountId: string, query: SpendQuery): Promise<void> {
  const droppedDay = await lastDroppedDay(database, query);
  if (droppedDay === undefined) return;
  await callingAdvertiser(database, accountId);
  throw droppedImpressions.error(droppedDay);
}

function readQuery(query: URLSearchParams, nowMs: number): SpendQuery {
  const { from, to } = readPeriod(query, nowMs, SPEND_DAYS);
  const plain = (name: string) => {
    const value = textParameter(name, query) ?? null;
    return value === null || isPlainName(value) ? value : NOTHING;
  };
  const country = countryParameter("country_code", query, UNKNOWN_COUNTRY);
  return {
    from,
    to,
    groupBy: groupBy(textParameter("group_by", query)),
    campaignId: plain("campaign_id"),
    creativeId: plain("creative_id"),
    countryCode: country === UNKNOWN_COUNTRY ? "" : (country ?? null),
  };
}

function groupBy(text: string | undefined): readonly SpendDimension[] {
  if (text === undefined) return SPEND_DIMENSIONS;
  return text.split(",").map((name) => {
    const dimension = SPEND_DIMENSIONS.find((one) => one === name);
    if (dimension !== undefined) return dimension;
    throw unknownGrouping.error(text);
  });
}

function toRowResponse(row: SpendGroup): SpendBody["rows"][number] {
  return {
    ...(row.day !== null && { date: row.day }),
    ...(row.campaignId !== null && { campaign_id: row.campaignId, campaign_name: row.campaignName ?? "" }),
    ...(row.creativeId !== null && { creative_id: row.creativeId, brand_name: row.brandName ?? "" }),
    ...(row.countryCode !== null && { country_code: row.countryCode || null }),
    impressions: row.impressions,
    spent_millicents: row.spentMillicents,
  };
}

const COLUMNS: Record<SpendDimension, readonly CsvColumn<SpendGroup>[]> = {
  day: [["date", ({ day }) => day ?? ""]],
  campaign: [
    ["campaign_id", ({ campaignId }) => campaignId ?? ""],
    ["campaign_name", ({ campaignName }) => campaignName ?? ""],
  ],
  creative: [
    ["creative_id", ({ creativeId }) => creativeId ?? ""],
    ["brand_name", ({ brandName }) => brandName ?? ""],
  ],
  country: [["country_code", ({ countryCode }) => countryCode ?? ""]],
};

function columnsOf({ groupBy }: SpendQuery): CsvColumn<SpendGroup>[] {
  return [
    ...SPEND_DIMENSIONS.filter((one) => groupBy.includes(one)).flatMap((one) => COLUMNS[one]),
    ["impressions", ({ impressions }) => String(impressions)],
    ["spent_cents", ({ spentMillicents }) => decimalCents(spentMillicents)],
  ];
}
