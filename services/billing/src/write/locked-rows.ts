import type { Database, LockTimeout } from "@diegetic/database";
import { type Logger, OutageLog } from "@diegetic/service-kit";
import type { BilledImpression } from "./billed-impression.ts";

/** Limit for each lock of a writer. Longer than Postgres waits before it looks for deadlocks, which are repeated: 1 s. */
export const MAX_LOCK_WAIT_MS = 2_000;

/** Rows of advertisers and campaigns that other transactions hold for longer than a writer waits. */
export class LockedRows {
  readonly #database: Database;
  readonly #outage: OutageLog;
  /** The advertiser of each row. */
  readonly #advertiserIds = new Map<string, string>();

  constructor({ database, logger }: { database: Database; logger: Logger }) {
    this.#database = database;
    this.#outage = new OutageLog(logger, {
      failing: "impressions wait for locked rows",
      recovered: "locked rows are free again",
    });
  }

  /** Their advertisers. */
  get advertiserIds(): ReadonlySet<string> {
    return new Set(this.#advertiserIds.values());
  }

  add(advertiserId: string, rowIds: readonly string[], error: LockTimeout): void {
    for (const id of rowIds) this.#advertiserIds.set(id, advertiserId);
    this.#outage.failed(error, { advertiserId });
  }

  /** Forgets rows that are free again. */
  async update(): Promise<void> {
    if (this.#advertiserIds.size === 0) return;
    const ids = [...this.#advertiserIds.keys()];
    const locked = await this.#locked(ids);
    for (const id of ids) if (!locked.has(id)) this.#advertiserIds.delete(id);
    if (this.#advertiserIds.size === 0) this.#outage.succeeded();
  }

  /** The rows of these impressions that another transaction holds now, by advertiser; perhaps only for a moment. */
  async findLocked(impressions: readonly BilledImpression[]): Promise<Map<string, string[]>> {
    const owners = new Map(
      impressions.flatMap(({ record: { match } }) => [
        [match.advertiser_id, match.advertiser_id],
        [match.campaign_id, match.advertiser_id],
      ]),
    );
    const found = new Map<string, string[]>();
    for (const id of await this.#locked([...owners.keys()])) {
      const advertiserId = owners.get(id) ?? "";
      found.set(advertiserId, [...(found.get(advertiserId) ?? []), id]);
    }
    return found;
  }

  async #locked(ids: readonly string[]): Promise<Set<string>> {
    const rows = await this.#database.$queryRaw<{ id: string }[]>`
      SELECT id FROM advertisers WHERE id = ANY(${ids}) AND id <> ALL(ARRAY(
        SELECT id FROM advertisers WHERE id = ANY(${ids}) FOR NO KEY UPDATE SKIP LOCKED))
      UNION ALL
      SELECT id FROM campaigns WHERE id = ANY(${ids}) AND id <> ALL(ARRAY(
        SELECT id FROM campaigns WHERE id = ANY(${ids}) FOR NO KEY UPDATE SKIP LOCKED))`;
    return new Set(rows.map(({ id }) => id));
  }
}
