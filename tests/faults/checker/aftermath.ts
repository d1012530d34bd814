import type { ImpressionRecord } from "@diegetic/contracts";
import type { History } from "../history.ts";
import type { World } from "../topology/world.ts";
import { type Check, CheckBuilder } from "./report.ts";

/** Billing's reason when a charge's money was spent again. */
const SPENT_AGAIN = /: the money was spent again after Redis lost data\b/;
/** Billing's reason when an impression without a match id, retried after the loss, is stored with the first match. */
export const WRITTEN_BEFORE = /^another impression of the same Idempotency-Key is stored: Redis had lost it$/;

/** Billing's reason for a damaged outbox entry. */
const NO_RECORD = /^the outbox entry is damaged\b/;

/**
 * Consequences of data that Redis lost: a charge that only a job still has reaches Postgres late, when its money may
 * have been promised again. Then the balance, the budget or the daily cap has room for only one of the two.
 */
export interface Aftermath {
  /** Impressions with a quarantined and reported record. */
  quarantine: ReadonlySet<string>;
  /** Lost impressions that are in Postgres nevertheless: millicents by `<campaign> <day>`. */
  lateMillicents: ReadonlyMap<string, number>;
  check: Check;
}

export async function readAftermath(world: World, history: History): Promise<Aftermath> {
  const check = new CheckBuilder("what was quarantined had been lost, or stands against what had been");
  const rows = await world.query<Record<string, string>>(
    `SELECT impression_id, operation_id, advertiser_id, campaign_id, day::text, price_millicents::text AS price
     FROM impressions`,
  );
  const lateMillicents = new Map<string, number>();
  const late = new Map<string, number>();
  for (const { impression_id = "", advertiser_id = "", campaign_id, day, price } of rows) {
    check.examine(1);
    if (!history.lostImpressionIds.has(impression_id)) continue;
    add(lateMillicents, `${campaign_id} ${day}`, Number(price));
    add(late, advertiser_id, 1);
  }
  const written = new Set(rows.map(({ impression_id }) => impression_id));
  const billed = new Set(rows.flatMap(({ operation_id }) => operation_id || []));
  const quarantine = new Set<string>();
  const victims = new Map<string, number>();
  const quarantined = await world.query<Record<string, string>>(
    "SELECT impression_id, advertiser_id, reason, record FROM quarantined_impressions",
  );
  for (const { impression_id = "", advertiser_id = "", reason = "", record = "" } of quarantined) {
    if (history.quarantinedIds.has(impression_id)) {
      check.expect(NO_RECORD.test(reason), () => `${impression_id} was quarantined: ${reason}`);
      quarantine.add(impression_id);
      continue;
    }
    const isLost = history.lostImpressionIds.has(impression_id);
    const isWritten = written.has(impression_id) || billed.has(operationOf(record));
    const isKept = isWritten && WRITTEN_BEFORE.test(reason);
    check.expect(isKept || SPENT_AGAIN.test(reason), () => `${impression_id} was quarantined: ${reason}`);
    quarantine.add(impression_id);
    if (!isLost && !isKept) add(victims, advertiser_id, 1);
  }
  for (const id of history.quarantinedIds) {
    const isKnown = quarantine.has(id) || history.lostImpressionIds.has(id);
    check.expect(isKnown, () => `${id} was neither quarantined nor lost`);
  }
  for (const [id, count] of victims) {
    // All campaigns of an advertiser have one price.
    check.expect(
      count <= (late.get(id) ?? 0),
      () => `${id}: ${count} impressions were quarantined, but only ${late.get(id) ?? 0} lost ones came late`,
    );
  }
  return { quarantine, lateMillicents, check: check.end() };
}

/** From the record of a quarantined impression. */
function operationOf(record: string): string {
  return (JSON.parse(record) as Partial<ImpressionRecord>).operation_id ?? "";
}

function add(counts: Map<string, number>, name: string, amount: number): void {
  counts.set(name, (counts.get(name) ?? 0) + amount);
}
