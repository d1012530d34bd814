import type { ImpressionRecord } from "@diegetic/contracts";
import { type Database, dateOfDay, utcDay } from "@diegetic/database";
import { type SlotBooks, type SlotLimits, type SlotReader, UnexpectedReply } from "@diegetic/hot-state";
import { forEachLimited } from "../loops/for-each.ts";
import { isOverLimit } from "./check-slot.ts";
import type { AdvertiserFigures, SlotFigures, WaitingFigures } from "./figures.ts";

const SLOTS_AT_A_TIME = 8;
/** Billing queues a record again after seconds: one that is older is not on its way any more. */
const OVERDUE_MS = 120_000;

/** `unreadable`: a figure is not a number. `moving`: it would not stand still between two reads. */
export type ReadSlot = SlotBooks | "unreadable" | "moving";

/** Reads the slots of advertisers whose campaigns are given. */
export async function readSlots(
  reader: SlotReader,
  campaignIds: ReadonlyMap<string, readonly string[]>,
  limits: SlotLimits,
): Promise<Map<string, ReadSlot>> {
  const slots = new Map<string, ReadSlot>();
  await forEachLimited([...campaignIds], SLOTS_AT_A_TIME, async ([advertiserId, ids]) => {
    slots.set(advertiserId, await readSlot(reader, advertiserId, ids, limits));
  });
  return slots;
}

async function readSlot(
  reader: SlotReader,
  advertiserId: string,
  campaignIds: readonly string[],
  limits: SlotLimits,
): Promise<ReadSlot> {
  try {
    return (await reader.read(advertiserId, campaignIds, limits)) ?? "moving";
  } catch (error) {
    if (error instanceof UnexpectedReply) return "unreadable";
    throw error;
  }
}

/** Which of these committed records are in Postgres. */
export async function readWrittenIds(
  database: Pick<Database, "$queryRaw">,
  records: readonly ImpressionRecord[],
): Promise<Set<string>> {
  if (records.length === 0) return new Set();
  const ids = records.map((record) => record.impression_id);
  const days = [...new Set(records.map((record) => utcDay(record.recorded_at_ms)))].map(dateOfDay);
  const rows = await database.$queryRaw<{ id: string }[]>`
    SELECT impression_id AS id FROM impressions
    WHERE day = ANY(${days}::date[]) AND impression_id = ANY(${ids})
    UNION ALL SELECT impression_id FROM poison_impressions WHERE impression_id = ANY(${ids})`;
  return new Set(rows.map((row) => row.id));
}

/** Sums up what of the outbox Postgres does not have. */
export function slotFigures(
  slot: SlotBooks,
  written: ReadonlySet<string> | null,
  newestVersions: ReadonlyMap<string, number>,
): Omit<SlotFigures, "publishedVersions"> {
  const records = slot.outbox.records ?? [];
  const ages = records.map((record) => slot.readAtMs - record.recorded_at_ms);
  return {
    slot,
    waiting: written === null || slot.outbox.records === null ? null : waitingOf(records, written),
    overdueRecords: ages.filter((age) => age > OVERDUE_MS).length,
    newestVersions,
  };
}

function waitingOf(
  records: readonly ImpressionRecord[],
  written: ReadonlySet<string>,
): NonNullable<SlotFigures["waiting"]> {
  const byCampaign = new Map<string, WaitingFigures>();
  const priceByDay = new Map<string, bigint>();
  const all = { impressions: 0n, priceMillicents: 0n };
  for (const { impression_id, recorded_at_ms, match } of records) {
    if (written.has(impression_id)) continue;
    const price = BigInt(match.price_millicents);
    const own = byCampaign.get(match.campaign_id) ?? { impressions: 0n, priceMillicents: 0n };
    byCampaign.set(match.campaign_id, {
      impressions: own.impressions + 1n,
      priceMillicents: own.priceMillicents + price,
    });
    const day = `${match.campaign_id} ${utcDay(recorded_at_ms)}`;
    priceByDay.set(day, (priceByDay.get(day) ?? 0n) + price);
    all.impressions += 1n;
    all.priceMillicents += price;
  }
  return { all, byCampaign, priceByDay };
}

/** For campaigns that have used more than a limit: the newest version of which anything was taken. */
export async function readNewestVersions(
  reader: SlotReader,
  advertiser: AdvertiserFigures,
  slot: SlotBooks,
): Promise<Map<string, number>> {
  const newest = new Map<string, number>();
  for (const inSlot of slot.campaigns.filter(isOverLimit)) {
    const id = inSlot.campaignId;
    const billed = advertiser.campaigns.find((campaign) => campaign.campaignId === id)?.versions.newest ?? 0;
    const waiting = (slot.outbox.records ?? [])
      .filter(({ match }) => match.campaign_id === id)
      .map(({ match }) => match.campaign_version);
    newest.set(id, Math.max(billed, await reader.newestHeldVersion(advertiser.advertiserId, id), ...waiting));
  }
  return newest;
}
