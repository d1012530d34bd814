/**
 * Every Redis key of the product, by owner. The hash tag is in braces: keys that share it are on one node of a cluster
 * and can be used by one script.
 */

import type { ImpressionRecord, MatchFacts } from "@diegetic/contracts";

/** With the `u` flag a well-formed pair is one character, so only lone surrogates match. */
const LONE_SURROGATE = /(\p{Surrogate})/u;

/** Matches nearly every name. */
const ENCODES_AS_IT_IS = /^[A-Za-z0-9_-]*$/;

/**
 * Game ids are free text: percent-encoding keeps braces and separators out of keys and members. Every text has a unique
 * encoding: a lone surrogate, which has no UTF-8, becomes `%uD800`.
 */
export function encodeName(text: string): string {
  if (ENCODES_AS_IT_IS.test(text)) return text;
  return text
    .split(LONE_SURROGATE)
    .map((part, index) =>
      index % 2 === 0 ? encodeURIComponent(part) : `%u${part.charCodeAt(0).toString(16).toUpperCase()}`,
    )
    .join("");
}

export function decodeName(encoded: string): string {
  return encoded
    .split(/%u([0-9A-F]{4})/)
    .map((part, index) =>
      index % 2 === 0 ? decodeURIComponent(part) : String.fromCharCode(Number.parseInt(part, 16)),
    )
    .join("");
}

/** Identifiers made by this product: used in keys, members and JSON without encoding. */
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export function isPlainName(text: string): boolean {
  return PLAIN_NAME.test(text);
}

/** Maximum slices of a wallet. */
export const MAX_WALLET_SLICES = 64;

/** Names a wallet in keys: slice 0 is the advertiser's own wallet, which grants the others their money. */
export function walletIdOf(advertiserId: string, slice: number): string {
  return slice === 0 ? advertiserId : `${advertiserId}.${slice}`;
}

/** The slice that has a player session's matches: always the same one, so that creative caps count in one wallet. */
export function sliceOfSession(sessionKey: string, slices: number): number {
  if (slices === 1) return 0;
  return Buffer.from(sessionKey.slice(0, 8), "base64url").readUIntBE(0, 6) % slices;
}

/** The wallet that has a match. */
export function walletOfMatch(match: Pick<MatchFacts, "advertiser_id" | "wallet_slice">): string {
  return walletIdOf(match.advertiser_id, match.wallet_slice ?? 0);
}

/** The slice that was charged; 0 if the record is damaged. */
export function sliceOf({ wallet_slice: slice = 0 }: Pick<ImpressionRecord, "wallet_slice">): number {
  return Number.isInteger(slice) && slice >= 0 && slice < MAX_WALLET_SLICES ? slice : 0;
}

/** The wallet that was charged. */
export function walletOfRecord(record: Pick<ImpressionRecord, "wallet_slice" | "match">): string {
  return walletIdOf(record.match.advertiser_id, sliceOf(record));
}

const WALLET_ID = /^([A-Za-z0-9_-]{1,64})(?:\.([1-9]\d?))?$/;

/** The parts of `walletIdOf`; null: not the id of a wallet. */
export function partsOfWalletId(walletId: string): { advertiserId: string; slice: number } | null {
  const [, advertiserId, slice = "0"] = WALLET_ID.exec(walletId) ?? [];
  return advertiserId === undefined || Number(slice) >= MAX_WALLET_SLICES
    ? null
    : { advertiserId, slice: Number(slice) };
}

/** The advertiser of a wallet; the text itself if it is not the id of one. */
export function advertiserOf(walletId: string): string {
  return partsOfWalletId(walletId)?.advertiserId ?? walletId;
}

/** A wallet: its money and creative caps change atomically. */
export const walletKeys = {
  account: (walletId: string) => `{${walletId}}:account`,
  campaign: (walletId: string, campaignId: string) => `{${walletId}}:campaign:${campaignId}`,
  /** Open holds by the time (ms) at which they lapse; a member names everything that a release needs. */
  holds: (walletId: string) => `{${walletId}}:holds`,
  /** Unbilled matches of a campaign in a game, ordered by creative, then age. */
  pending: (walletId: string, campaignId: string, gameId: string) =>
    `{${walletId}}:pending:${campaignId}:${encodeName(gameId)}`,
  /**
   * Every match of a campaign in a game, open or lapsed, until 10 min after it can be billed, or can be billed only by an id that
   * carries it; one that was charged without its id for at least 24 h and 10 min, a cancelled one for 10 min.
   */
  matches: (walletId: string, campaignId: string, gameId: string) =>
    `{${walletId}}:matches:${campaignId}:${encodeName(gameId)}`,
  /** Fields of `matches` by the time (ms) from which they may be removed, without matches whose ids carry them. */
  history: (walletId: string, campaignId: string, gameId: string) =>
    `{${walletId}}:history:${campaignId}:${encodeName(gameId)}`,
  /** Charged matches of a while, by `chargedField`; expires 24 h and 10 min after the last charge, or a little later. */
  charged: (walletId: string, matchId: string) => `{${walletId}}:charged:${matchId.slice(4, 10)}`,
  /** How often a player session in a game got each creative of the advertiser. */
  cap: (walletId: string, gameId: string, sessionKey: string) =>
    `{${walletId}}:cap:${encodeName(gameId)}:${sessionKey}`,
  /** A campaign's open holds, summed by developer account and by game. */
  shares: (walletId: string, campaignId: string) => `{${walletId}}:shares:${campaignId}`,
  /** The campaigns for which slices have money; this key and the next only in the advertiser's own wallet. */
  granted: (walletId: string) => `{${walletId}}:granted`,
  /** The newest report of each slice on a campaign, and what it was granted. */
  grants: (walletId: string, campaignId: string) => `{${walletId}}:grants:${campaignId}`,
  /**
   * Matches and impressions (fields `s:…`) of a campaign in an hour (whole hours since 1970) by game, and how many fields each
   * developer's account has (`a:…`); expires after 26 hours.
   */
  hourlyCounts: (walletId: string, campaignId: string, hour: number) =>
    `{${walletId}}:matched:${campaignId}:${hour}`,
  /** Committed impressions that are not in Postgres yet. */
  outbox: (walletId: string) => `{${walletId}}:outbox`,
  /** Impressions that a restored wallet includes and must not count again; see `settle`. */
  settled: (walletId: string) => `{${walletId}}:settled`,
  /** The instance that is restoring the wallet; expires if it crashes. */
  restoring: (walletId: string) => `{${walletId}}:restoring`,
  /** Lapsed matches whose session seat the game's keys still count. */
  sessionRelease: (walletId: string) => `{${walletId}}:giveback`,
};

