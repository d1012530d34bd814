import {
  type Database,
  DatabaseAway,
  inTransaction,
  safeInteger,
  TransactionConflict,
  utcDay,
} from "@diegetic/database";
import {
  type InstallationClaim,
  isRedisAway,
  type MoneyCommands,
  NotObeyedError,
  type SnapshotEntry,
  SnapshotLostError,
  type SnapshotPublisher,
} from "@diegetic/hot-state";
import { centsToMillicents } from "@diegetic/money";
import { type Logger, OutageTeller, unavailable } from "@diegetic/service-kit";
import type { SlotRecovery } from "../slot-recovery/slot-recovery.ts";
import { advertiserEntry, apiKeyEntry, campaignEntry, placementEntry, sessionEntry } from "./entities.ts";
import { loadCampaigns, loadSessions, lockCampaigns, markPublished, type PublishedKind } from "./load.ts";

/** More than twice the lease of a match instance: one that died is waited for. */
const OBEYED_TIMEOUT_MS = 5_000;
const STORED = "The change is stored and will be in force shortly: it need not be sent again.";

export type SlotCommands = Pick<MoneyCommands, "applyAccount" | "applyCampaign">;

interface Prepared {
  entries: SnapshotEntry[];
  rows: { id: string; version: number }[];
}

interface LoadedRow {
  id: string;
  row: { version: number; publishedVersion: number };
  entry: SnapshotEntry;
}

/**
 * Brings rows of Postgres into the advertisers' slots and into the snapshot. It always reads the present row, so that
 * it converges whatever order two requests publish in; publishing again is harmless.
 */
export class Publishing {
  readonly #database: Database;
  readonly #slots: SlotCommands;
  readonly #recovery: Pick<SlotRecovery, "restoreFrozen">;
  readonly #snapshot: SnapshotPublisher;
  readonly #claim: Pick<InstallationClaim, "check">;
  readonly #nowMs: () => number;
  readonly #observeSeconds: (seconds: number) => void;
  readonly #logger: Logger;
  readonly #obeyedWithinMs: number;
  readonly #outage: OutageTeller<{ err: unknown; kind: PublishedKind; id: string }>;

