import { chunks } from "@diegetic/collections";
import type { ImpressionRecord } from "@diegetic/contracts";
import { LockTimeout, type Pipeline } from "@diegetic/database";
import { type MoneyCommands, walletOfRecord } from "@diegetic/hot-state";
import { isName } from "./quarantine.ts";
import { findUnrecorded, type NamedRecord } from "./recorded.ts";

const MAX_ACKNOWLEDGED = 500;

/** Whether the record has the ids that name its outbox entry; one without them came from no outbox. */
export function namesOutbox({ impression_id: id, match }: ImpressionRecord): boolean {
  return typeof id === "string" && typeof match?.advertiser_id === "string";
}

/** Removes records from their outboxes. */
export async function acknowledge(
  money: Pick<MoneyCommands, "ackOutbox">,
  records: readonly ImpressionRecord[],
): Promise<void> {
  const byWallet = new Map<string, string[]>();
  for (const record of records) {
    if (!namesOutbox(record)) continue;
    const walletId = walletOfRecord(record);
    const ids = byWallet.get(walletId) ?? [];
    ids.push(record.impression_id);
    byWallet.set(walletId, ids);
  }
  await Promise.all(
    [...byWallet].flatMap(([walletId, ids]) =>
      [...chunks(ids, MAX_ACKNOWLEDGED)].map((some) => money.ackOutbox(walletId, some)),
    ),
  );
}

/**
 * Sees that unwritten records are in their outboxes: a job ends after a few attempts, and its record with it. An acknowledged
 * one is in no outbox, but in Postgres; if its time hides that, it returns to the outbox, to be acknowledged once more. Throws
 * LockTimeout when a record that is nowhere else lacks the ids of an outbox entry: only its job keeps it.
 */
export async function keepInOutbox(
  { money, pipeline }: { money: Pick<MoneyCommands, "isInOutbox" | "returnToOutbox">; pipeline: Pipeline },
  unwritten: readonly NamedRecord[],
): Promise<void> {
  const areInOutbox = await Promise.all(
    unwritten.map(
      ({ record }) => namesOutbox(record) && money.isInOutbox(walletOfRecord(record), record.impression_id),
    ),
  );
  const lost = await findUnrecorded(
    pipeline,
    unwritten.filter((_, index) => !areInOutbox[index]),
  );
  const named = lost.filter(({ record }) => namesOutbox(record) && isName(record.impression_id));
  await Promise.all(named.map(({ record }) => money.returnToOutbox(record)));
  if (named.length < lost.length) throw new LockTimeout("unwritten records lack ids of an outbox entry");
}
