import { setTimeout as sleep } from "node:timers/promises";
import {
  createDatabase,
  DAY_MS,
  type Database,
  dateOfDay,
  hasOtherPlayerHashKey,
  installationId,
  inTransaction,
  type Transaction,
  utcDay,
} from "@diegetic/database";
import {
  anonymousHash,
  connectRedis,
  ERASED_SESSION,
  InstallationClaim,
  identifyPlayer,
  PlayerEraser,
  playerHashKeyCheck,
} from "@diegetic/hot-state";
import { LOOK_UP_BY_KEY } from "../write/statements.ts";

export interface EraseOptions {
  databaseUrl: string;
  redisUrl: string;
  playerHashKey: string;
  /** The developer's account whose games the player played. */
  accountId: string;
  /** As the games send it. */
  playerId: string;
  /** How long to wait for billing to write the player's committed impressions. */
  waitMs: number;
  /** Billing still writes the day of this time and the day before. Unix milliseconds. */
  nowMs: number;
}

/** What no longer names the player. All counts are 0 when nothing was left. */
export interface Erased {
  impressions: number;
  /** Rows by which unique players are counted. */
  reachedUsers: number;
  quarantined: number;
  matches: number;
  sessions: number;
  caps: number;
  /** Impressions that billing has not written yet: they still name the player, so the command has to be repeated. */
  waiting: number;
}

/** There is no account of this id. */
export class UnknownAccount extends Error {
  override name = "UnknownAccount";
}

/** Under this key the player has other hashes than the stored ones, so that nothing of them would be found. */
export class OtherPlayerHashKey extends Error {
  override name = "OtherPlayerHashKey";
}

const STATEMENT_TIMEOUT_MS = 600_000;
/** While an advertiser's row is locked: billing leaves its records in the outbox meanwhile. */
const LOCKED_STATEMENT_TIMEOUT = "5s";
const COUNT_EVERY_MS = 200;
const RECORDS_PER_PAGE = 500;

/**
 * Makes the traces of a player anonymous (docs/behaviour.md#erasing-a-player). Counts, totals and the ledger stay: a
 * random hash takes the place of the player's, another one in each campaign. Repeatable, also after a failure.
 */