  constructor(parts: {
    database: Database;
    slots: SlotCommands;
    recovery: Pick<SlotRecovery, "restoreFrozen">;
    snapshot: SnapshotPublisher;
    claim: Pick<InstallationClaim, "check">;
    nowMs: () => number;
    logger: Logger;
    /** Told how long a change took from its commit until every match instance obeyed it. */
    observeSeconds?: (seconds: number) => void;
    /** How long a change waits to be obeyed. Default: more than two leases of match instances. */
    obeyedWithinMs?: number | undefined;
  }) {
    this.#database = parts.database;
    this.#slots = parts.slots;
    this.#recovery = parts.recovery;
    this.#snapshot = parts.snapshot;
    this.#claim = parts.claim;
    this.#nowMs = parts.nowMs;
    this.#logger = parts.logger;
    this.#outage = new OutageTeller({
      away: ({ failures, awaySeconds }, latest) =>
        this.#logger.warn(
          { ...latest, changes: failures, awaySeconds },
          "a change was answered before it is in force everywhere",
        ),
      back: ({ failures, awaySeconds }) =>
        this.#logger.info({ changes: failures, awaySeconds }, "changes are in force at once again"),
    });
    this.#obeyedWithinMs = parts.obeyedWithinMs ?? OBEYED_TIMEOUT_MS;
    this.#observeSeconds = parts.observeSeconds ?? (() => {});
  }

  /**
   * Called between the commit of a change that restricts (pause, disable, revoke, delete, any PATCH) and its answer:
   * returns when every match instance obeys it. Throws 503 when that cannot be had now, because an answer would promise
   * that nothing is served against it; the reconciling loop then publishes later.
   */
  async obeyed(kind: PublishedKind, id: string): Promise<void> {
    try {
      await this.#publishAndWait(kind, id);
    } catch (error) {
      if (isPassing(error)) throw unavailable(STORED, 2);
      throw error;
    }
  }

  /**
   * `obeyed` for a change that only gives or creates, and does no harm when it comes into force later. Never throws: what
   * was committed is answered as done, because a client that is told to try again would do it twice.
   */
  async obeyedOrLater(kind: PublishedKind, id: string): Promise<void> {
    try {
      await this.#publishAndWait(kind, id);
    } catch (error) {
      const facts = { err: error, kind, id };
      if (isPassing(error)) this.#outage.failed(facts);
      else this.#logger.error(facts, "a change that was answered could not be published");
    }
  }

  async #publishAndWait(kind: PublishedKind, id: string): Promise<void> {
    const startedMs = performance.now();
    const version = await this.publish(kind, [id]);
    await this.#snapshot.awaitObeyed(version, this.#obeyedWithinMs);
    this.#outage.works();
    this.#observeSeconds((performance.now() - startedMs) / 1_000);
  }

  /**
   * Publishes rows (a page of them) and notes their versions. Returns the version of the snapshot. Throws ForeignRedis when that
   * is another installation's.
   */
  async publish(kind: PublishedKind, ids: readonly string[]): Promise<number> {
    const { entries, rows } = await this.prepare(kind, ids);
    await this.#claim.check();
    const version = await this.#snapshot.publish(entries);
    await markPublished(this.#database, kind, rows);
    return version;
  }

  /** Applies rows to the slots of their advertisers, and returns what of them belongs into the snapshot. */
  prepare(kind: PublishedKind, ids: readonly string[]): Promise<Prepared> {
    switch (kind) {
      case "advertiser":
        return this.#advertisers(ids);
      case "campaign":
        return this.#campaigns(ids);
      case "placement":
        return this.#placements(ids);
      case "apiKey":
        return this.#apiKeys(ids);
      case "session":
        return this.#sessions(ids);
    }
  }

  /**
   * What of rows belongs into the snapshot, as it is when it has been lost: the slots have what was published before.
   * Rows that were not are prepared as usual.
   */
  async recall(kind: PublishedKind, ids: readonly string[]): Promise<Prepared> {
    const known = await this.#load(kind, ids);
    const left = known.filter(({ row }) => row.publishedVersion < row.version).map(({ id }) => id);
    const { entries, rows } = await this.prepare(kind, left);
    const unchanged = known.filter(({ row }) => row.publishedVersion >= row.version);
    return { entries: [...unchanged.map(({ entry }) => entry), ...entries], rows };
  }

  async #load(kind: PublishedKind, ids: readonly string[]): Promise<LoadedRow[]> {
    const where = { where: { id: { in: [...ids] } } };
    switch (kind) {
      case "advertiser": {
        const rows = await this.#database.advertiser.findMany(where);
        return rows.map((row) => ({ id: row.id, row, entry: advertiserEntry(row) }));
      }
      case "campaign": {
        const rows = await loadCampaigns(this.#database, ids);
        return rows.map((row) => ({ id: row.id, row, entry: campaignEntry(row) }));
      }
      case "placement": {
        const rows = await this.#database.placement.findMany({ where: { gameId: { in: [...ids] } } });
        return rows.map((row) => ({ id: row.gameId, row, entry: placementEntry(row) }));
      }
      case "apiKey": {
        const rows = await this.#database.apiKey.findMany(where);
        return rows.map((row) => ({ id: row.id, row, entry: apiKeyEntry(row) }));
      }
      case "session": {
        const rows = await loadSessions(this.#database, ids);
        return rows.map((row) => ({ id: row.id, row, entry: sessionEntry(row) }));
      }
    }
  }

  async #advertisers(ids: readonly string[]): Promise<Prepared> {
    const rows = await this.#database.advertiser.findMany({ where: { id: { in: [...ids] } } });
    const frozen: string[] = [];
    await Promise.all(
      rows.map(async (row) => {
        const result = await this.#slots.applyAccount({
          advertiserId: row.id,
          version: row.version,
          depositedMillicents: safeInteger(row.depositedMillicents, "deposited"),
        });
        if (result === "unknown_slot") frozen.push(row.id);
      }),
    );
    await this.#recovery.restoreFrozen(frozen);
    return { entries: rows.map(advertiserEntry), rows };
  }

  /**
   * A slot that is frozen gets the campaign when it is restored, which is tried here, too. It is only ever written while the
   * row is locked: a budget that another request is lowering has its ceiling in the slot, and a version that was read before
   * must not take it away. Writing it is an effect outside of the transaction, but an idempotent one: the row is only read here,
   * and the same version again changes nothing.
   */
  async #campaigns(ids: readonly string[]): Promise<Prepared> {
    const day = utcDay(this.#nowMs());
    const frozen = new Set<string>();
    const rows = await inTransaction(this.#database, async (transaction) => {
      const locked = await lockCampaigns(transaction, ids, day);
      await Promise.all(
        locked.map(async ({ campaign, daySpentMillicents }) => {
          const result = await this.#slots.applyCampaign({
            advertiserId: campaign.advertiserId,
            campaignId: campaign.id,
            version: campaign.version,
            status: campaign.status,
            budgetMillicents: centsToMillicents(campaign.budgetCents),
            dailyCapMillicents:
              campaign.dailyCapCents === null ? null : centsToMillicents(campaign.dailyCapCents),
            seed: {
              spentMillicents: safeInteger(campaign.spentMillicents, "spent"),
              impressions: safeInteger(campaign.impressions, "impressions"),
              day,
              daySpentMillicents,
            },
          });
          if (result === "unknown_slot") frozen.add(campaign.advertiserId);
        }),
      );
      return locked.map(({ campaign }) => campaign);
    });
    await this.#recovery.restoreFrozen([...frozen]);
    return { entries: rows.map(campaignEntry), rows };
  }

  async #placements(ids: readonly string[]): Promise<Prepared> {
    const rows = await this.#database.placement.findMany({ where: { gameId: { in: [...ids] } } });
    return {
      entries: rows.map(placementEntry),
      rows: rows.map((row) => ({ id: row.gameId, version: row.version })),
    };
  }

  async #apiKeys(ids: readonly string[]): Promise<Prepared> {
    const rows = await this.#database.apiKey.findMany({ where: { id: { in: [...ids] } } });
    return { entries: rows.map(apiKeyEntry), rows };
  }

  async #sessions(ids: readonly string[]): Promise<Prepared> {
    const rows = await loadSessions(this.#database, ids);
    return { entries: rows.map(sessionEntry), rows };
  }
}

/** Whether publishing failed for a reason that passes: the reconciling loop will succeed. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof NotObeyedError ||
    error instanceof SnapshotLostError ||
    error instanceof DatabaseAway ||
    error instanceof TransactionConflict ||
    isRedisAway(error)
  );
}