/** A match's field in `charged`, whose key has the first part of its ULID: these 70 random bits fit Redis's smaller allocations. */
export function chargedField(matchId: string): string {
  return matchId.slice(-14);
}

/** A game's keys: the seats of a player session, across advertisers. */
export const gameKeys = {
  session: (gameId: string, sessionKey: string) => `{game:${encodeName(gameId)}}:session:${sessionKey}`,
};

/** Recognises keys among all names of a server. Their groups are the parts of the key in their order, encoded. */
export const keyPatterns = {
  account: /^\{(adv_[^}]+)\}:account$/,
  matches: /^\{(adv_[^}]+)\}:matches:([^:]+):([^:]*)$/,
  cap: /^\{(adv_[^}]+)\}:cap:([^:]*):([A-Za-z0-9_-]+)$/,
  outbox: /^\{(adv_[^}]+)\}:outbox$/,
  sessionRelease: /^\{(adv_[^}]+)\}:giveback$/,
  session: /^\{game:([^}]*)\}:session:([A-Za-z0-9_-]+)$/,
};

/** The snapshot's keys: what match instances know, and the leases by which they report the applied version. */
export const snapshotKeys = {
  version: "{snapshot}:version",
  epoch: "{snapshot}:epoch",
  /** The epoch whose entities have all been published; followers do not serve before that. */
  complete: "{snapshot}:complete",
  entities: "{snapshot}:entities",
  rowVersions: "{snapshot}:row-versions",
  log: "{snapshot}:log",
  leases: "{snapshot}:leases",
  /** Pub/sub channel; messages only wake followers. */
  changed: "{snapshot}:changed",
};

/** Which wallets billing has to visit, and when (ms). */
export const dueKeys = {
  holds: "{due}:holds",
  outbox: "{due}:outbox",
  /** Per wallet the latest announced time, until which its entry stays, and the shortest lead (ms). */
  announced: (kind: "holds" | "outbox") => `{due}:${kind}:announced`,
};

export const rateLimitKeys = {
  bucket: (bucket: string) => `{rate:${bucket}}`,
};

export const processKeys = {
  /** The latest report of each process, for operators; a hash by process, expires after an hour. */
  reports: "{processes}:reports",
};

export const keyUseKeys = {
  /** API keys by their last use (ms) in the match tier, until management stores it. */
  last: "{key-use}:last",
};

/** Statistics of a game's calls, for its developer. All keys expire; losing them costs no money. */
export const trafficKeys = {
  /** Unix milliseconds of the last call of each kind. */
  last: (gameId: string) => `{traffic:${encodeName(gameId)}}:last`,
  /** Counts of one UTC day (YYYY-MM-DD) by hour: `13:match`. */
  hours: (gameId: string, day: string) => `{traffic:${encodeName(gameId)}}:hours:${day}`,
  /** Counts of one month (YYYY-MM) by day: `21:match`. */
  days: (gameId: string, month: string) => `{traffic:${encodeName(gameId)}}:days:${month}`,
  /** How often a month's scenes had each word: `mood:calm`. */
  words: (gameId: string, month: string) => `{traffic:${encodeName(gameId)}}:words:${month}`,
  /** The latest sampled scenes without an ad, newest first. */
  scenes: (gameId: string) => `{traffic:${encodeName(gameId)}}:scenes`,
  /** The account's games with statistics, by last call. */
  games: (accountId: string) => `{traffic-errors:${accountId}}:games`,
  /** Refused calls of an account on one UTC day (YYYY-MM-DD) by hour: `13:match_400`. */
  errors: (accountId: string, day: string) => `{traffic-errors:${accountId}}:${day}`,
  /** Unix milliseconds of the account's last call, and of the last refusal of each kind. */
  lastErrors: (accountId: string) => `{traffic-errors:${accountId}}:last`,
};

export const idempotencyKeys = {
  claim: (operation: string) => `{idempotency:${operation}}`,
};

export const installationKeys = {
  /**
   * Id of the installation that owns this Redis; never expires. Stored next to the snapshot, which everything else
   * needs as well.
   */
  owner: "{snapshot}:installation",
};