export async function erasePlayer(options: EraseOptions): Promise<Erased> {
  const { accountId, playerId, playerHashKey } = options;
  const database = createDatabase(options.databaseUrl, {
    applicationName: "erase",
    poolSize: 2,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const redis = connectRedis(options.redisUrl, { name: "erase", commandTimeoutMs: 10_000 });
  try {
    await new InstallationClaim(redis, () => installationId(database)).verify();
    if (await hasOtherPlayerHashKey(database, playerHashKeyCheck(playerHashKey))) {
      throw new OtherPlayerHashKey("another PLAYER_HASH_KEY is recorded");
    }
    const account = await database.account.findUnique({
      where: { id: accountId },
      select: { placements: { select: { gameId: true } } },
    });
    if (account === null) throw new UnknownAccount(`there is no account ${accountId}`);
    const { userHash, sessionKey } = identifyPlayer(playerHashKey, accountId, playerId, undefined);
    const reached = await inTransaction(database, (transaction) => readReached(transaction, userHash), {
      timeoutMs: STATEMENT_TIMEOUT_MS,
    });
    const sessionKeys = new Set([sessionKey, ...(await readSessions(database, userHash, reached))]);
    const eraser = new PlayerEraser(redis);
    const gameIds = new Set(account.placements.map(({ gameId }) => gameId));
    const fromRedis = await eraser.erase({ userHash, sessionKeys, gameIds });
    const waiting = await awaitBilling(() => eraser.waiting(userHash), fromRedis.waiting, options.waitMs);
    return {
      ...fromRedis,
      waiting,
      ...(await eraseRows(database, userHash, utcDay(options.nowMs - DAY_MS))),
      quarantined: await eraseQuarantined(database, userHash),
    };
  } finally {
    redis.disconnect();
    await database.$disconnect();
  }
}

interface Reached {
  advertiserId: string;
  campaignId: string;
  days: string[];
}

/** The days on which the campaigns reached the player; of one advertiser, if given. The transaction looks up by key from here on. */
async function readReached(
  transaction: Transaction,
  userHash: string,
  advertiserId: string | null = null,
): Promise<Reached[]> {
  await transaction.$queryRaw(LOOK_UP_BY_KEY);
  return transaction.$queryRaw<Reached[]>`
    SELECT c.advertiser_id AS "advertiserId", c.id AS "campaignId", array_agg(DISTINCT r.day::text) AS days
    FROM campaigns c JOIN reached_users r ON r.campaign_id = c.id AND r.user_hash = ${userHash}
    WHERE ${advertiserId}::text IS NULL OR c.advertiser_id = ${advertiserId} GROUP BY 1, 2`;
}

const datesOf = (reached: readonly Reached[]) =>
  [...new Set(reached.flatMap(({ days }) => days))].map(dateOfDay);

async function readSessions(
  database: Database,
  userHash: string,
  reached: readonly Reached[],
): Promise<string[]> {
  const rows = await database.$queryRaw<{ session: string }[]>`
    SELECT DISTINCT session_key AS session FROM impressions
    WHERE day = ANY(${datesOf(reached)}::date[]) AND user_hash = ${userHash}`;
  return rows.map(({ session }) => session);
}

/** Returns how many still wait. */
async function awaitBilling(count: () => Promise<number>, first: number, waitMs: number): Promise<number> {
  const deadline = performance.now() + waitMs;
  let waiting = first;
  while (waiting > 0 && performance.now() < deadline) {
    await sleep(COUNT_EVERY_MS);
    waiting = await count();
  }
  return waiting;
}

/**
 * One short transaction per advertiser, because billing waits for its row. Impressions of earlier days are found before,
 * without a lock. Those of today and yesterday, which billing still writes, are read under the lock, for a few seconds at
 * most.
 */
async function eraseRows(
  database: Database,
  userHash: string,
  yesterday: string,
): Promise<Pick<Erased, "impressions" | "reachedUsers">> {
  const known = await inTransaction(database, (transaction) => readReached(transaction, userHash), {
    timeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const found: Found[] = [];
  for (const day of new Set(known.flatMap(({ days }) => days))) {
    if (day >= yesterday) continue;
    const rows = await database.$queryRaw<Omit<Found, "day">[]>`
      SELECT impression_id AS "impressionId", campaign_id AS "campaignId" FROM impressions
      WHERE day = ${day}::date AND user_hash = ${userHash}`;
    found.push(...rows.map((row) => ({ ...row, day })));
  }
  const erased = { impressions: 0, reachedUsers: 0 };
  for (const advertiserId of new Set(known.map((one) => one.advertiserId))) {
    const counts = await inTransaction(
      database,
      async (transaction) => {
        await transaction.$queryRaw`SELECT set_config('statement_timeout', ${LOCKED_STATEMENT_TIMEOUT}, true)`;
        await transaction.$queryRaw`SELECT FROM advertisers WHERE id = ${advertiserId} FOR NO KEY UPDATE`;
        const reached = await readReached(transaction, userHash, advertiserId);
        return eraseReached(transaction, { userHash, reached, found, yesterday });
      },
      { timeoutMs: STATEMENT_TIMEOUT_MS },
    );
    erased.impressions += counts.impressions;
    erased.reachedUsers += counts.reachedUsers;
  }
  return erased;
}

/** An impression of the player on a day that billing no longer writes. */
interface Found {
  day: string;
  impressionId: string;
  campaignId: string;
}

/** @param parts.yesterday the first day that billing still writes */
async function eraseReached(
  transaction: Transaction,
  parts: { userHash: string; reached: readonly Reached[]; found: readonly Found[]; yesterday: string },
): Promise<Pick<Erased, "impressions" | "reachedUsers">> {
  const { userHash, reached, yesterday } = parts;
  const campaignIds = reached.map(({ campaignId }) => campaignId);
  const hashes = new Map(campaignIds.map((id) => [id, anonymousHash()]));
  const randomHashes = [...hashes.values()];
  const reachedUsers = await transaction.$executeRaw`
    UPDATE reached_users r SET user_hash = erased.user_hash
    FROM unnest(${campaignIds}::text[], ${randomHashes}::text[]) AS erased(campaign_id, user_hash)
    WHERE r.campaign_id = erased.campaign_id AND r.user_hash = ${userHash}`;
  const own = parts.found.filter(({ campaignId }) => hashes.has(campaignId));
  const earlier = await transaction.$executeRaw`
    UPDATE impressions i SET user_hash = erased.user_hash, session_key = ${ERASED_SESSION}
    FROM unnest(${own.map(({ day }) => dateOfDay(day))}::date[], ${own.map(({ impressionId }) => impressionId)}::text[],
      ${own.map(({ campaignId }) => hashes.get(campaignId) ?? "")}::text[]) AS erased(day, impression_id, user_hash)
    WHERE i.day = erased.day AND i.impression_id = erased.impression_id`;
  // No index leads from a player to impressions: whole days are read.
  await transaction.$queryRaw`SELECT set_config('enable_hashjoin', 'on', true), set_config('enable_seqscan', 'on', true)`;
  const recentDays = datesOf(reached).filter((day) => day >= dateOfDay(yesterday));
  const recent = await transaction.$executeRaw`
    UPDATE impressions i SET user_hash = erased.user_hash, session_key = ${ERASED_SESSION}
    FROM unnest(${campaignIds}::text[], ${randomHashes}::text[]) AS erased(campaign_id, user_hash)
    WHERE i.day = ANY(${recentDays}::date[]) AND i.user_hash = ${userHash}
      AND i.campaign_id = erased.campaign_id`;
  return { impressions: earlier + recent, reachedUsers };
}

/** A damaged record is searched as text. */
async function eraseQuarantined(database: Database, userHash: string): Promise<number> {
  let count = 0;
  for (;;) {
    const rows = await database.$queryRaw<{ id: string; record: string }[]>`
      SELECT impression_id AS id, record FROM quarantined_impressions
      WHERE strpos(record, ${userHash}) > 0 LIMIT ${RECORDS_PER_PAGE}`;
    for (const { id, record } of rows) {
      const [, sessionKey = userHash] = /\\?"session_key\\?":\\?"([^"\\]+)/.exec(record) ?? [];
      const erased = record.replaceAll(userHash, anonymousHash()).replaceAll(sessionKey, ERASED_SESSION);
      await database.quarantinedImpression.update({ where: { impressionId: id }, data: { record: erased } });
      count += 1;
    }
    if (rows.length < RECORDS_PER_PAGE) return count;
  }
}
