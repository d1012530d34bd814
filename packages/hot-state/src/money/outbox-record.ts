import type { ImpressionRecord } from "@diegetic/contracts";
import { walletIdOf } from "../keys.ts";

/** Latest time of a `Date`. Unix milliseconds. */
const MAX_DATE_MS = 8_640_000_000_000_000;

/** Parses a field of an outbox. Null: too damaged to count as a record; a returned record may still be invalid. */
export function readRecord(
  text: string,
  source?: { walletId: string; field: string },
): ImpressionRecord | null {
  let record: Partial<ImpressionRecord> | null;
  try {
    record = JSON.parse(text) as typeof record;
  } catch {
    return null;
  }
  if (typeof record !== "object" || record === null) return null;
  const { impression_id: id, recorded_at_ms: recordedAtMs, wallet_slice: slice = 0, match } = record;
  const isNamed = typeof id === "string" && id === (source?.field ?? id);
  const isDated = Number.isSafeInteger(recordedAtMs) && Math.abs(Number(recordedAtMs)) <= MAX_DATE_MS;
  if (!isNamed || !isDated || typeof match !== "object" || match === null) return null;
  if (source !== undefined && walletIdOf(match.advertiser_id, slice) !== source.walletId) return null;
  const isPriced = Number.isSafeInteger(match.price_millicents) && typeof match.campaign_id === "string";
  return isPriced ? (record as ImpressionRecord) : null;
}
