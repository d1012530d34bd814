import type { RedisConnection } from "../connection.ts";
import { advertiserKeys, decodeName } from "../keys.ts";
import { parseInteger, ReplyReader } from "../reply.ts";
import { defineScript } from "../script.ts";
import { readRecord } from "./holds.ts";
import { requireAtMost, requireInteger } from "./limits.ts";
import type { DamagedRecord, Giveback, LapsedHold, MoneyCommands, OutboxPage, Page } from "./types.ts";

const MAX_LISTED = 500;
const FIRST_CURSOR = "0";

/** A hold as its member in `holds` names it: `match|campaign|game|session|price`. Null: it names none. */
function parseHold(advertiserId: string, member: string, lapsesAtMs: number): LapsedHold | null {
  const [matchId, campaignId, game, sessionKey, price, ...rest] = member.split("|");
  const priceMillicents = parseInteger(price ?? "");
  if (
    matchId === undefined ||
    campaignId === undefined ||
    game === undefined ||
    sessionKey === undefined ||
    priceMillicents === null ||
    rest.length > 0
  ) {
    return null;
  }
  return {
    matchId,
    advertiserId,
    campaignId,
    gameId: decodeName(game),
    sessionKey,
    priceMillicents,
    lapsesAtMs,
  };
}

function parseGiveback(matchId: string, value: string): Giveback {
  const [game, sessionKey, ...rest] = value.split("|");
  if (game === undefined || sessionKey === undefined || rest.length > 0) {
    throw new Error(`giveback of ${matchId} is damaged: ${value}`);
  }
  return { matchId, gameId: decodeName(game), sessionKey };
}

async function scanHash<Item>(
  redis: RedisConnection,
  key: string,
  { limit, cursor }: { limit: number; cursor: string | undefined },
  parse: (field: string, value: string) => Item,
): Promise<Page<Item>> {
  requireInteger("limit", limit, 1, MAX_LISTED);
  const [next, flat] = await redis.hscan(key, cursor ?? FIRST_CURSOR, "COUNT", limit);
  const items: Item[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) items.push(parse(String(flat[i]), String(flat[i + 1])));
  return { items, cursor: next === FIRST_CURSOR ? null : next };
}

async function listOutbox(
  redis: RedisConnection,
  advertiserId: string,
  page: { limit: number; cursor: string | undefined },
): Promise<OutboxPage> {
  const damaged: DamagedRecord[] = [];
  const found = await scanHash(redis, advertiserKeys.outbox(advertiserId), page, (field, text) => {
    const record = readRecord(text, { advertiserId, field });
    if (record === null) damaged.push({ field, text });
    return record;
  });
  return { items: found.items.filter((record) => record !== null), damaged, cursor: found.cursor };
}

async function deleteFields(redis: RedisConnection, key: string, fields: readonly string[]): Promise<number> {
  requireAtMost("fields", fields, MAX_LISTED);
  return fields.length === 0 ? 0 : redis.hdel(key, ...fields);
}

/** What the billing service works off: records to write, holds to release, places in sessions to give back. */
export function createBacklogCommands(
  redis: RedisConnection,
): Pick<MoneyCommands, "listOutbox" | "ackOutbox" | "listLapsed" | "listGivebacks" | "ackGivebacks"> {
  const listLapsed = defineScript(redis, "list_lapsed", 1);
  return {
    listOutbox: (advertiserId, limit, cursor) => listOutbox(redis, advertiserId, { limit, cursor }),
    ackOutbox: (advertiserId, impressionIds) =>
      deleteFields(redis, advertiserKeys.outbox(advertiserId), impressionIds),
    async listLapsed(advertiserId, limit, skip = 0) {
      const reply = new ReplyReader(
        "list_lapsed",
        await listLapsed(
          advertiserKeys.holds(advertiserId),
          requireInteger("limit", limit, 1, MAX_LISTED),
          requireInteger("skip", skip, 0),
        ),
      );
      const holds: LapsedHold[] = [];
      const damaged: string[] = [];
      for (let i = 1; i < reply.length; i += 2) {
        const hold = parseHold(advertiserId, reply.text(i), reply.integer(i + 1));
        if (hold === null) damaged.push(reply.text(i));
        else holds.push(hold);
      }
      return { holds, damaged, nextLapsesAtMs: reply.optionalInteger(0) };
    },
    listGivebacks: (advertiserId, limit, cursor) =>
      scanHash(redis, advertiserKeys.giveback(advertiserId), { limit, cursor }, parseGiveback),
    ackGivebacks: (advertiserId, matchIds) =>
      deleteFields(redis, advertiserKeys.giveback(advertiserId), matchIds),
  };
}
