import type { ImpressionRecord } from "@diegetic/contracts";
import type { Database } from "@diegetic/database";
import { isPlainName } from "@diegetic/hot-state";

const MAX_ACCOUNTS = 10_000;

interface Outcomes {
  lapsed: number;
  charged: number;
}

/**
 * Counts how the matches of each developer's games end, and records `holds.expiry_rate_high`. Statistics: a crash loses
 * the counts since the last pass; a lost answer of Postgres counts them twice, as another delivery counts its records.
 */
export class HoldOutcomes {
  readonly #database: Database;
  #byAccount = new Map<string, Outcomes>();

  constructor(database: Database) {
    this.#database = database;
  }

  countLapsed(accountId: string): void {
    this.#count(accountId, { lapsed: 1, charged: 0 });
  }

  countCharged(records: readonly ImpressionRecord[]): void {
    for (const { match } of records) {
      // A quarantined record may lack these.
      const accountId: unknown = match?.developer_account_id;
      if (typeof accountId === "string") this.#count(accountId, { lapsed: 0, charged: 1 });
    }
  }

  #count(accountId: string, { lapsed, charged }: Outcomes): void {
    // Postgres cannot store every text.
    if (!isPlainName(accountId)) return;
    const known = this.#byAccount.get(accountId) ?? { lapsed: 0, charged: 0 };
    if (!this.#byAccount.has(accountId) && this.#byAccount.size >= MAX_ACCOUNTS) return;
    this.#byAccount.set(accountId, { lapsed: known.lapsed + lapsed, charged: known.charged + charged });
  }

  /** Stores the counts of accounts that want to know, and records an event where a rate became high. */
  async pass(nowMs: number): Promise<void> {
    const now = new Date(nowMs);
    await this.#storeCounts(now);
    await this.#recordHighRates(now);
    await this.#database.$executeRaw`
      DELETE FROM hold_outcomes WHERE minute <= ${now}::timestamptz - interval '1 hour'`;
  }

  async #storeCounts(now: Date): Promise<void> {
    if (this.#byAccount.size === 0) return;
    // In one order, so that processes do not deadlock on the accounts' rows.
    const counted = [...this.#byAccount].sort(([one], [other]) => (one < other ? -1 : 1));
    this.#byAccount = new Map();
    try {
      await this.#database.$executeRaw`
        INSERT INTO hold_outcomes (account_id, minute, lapsed, charged)
        SELECT account_id, date_trunc('minute', ${now}::timestamptz), lapsed, charged
        FROM unnest(${counted.map(([id]) => id)}::text[], ${counted.map(([, { lapsed }]) => lapsed)}::bigint[],
          ${counted.map(([, { charged }]) => charged)}::bigint[]) AS counted(account_id, lapsed, charged)
        WHERE EXISTS (SELECT FROM webhooks w WHERE w.account_id = counted.account_id AND w.is_active
          AND 'holds.expiry_rate_high' = ANY(w.events))
        ON CONFLICT (account_id, minute) DO UPDATE SET lapsed = hold_outcomes.lapsed + excluded.lapsed,
          charged = hold_outcomes.charged + excluded.charged`;
    } catch (error) {
      for (const [accountId, outcomes] of counted) this.#count(accountId, outcomes);
      throw error;
    }
  }

  /** Once for each time that a rate becomes high, and at most once an hour for a webhook. */
  async #recordHighRates(now: Date): Promise<void> {
    await this.#database.$queryRaw`
      WITH sums AS (
        SELECT account_id, sum(lapsed) AS lapsed, sum(lapsed + charged) AS ended FROM hold_outcomes
        WHERE minute > ${now}::timestamptz - interval '1 hour' GROUP BY account_id
      ), rates AS (
        SELECT w.id, coalesce(s.lapsed, 0) AS lapsed, coalesce(s.ended, 0) AS ended,
          coalesce(s.ended, 0) >= w.hold_expiry_min_matches
            AND coalesce(s.lapsed, 0) * 100 >= w.hold_expiry_percent * coalesce(s.ended, 0) AS is_high
        FROM webhooks w LEFT JOIN sums s ON s.account_id = w.account_id
        WHERE w.is_active AND 'holds.expiry_rate_high' = ANY(w.events)
      ), changed AS (
        UPDATE webhooks w SET hold_expiry_high_since = CASE WHEN r.is_high THEN ${now}::timestamptz END
        FROM rates r
        WHERE w.id = r.id AND (r.is_high AND w.hold_expiry_high_since IS NULL
          OR NOT r.is_high AND w.hold_expiry_high_since <= ${now}::timestamptz - interval '1 hour')
        RETURNING w.id, w.account_id, w.hold_expiry_percent, r.is_high, r.lapsed, r.ended
      )
      SELECT record_webhook_event(account_id, 'holds.expiry_rate_high', json_build_object('lapsed_matches', lapsed,
        'ended_matches', ended, 'threshold_percent', hold_expiry_percent), id)
      FROM changed WHERE is_high`;
  }
}
