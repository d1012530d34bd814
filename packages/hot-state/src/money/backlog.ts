import { chunks } from "@diegetic/collections";
import { requireAtMost, requireInteger } from "../arguments.ts";
import type { RedisConnection } from "../connection.ts";
import { DueIndex } from "../due/due-index.ts";
import { decodeName, walletKeys, walletOfRecord } from "../keys.ts";
import { parseInteger } from "../reply.ts";
import { defineScript, defineVariadicScript } from "../script.ts";
import type { LapsedHold } from "./holds.ts";
import { readRecord } from "./outbox-record.ts";
import type { DamagedEntry, MoneyCommands, Page, SessionRelease } from "./types.ts";

const MAX_LISTED = 500;
const FIRST_CURSOR = "0";

/** Parses a member of `holds`: `match|campaign|game|session|account|price`. Null: the member is damaged. */
function parseHold(walletId: string, member: string, lapsesAtMs: number): LapsedHold | null {
  const parts = member.split("|");
  const [matchId = "", campaignId = "", game = "", sessionKey = "", developerAccountId = "", price = ""] =
    parts;
  const [gameId, priceMillicents] = [parseName(game), parseInteger(price)];
  if (parts.length !== 6 || gameId === null || priceMillicents === null) return null;
  return {
    matchId,
    walletId,
    campaignId,
    gameId,
    sessionKey,
    priceMillicents,
    lapsesAtMs,
    developerAccountId,
    matchedAtMs: null,
  };
}

/** Null: the entry is damaged. */
function parseSessionRelease(matchId: string, text: string): SessionRelease | null {
  const [game = "", sessionKey, ...rest] = text.split("|");
  const gameId = parseName(game);
  if (gameId === null || sessionKey === undefined || rest.length > 0) return null;
  return { matchId, gameId, sessionKey };
}

/** Null: not an encoded name. */
export function parseName(encoded: string): string | null {
  try {
    return decodeName(encoded);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

async function scanHash<Item>(
  redis: RedisConnection,
  key: string,
  { limit, cursor }: { limit: number; cursor: string | undefined },
  parse: (field: string, text: string) => Item | null,
): Promise<Page<Item>> {
  requireInteger("limit", limit, 1, MAX_LISTED);
  const [next, flat] = await redis.hscan(key, cursor ?? FIRST_CURSOR, "COUNT", limit);
  const items: Item[] = [];
  const damaged: DamagedEntry[] = [];
  for (const [field = "", text = ""] of chunks(flat, 2)) {
    const item = parse(field, text);
    if (item === null) damaged.push({ field, text });
    else items.push(item);
  }
  return { items, damaged, cursor: next === FIRST_CURSOR ? null : next };
}

async function deleteFields(redis: RedisConnection, key: string, fields: readonly string[]): Promise<number> {
  requireAtMost("fields", fields, MAX_LISTED);
  return fields.length === 0 ? 0 : redis.hdel(key, ...fields);
}

/** The index keeps an announcement until then: longer than the record may take to arrive. */
const RETURNED_DUE_MS = 5_000;

/** The work of the billing service: records to write, holds to release, session seats to return. */
export function createBacklogCommands(redis: RedisConnection) {
  const listLapsed = defineScript(redis, "list_lapsed", 1);
  const returnRecord = defineVariadicScript(redis, "return_record");
  const due = new DueIndex(redis);
  return {
    listOutbox: (walletId, limit, cursor) =>
      scanHash(redis, walletKeys.outbox(walletId), { limit, cursor }, (field, text) =>
        readRecord(text, { walletId, field }),
      ),
    isInOutbox: async (walletId, impressionId) =>
      (await redis.hexists(walletKeys.outbox(walletId), impressionId)) === 1,
    async returnToOutbox(record) {
      const walletId = walletOfRecord(record);
      // Before the record, whose own time may be damaged.
      await due.register("outbox", walletId, Date.now() + RETURNED_DUE_MS);
      await returnRecord({
        keys: [walletKeys.outbox(walletId)],
        values: [record.impression_id, JSON.stringify(record)],
      });
    },
    ackOutbox: (walletId, impressionIds) => deleteFields(redis, walletKeys.outbox(walletId), impressionIds),
    async listLapsed(walletId, limit, skip = 0) {
      const reply = await listLapsed(
        walletKeys.holds(walletId),
        requireInteger("limit", limit, 1, MAX_LISTED),
        requireInteger("skip", skip, 0),
      );
      const holds: LapsedHold[] = [];
      const damaged: string[] = [];
      for (let i = 1; i < reply.length; i += 2) {
        const hold = parseHold(walletId, reply.text(i), reply.integer(i + 1));
        if (hold === null) damaged.push(reply.text(i));
        else holds.push(hold);
      }
      return { holds, damaged, nextLapsesAtMs: reply.optionalInteger(0) };
    },
    listSessionReleases: (walletId, limit, cursor) =>
      scanHash(redis, walletKeys.sessionRelease(walletId), { limit, cursor }, parseSessionRelease),
    findSessionReleases: async (walletId, matchIds) => {
      const releases = await redis.hmget(walletKeys.sessionRelease(walletId), ...matchIds);
      return matchIds.filter((_, i) => releases[i] !== null);
    },
    ackSessionReleases: (walletId, matchIds) =>
      deleteFields(redis, walletKeys.sessionRelease(walletId), matchIds),
  } satisfies Partial<MoneyCommands>;
}
