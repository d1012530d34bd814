import type { ImpressionRecord } from "@diegetic/contracts";
import { requireWalletId } from "../arguments.ts";
import type { RedisConnection } from "../connection.ts";
import { walletKeys } from "../keys.ts";
import { parseName } from "../money/backlog.ts";
import { readRecord } from "../money/outbox-record.ts";
import { readAccountTotals, readCampaignTotals, readSliced } from "../money/totals.ts";
import { walletIds, walletIdsOf } from "../money/wallet-ids.ts";
import { ReplyReader, type ScriptReply, UnexpectedReply } from "../reply.ts";
import { defineVariadicScript } from "../script.ts";
import {
  combineSlices,
  type StoredCampaign,
  type StoredWallet,
  type WalletSummary,
} from "./wallet-summary.ts";

export interface WalletLimits {
  /** Maximum holds added up inside Redis, which they block: about 1 ms per 2 000. */
  holds: number;
  /** Maximum outbox records to read. */
  records: number;
  /** How long after its end a hold counts as overdue. */
  lateMs: number;
}

const CAMPAIGNS_PER_CALL = 32;
const MAX_ATTEMPTS = 5;
const FIELDS_PER_CAMPAIGN = 16;
const MAX_HOLDS_READ = 2_000;
const HOLDS_PER_PAGE = 200;
/** Ten fields and two facts precede it. */
const VERSION_IN_ENTRY = 12;

export interface WalletReader {
  /** Null: a wallet with more than 32 campaigns is read in parts, and it kept changing in between. */
  read(
    advertiserId: string,
    campaignIds: readonly string[],
    limits: WalletLimits,
  ): Promise<WalletSummary | null>;
  /** Newest campaign version of an open hold (of the first 2 000); 0: none. */
  newestHeldVersion(advertiserId: string, campaignId: string): Promise<number>;
}

/** Reads wallets for comparison with Postgres; changes nothing. */
export function createWalletReader(redis: RedisConnection): WalletReader {
  const script = defineVariadicScript(redis, "read_wallet");
  const readPart = async (walletId: string, campaignIds: readonly string[], limits: WalletLimits) => {
    const keys = [
      walletKeys.account(requireWalletId(walletId)),
      walletKeys.holds(walletId),
      walletKeys.outbox(walletId),
      walletKeys.sessionRelease(walletId),
      ...campaignIds.flatMap((id) => [walletKeys.campaign(walletId, id), walletKeys.shares(walletId, id)]),
    ];
    const values = [limits.holds, limits.records, limits.lateMs, ...campaignIds];
    const reply = await script({ keys, values });
    return parseWallet(reply);
  };
  const readParts = async (walletId: string, campaignIds: readonly string[], limits: WalletLimits) => {
    const parts: StoredWallet[] = [];
    for (let start = 0; start === 0 || start < campaignIds.length; start += CAMPAIGNS_PER_CALL) {
      parts.push(await readPart(walletId, campaignIds.slice(start, start + CAMPAIGNS_PER_CALL), limits));
    }
    return parts;
  };
  /** Null: it changed meanwhile. */
  const readOne = async (walletId: string, campaignIds: readonly string[], limits: WalletLimits) => {
    const parts = await readParts(walletId, campaignIds, limits);
    const [first] = parts;
    if (first === undefined || parts.some((part) => stampOf(part) !== stampOf(first))) return null;
    return { ...first, campaigns: parts.flatMap((part) => part.campaigns) };
  };
  /** The advertiser's own wallet and its slices. Null: one of them changed, or grants did, meanwhile. */
  const readAll = async (advertiserId: string, campaignIds: readonly string[], limits: WalletLimits) => {
    const own = await readOne(advertiserId, campaignIds, limits);
    const slices = own?.account?.slices ?? 1;
    if (own === null || slices === 1) return own;
    const others = await Promise.all(
      walletIds(advertiserId, slices)
        .slice(1)
        .map((walletId) => readOne(walletId, campaignIds, limits)),
    );
    const read = others.filter((other) => other !== null);
    // Each wallet is read at one moment. Without grants in between, no money is counted in two of them.
    const again = await readPart(advertiserId, [], limits);
    if (grantStampOf(again) !== grantStampOf(own) || read.length < others.length) return null;
    return combineSlices(own, read);
  };
  return {
    async read(advertiserId, campaignIds, limits) {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const summary = await readAll(advertiserId, campaignIds, limits);
        if (summary !== null) return summary;
      }
      return null;
    },
    newestHeldVersion: async (advertiserId, campaignId) => {
      const ids = await walletIdsOf(redis, advertiserId);
      const versions = await Promise.all(ids.map((id) => newestHeldVersion(redis, id, campaignId)));
      return Math.max(...versions);
    },
  };
}

