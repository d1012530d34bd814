import { utcDay } from "@diegetic/database";
import type { World } from "../topology/world.ts";
import { MAX_PAUSE_SECONDS, type ReceivedEvent, type Webhooks } from "../workload/webhooks.ts";
import { type Check, CheckBuilder } from "./report.ts";

type Row = Record<string, string>;

/** A row of `campaigns` or `advertisers`, as JSON. */
interface RowState {
  id: string;
  status: string;
  spent_millicents: number;
  deposited_millicents: number;
  budget_cents: number;
  cpm_bid_cents: number;
}

interface Change {
  of: "campaigns" | "advertisers";
  before: RowState;
  after: RowState;
  account_id: string;
}

const CHANGES = `
  SELECT of, before, after, coalesce(after->>'account_id', a.account_id) AS account_id
  FROM faults.changes LEFT JOIN advertisers a ON a.id = after->>'advertiser_id' ORDER BY number`;
const ENDED = `
  SELECT c.id, c.end_date, a.account_id FROM campaigns c JOIN advertisers a ON a.id = c.advertiser_id
  WHERE c.end_date IS NOT NULL AND c.status = 'active'`;
const EARNED = `
  SELECT coalesce(sum(impressions), 0)::text AS impressions, coalesce(sum(earning_microcents), 0)::text AS earned
  FROM game_rollups WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date`;

/** Compares the received events with the committed changes that cause them. */
export async function checkWebhooks(world: World, webhooks: Webhooks): Promise<Check[]> {
  const received = webhooks.events();
  return [
    await checkCauses(world, webhooks, received),
    await checkRequests(world, webhooks, received),
    checkPauses(webhooks),
  ];
}

function checkPauses({ pauses }: Webhooks): Check {
  const check = new CheckBuilder("no delivery to a webhook waits longer than its pause");
  for (const { id, seconds } of pauses) {
    check.expect((seconds ?? 0) <= MAX_PAUSE_SECONDS, () => `${id} waits for ${seconds} s more`);
  }
  return check.end();
}

/** Each cause was taken by its webhook once or more often, and nothing without a cause. */
async function checkCauses(world: World, webhooks: Webhooks, received: ReceivedEvent[]): Promise<Check> {
  const check = new CheckBuilder("every cause of an event reached its webhook, and nothing else did");
  const wanted = new Map<string, number>();
  const want = (...cause: unknown[]) => {
    const name = JSON.stringify(cause);
    wanted.set(name, (wanted.get(name) ?? 0) + 1);
  };
  for (const { of, before, after, account_id: accountId } of await world.query<Change>(CHANGES)) {
    if (of === "campaigns") {
      if (!isExhausted(before) && isExhausted(after) && after.status !== "draft") {
        want("campaign.exhausted", accountId, after.id, after.spent_millicents, after.budget_cents);
      }
    } else {
      const thresholdMillicents = webhooks.balanceLowCents * 1_000;
      if (balanceOf(before) >= thresholdMillicents && balanceOf(after) < thresholdMillicents) {
        want("balance.low", accountId, after.id, balanceOf(after), webhooks.balanceLowCents);
      }
    }
  }
  for (const { id, end_date, account_id } of await world.query<Row>(ENDED)) {
    want("campaign.ended", account_id, id, end_date);
  }
  const seen = new Map<string, Set<string>>();
  for (const event of received) {
    const name = causeOf(event);
    if (name === undefined || !event.isTaken) continue;
    seen.set(name, (seen.get(name) ?? new Set()).add(event.id));
  }
  for (const name of new Set([...wanted.keys(), ...seen.keys()])) {
    const [happened, events] = [wanted.get(name) ?? 0, [...(seen.get(name) ?? [])]];
    check.expect(
      happened === events.length,
      () => `${name} happened ${happened} times, taken as ${events.join(", ")}`,
    );
  }
  return check.end();
}

/** Of events whose causes can be derived from rows. */
function causeOf({ type, accountId, data }: ReceivedEvent): string | undefined {
  const facts: Record<string, unknown[]> = {
    "campaign.exhausted": [data.campaign_id, data.spent_millicents, data.budget_cents],
    "balance.low": [data.advertiser_id, data.balance_millicents, data.threshold_cents],
    "campaign.ended": [data.campaign_id, data.end_date],
  };
  const found = facts[type];
  return found && JSON.stringify([type, accountId, ...found]);
}

function isExhausted({ spent_millicents, cpm_bid_cents, budget_cents }: RowState): boolean {
  return spent_millicents + cpm_bid_cents > budget_cents * 1_000;
}

function balanceOf({ deposited_millicents, spent_millicents }: RowState): number {
  return deposited_millicents - spent_millicents;
}

async function checkRequests(world: World, webhooks: Webhooks, received: ReceivedEvent[]): Promise<Check> {
  const check = new CheckBuilder(
    "every request to a webhook has its signature, and the same facts each time it is sent",
  );
  const bodies = new Map<string, string>();
  for (const event of received) {
    const { id, body, signedBy, accountId } = event;
    check.expect(signedBy.join() === accountId, () => `${body} is signed for ${signedBy.join() || "nobody"}`);
    const known = bodies.get(id) ?? body;
    bodies.set(id, known);
    check.expect(body === known, () => `${id} was sent as ${known} and as ${body}`);
    check.expect(await isPlausible(world, webhooks, event), () => `this did not happen: ${body}`);
  }
  const left = await world.query<Row>(
    `SELECT d.id, d.status, e.type FROM webhook_deliveries d JOIN webhook_events e ON e.id = d.event_id
     WHERE d.status <> 'delivered'`,
  );
  for (const { id, status, type } of left) check.expect(false, () => `${id} of ${type} is ${status}`);
  return check.end();
}

/** Statistics, and sums of periods to which a late charge may have been added since. */
async function isPlausible(world: World, webhooks: Webhooks, event: ReceivedEvent): Promise<boolean> {
  const { type, accountId, data } = event;
  if (type === "holds.expiry_rate_high") {
    const [lapsed, ended] = [Number(data.lapsed_matches), Number(data.ended_matches)];
    const { hold_expiry_percent: percent, hold_expiry_min_matches: least } = webhooks.holdExpiry;
    return lapsed <= ended && ended >= least && lapsed * 100 >= percent * ended;
  }
  if (type !== "payout.figures_ready") return true;
  const [sums] = await world.query<Row>(EARNED, [accountId, data.from, data.to]);
  return (
    String(data.to) < utcDay(world.nowMs()) &&
    Number(data.impressions) <= Number(sums?.impressions) &&
    Number(data.earned_microcents) <= Number(sums?.earned)
  );
}
