import type { History } from "../history.ts";
import type { World } from "../topology/world.ts";
import { type Check, CheckBuilder } from "./report.ts";

/** How billing says that a charge's money was spent again. */
const SPENT_AGAIN = /: the money was spent again after Redis had lost the charge\b/;

/**
 * What follows from data that Redis has lost: a charge that only a job still knew reaches Postgres late, when its money may
 * have been promised again. Then the balance, the budget or the cap of the day has room for one of the two.
 */
export interface Aftermath {
  /** Impressions that were set aside and reported because their money had been spent again. */
  unfunded: ReadonlySet<string>;
  /** Lost impressions that are in Postgres nevertheless: millicents by `<campaign> <day>`. */
  lateMillicents: ReadonlyMap<string, number>;
  check: Check;
}

export async function readAftermath(world: World, history: History): Promise<Aftermath> {
  const check = new CheckBuilder("what was set aside had been lost, or stands against what had been");
  const rows = await world.query<Record<string, string>>(
    `SELECT impression_id, advertiser_id, campaign_id, day::text, price_millicents::text AS price FROM impressions`,
  );
  const lateMillicents = new Map<string, number>();
  const late = new Map<string, number>();
  for (const { impression_id = "", advertiser_id = "", campaign_id, day, price } of rows) {
    check.expect(true, () => "");
    if (!history.lostImpressionIds.has(impression_id)) continue;
    add(lateMillicents, `${campaign_id} ${day}`, Number(price));
    add(late, advertiser_id, 1);
  }
  const unfunded = new Set<string>();
  const victims = new Map<string, number>();
  const poison = await world.query<Record<string, string>>(
    "SELECT impression_id, advertiser_id, reason FROM poison_impressions",
  );
  for (const { impression_id = "", advertiser_id = "", reason = "" } of poison) {
    check.expect(SPENT_AGAIN.test(reason), () => `${impression_id} was set aside: ${reason}`);
    unfunded.add(impression_id);
    if (!history.lostImpressionIds.has(impression_id)) add(victims, advertiser_id, 1);
  }
  for (const [id, count] of victims) {
    // Everything of an advertiser has one price.
    check.expect(
      count <= (late.get(id) ?? 0),
      () => `${id}: ${count} impressions were set aside, but only ${late.get(id) ?? 0} lost ones came late`,
    );
  }
  return { unfunded, lateMillicents, check: check.end() };
}

function add(counts: Map<string, number>, name: string, amount: number): void {
  counts.set(name, (counts.get(name) ?? 0) + amount);
}