/** Equal if nothing changed between two reads. */
function stampOf({ account, holds, outbox }: StoredWallet): string {
  return JSON.stringify([account, holds.count, outbox.count]);
}

/** Equal if slices neither reported nor were granted anything, and no restore voided their grants. */
function grantStampOf({ account }: StoredWallet): string {
  return JSON.stringify([account?.epoch, account?.live, account?.sliced]);
}

function parseWallet(reply: ScriptReply): StoredWallet {
  if (!Array.isArray(reply) || reply.length !== 7) throw new UnexpectedReply("read_wallet", reply);
  const part = (index: number) => new ReplyReader("read_wallet", reply[index] ?? null);
  const [account, holds, backlog, records] = [part(1), part(2), part(3), part(5)];
  const recordCount = backlog.integer(0);
  return {
    readAtMs: part(0).integer(0),
    account:
      account.length === 0
        ? null
        : {
            ...readAccountTotals(account),
            slices: account.optionalInteger(7) ?? 1,
            ...readSliced(account, 8),
            changes: account.optionalInteger(11) ?? 0,
            live: account.code(6, ["0", "1"]) === "1",
          },
    holds: {
      count: holds.integer(0),
      sumMillicents: holds.optionalInteger(1),
      lapsedLongAgo: holds.integer(2),
    },
    outbox: {
      count: recordCount,
      records: records.length < recordCount ? null : records.texts().map(soundRecord),
    },
    sessionReleases: { count: backlog.integer(1), some: part(6).texts() },
    campaigns: parseCampaigns(part(4)),
  };
}

function soundRecord(text: string): ImpressionRecord {
  const record = readRecord(text);
  if (record === null) throw new UnexpectedReply("read_wallet", "a record that is none");
  return record;
}

function parseCampaigns(fields: ReplyReader): StoredCampaign[] {
  const campaigns: StoredCampaign[] = [];
  for (let i = 0; i < fields.length; i += FIELDS_PER_CAMPAIGN) {
    campaigns.push({
      campaignId: fields.text(i),
      ...readCampaignTotals(fields, i + 1),
      ...readSliced(fields, i + 11),
      holdsMillicents: fields.optionalInteger(i + 14),
      differingShares: fields.optionalInteger(i + 15),
    });
  }
  return campaigns;
}

async function newestHeldVersion(
  redis: RedisConnection,
  walletId: string,
  campaignId: string,
): Promise<number> {
  let newest = 0;
  // The newest holds lapse last.
  for (let start = 0; start < MAX_HOLDS_READ; start += HOLDS_PER_PAGE) {
    const members = await redis.zrevrange(walletKeys.holds(walletId), start, start + HOLDS_PER_PAGE - 1);
    for (const member of members) {
      const [matchId = "", campaign, game = ""] = member.split("|");
      const gameId = parseName(game);
      // A damaged hold names no match: other checks report it.
      if (campaign !== campaignId || gameId === null) continue;
      const key = walletKeys.matches(walletId, campaignId, gameId);
      newest = Math.max(newest, versionOfEntry(await redis.hget(key, matchId)));
    }
    if (members.length < HOLDS_PER_PAGE) break;
  }
  return newest;
}

/** The campaign version in an entry (lua/include/entry.lua); 0: absent. */
function versionOfEntry(entry: string | null): number {
  return Number(entry?.split("|")[VERSION_IN_ENTRY] ?? 0);
}
