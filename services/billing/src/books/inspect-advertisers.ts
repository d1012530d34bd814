import type { Database } from "@diegetic/database";
import type { SlotLimits, SlotReader } from "@diegetic/hot-state";
import { checkAdvertiser } from "./check-advertiser.ts";
import { checkSlot } from "./check-slot.ts";
import type { Comparison } from "./comparison.ts";
import { Comparisons } from "./comparison.ts";
import type { AdvertiserFigures, SlotFigures } from "./figures.ts";
import type { Inspection, Look } from "./inspection.ts";
import { atOneMoment, readAdvertisers, readWrittenCounts } from "./read-advertisers.ts";
import { type ReadSlot, readNewestVersions, readSlots, readWrittenIds, slotFigures } from "./read-slots.ts";

export interface BooksParts {
  database: Database;
  slots: SlotReader;
  limits: SlotLimits;
  nowMs: () => number;
  /** How long the reads of one page may take. Milliseconds. */
  timeoutMs: number;
}

const ADVERTISERS_PER_PAGE = 50;

/** Every advertiser, page by page: the books in Postgres, and beside them the slot in Redis. */
export async function* advertiserInspections(parts: BooksParts): AsyncGenerator<Inspection> {
  let after = "";
  for (;;) {
    const page = await parts.database.advertiser.findMany({
      select: { id: true },
      where: { id: { gt: after } },
      orderBy: { id: "asc" },
      take: ADVERTISERS_PER_PAGE,
    });
    const ids = page.map(({ id }) => id);
    const last = ids.at(-1);
    if (last === undefined) return;
    yield {
      name: "advertisers",
      look: (owners) => lookAt(parts, owners === undefined ? ids : ids.filter((id) => owners.has(id))),
    };
    after = last;
  }
}

/**
 * The slot is read between two counts of what Postgres has written: when both are the same, slot, outbox and books
 * are of one moment.
 */
async function lookAt(parts: BooksParts, ids: readonly string[]): Promise<Look> {
  const { database, nowMs, timeoutMs } = parts;
  const { campaignIds, publishedVersions } = await readPublished(database, ids);
  const before = await readWrittenCounts(database, ids);
  const slots = await readSlots(parts.slots, campaignIds, parts.limits);
  const records = [...slots.values()].flatMap((slot) =>
    typeof slot === "string" ? [] : (slot.outbox.records ?? []),
  );
  const { advertisers, written } = await atOneMoment(database, timeoutMs, async (transaction) => ({
    advertisers: await readAdvertisers(transaction, ids, nowMs()),
    written: await readWrittenIds(transaction, records),
  }));
  const look: Look = { comparisons: [], notCompared: [] };
  for (const advertiser of advertisers) {
    look.comparisons.push(...checkAdvertiser(advertiser).list);
    const stoodStill = before.get(advertiser.advertiserId) === advertiser.impressions;
    const slot = slots.get(advertiser.advertiserId) ?? "moving";
    const { comparisons, complete } = await compareSlot(
      parts,
      advertiser,
      slot,
      stoodStill ? written : null,
      publishedVersions,
    );
    look.comparisons.push(...comparisons);
    if (!complete) look.notCompared.push(advertiser.advertiserId);
  }
  return look;
}

async function compareSlot(
  parts: BooksParts,
  advertiser: AdvertiserFigures,
  slot: ReadSlot,
  written: ReadonlySet<string> | null,
  publishedVersions: ReadonlyMap<string, number>,
): Promise<{ comparisons: Comparison[]; complete: boolean }> {
  const id = advertiser.advertiserId;
  if (slot === "moving") return { comparisons: [], complete: false };
  if (slot === "unreadable") {
    const checks = new Comparisons(id);
    checks.equal("slot_present", id, 1, 0);
    return { comparisons: checks.list, complete: true };
  }
  const newest = await readNewestVersions(parts.slots, advertiser, slot);
  const figures: SlotFigures = { ...slotFigures(slot, written, newest), publishedVersions };
  const complete = slot.account === null || (figures.waiting !== null && slot.holds.sumMillicents !== null);
  return { comparisons: checkSlot(advertiser, figures).list, complete };
}

/** The campaigns of advertisers, and which version of each row counts as published: what is published is in Redis by then. */
async function readPublished(
  database: Database,
  ids: readonly string[],
): Promise<{ campaignIds: Map<string, string[]>; publishedVersions: Map<string, number> }> {
  const advertisers = await database.advertiser.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, publishedVersion: true },
  });
  const campaigns = await database.campaign.findMany({
    where: { advertiserId: { in: [...ids] } },
    select: { id: true, advertiserId: true, publishedVersion: true },
    orderBy: { id: "asc" },
  });
  const campaignIds = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { id, advertiserId } of campaigns) campaignIds.get(advertiserId)?.push(id);
  const rows = [...advertisers, ...campaigns];
  return {
    campaignIds,
    publishedVersions: new Map(rows.map(({ id, publishedVersion }) => [id, publishedVersion])),
  };
}
