import { setTimeout as sleep } from "node:timers/promises";
import { Receiver, signersOf } from "../../../services/billing/src/testing/receiver.fixture.ts";
import type { Random } from "../random.ts";
import type { World } from "../topology/world.ts";
import type { Client } from "./client.ts";
import { activate } from "./market.ts";
import type { Market } from "./traders.ts";

/** Advertisers deposit below 100 cents, so balances cross it again and again. */
const BALANCE_LOW_CENTS = 150;
const HOLD_EXPIRY = { hold_expiry_percent: 1, hold_expiry_min_matches: 5 };
/** The end date of one campaign per advertiser, after its creation. */
const ENDING_AFTER_MS = 5_000;
const TIMEOUT_MS = 60_000;
const HURRY_EVERY_MS = 1_000;
/** Pause before the second attempt at a delivery. */
export const WEBHOOK_RETRY_MS = 50;
/** Before the last of twelve attempts, with the most that chance adds. */
export const MAX_PAUSE_SECONDS = (WEBHOOK_RETRY_MS * 2 ** 10 * 1.25) / 1_000;

/** Every change of a row that may cause an event, in the order of each row's commits. */
const RECORD_CHANGES = `
  CREATE SCHEMA faults;
  CREATE TABLE faults.changes (number bigserial, of text, before jsonb, after jsonb);
  CREATE FUNCTION faults.record_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO faults.changes (of, before, after) VALUES (TG_TABLE_NAME, to_jsonb(OLD), to_jsonb(NEW));
    RETURN NULL;
  END $$;
  CREATE TRIGGER faults_record_change AFTER UPDATE ON campaigns FOR EACH ROW
    WHEN ((OLD.spent_millicents, OLD.budget_cents) IS DISTINCT FROM (NEW.spent_millicents, NEW.budget_cents))
    EXECUTE FUNCTION faults.record_change();
  CREATE TRIGGER faults_record_change AFTER UPDATE ON advertisers FOR EACH ROW
    WHEN (OLD.spent_millicents IS DISTINCT FROM NEW.spent_millicents) EXECUTE FUNCTION faults.record_change()`;

export interface ReceivedEvent {
  id: string;
  type: string;
  accountId: string;
  data: Record<string, unknown>;
  body: string;
  /** Accounts whose secret signed the request. */
  signedBy: string[];
  /** Whether it was answered 2xx. */
  isTaken: boolean;
}

/** The receiver of all accounts' events, which answers some requests badly. */
export class Webhooks {
  readonly balanceLowCents = BALANCE_LOW_CENTS;
  readonly holdExpiry = HOLD_EXPIRY;
  readonly #receiver: Receiver;
  readonly #accountsBySecret = new Map<string, string>();
  /** How long each delivery still waits, when the faults are over and before `drain` hurries it; null: no longer. */
  pauses: { id: string; seconds: number | null }[] = [];
  /** Numbers of the requests that were answered 2xx. */
  readonly #taken = new Set<number>();

  private constructor(receiver: Receiver, random: Random) {
    this.#receiver = receiver;
    receiver.answer = (response, number) => {
      const draw = random.next();
      if (draw < 0.15) response.destroy();
      else if (draw < 0.4) response.writeHead(500).end();
      else {
        this.#taken.add(number);
        response.writeHead(204).end();
      }
    };
  }

  /** Creates a webhook for each account, and a campaign that will end for each advertiser. */
  static async open(world: World, market: Market, random: Random): Promise<Webhooks> {
    const receiver = await Receiver.open();
    const webhooks = new Webhooks(receiver, random);
    try {
      const create = async (client: Client, body: object) => {
        const { status, body: webhook } = await client.call("POST", "/webhooks", {
          url: receiver.url,
          ...body,
        });
        if (status !== 201) throw new Error(`POST /webhooks: ${status} ${JSON.stringify(webhook)}`);
        const [row] = await world.query<{ account_id: string }>(
          "SELECT account_id FROM webhooks WHERE id = $1",
          [webhook.id],
        );
        webhooks.#accountsBySecret.set(webhook.secret, row?.account_id ?? "");
      };
      await create(market.developer, {
        events: ["holds.expiry_rate_high", "payout.figures_ready"],
        ...HOLD_EXPIRY,
      });
      for (const { client } of market.advertisers) {
        await create(client, {
          events: ["campaign.exhausted", "campaign.ended", "balance.low"],
          balance_low_cents: BALANCE_LOW_CENTS,
        });
        await activate(client, {
          name: "Ends soon",
          end_date: new Date(Date.now() + ENDING_AFTER_MS).toISOString(),
          cpm_bid_cents: 100,
          budget_cents: 1_000,
          target_categories: ["nobody asks for it"],
        });
      }
      await world.query(RECORD_CHANGES);
      return webhooks;
    } catch (error) {
      receiver.close();
      throw error;
    }
  }

  events(): ReceivedEvent[] {
    return this.#receiver.received.map((request, index) => {
      const { id, type, account_id: accountId, data } = JSON.parse(request.body);
      const signers = signersOf(request, [...this.#accountsBySecret.keys()]);
      const signedBy = signers.map((secret) => this.#accountsBySecret.get(secret) ?? "");
      const isTaken = this.#taken.has(index + 1);
      return { id, type, accountId, data, body: request.body, signedBy, isTaken };
    });
  }

  /** Waits for the ends of campaigns, then until nothing is left to send. Skips the pauses before further attempts. */
  async drain(world: World): Promise<void> {
    const endMs = Date.now() + TIMEOUT_MS;
    this.pauses = await world.query(
      `SELECT id, CASE WHEN status = 'pending'
         THEN extract(epoch FROM greatest(queue_at, next_attempt_at) - now())::float8 END AS seconds
       FROM webhook_deliveries`,
    );
    while (Date.now() < endMs) {
      const [row] = await world.query<{ left: string }>(
        `SELECT (SELECT count(*) FROM webhook_deliveries WHERE status = 'pending')
           + (SELECT count(*) FROM campaigns WHERE end_date IS NOT NULL AND announced_end_date IS NULL) AS left`,
      );
      if (row?.left === "0") return;
      await world.query("UPDATE webhook_deliveries SET queue_at = now() WHERE status = 'pending'");
      await sleep(HURRY_EVERY_MS);
    }
  }

  close(): void {
    this.#receiver.close();
  }
}
