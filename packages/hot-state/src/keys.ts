/**
 * Every Redis key of the product, by wallet. What stands in braces is the hash tag: keys that share it live on one
 * node of a cluster and can be used by one script.
 */

/** With the `u` flag a well-formed pair is one character, so only lone surrogates match. */
const LONE_SURROGATE = /(\p{Surrogate})/u;

/** Nearly every name. */
const ENCODES_AS_IT_IS = /^[A-Za-z0-9_-]*$/;

/**
 * Game ids are free text: percent-encoding keeps braces and separators out of keys and members. Every text has an
 * encoding of its own: a lone surrogate, which has no UTF-8, becomes `%uD800`.
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

/** The text that `encodeName` was given. */
export function decodeName(encoded: string): string {
  return encoded
    .split(/%u([0-9A-F]{4})/)
    .map((part, index) =>
      index % 2 === 0 ? decodeURIComponent(part) : String.fromCharCode(Number.parseInt(part, 16)),
    )
    .join("");
}

/** Identifiers that this product makes: they stand in keys, members and JSON as they are. */
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export function isPlainName(text: string): boolean {
  return PLAIN_NAME.test(text);
}

/** The advertiser's wallet: money and creative caps change atomically in it. */
export const advertiserKeys = {
  account: (advertiserId: string) => `{${advertiserId}}:account`,
  campaign: (advertiserId: string, campaignId: string) => `{${advertiserId}}:campaign:${campaignId}`,
  /** Open holds by the moment (ms) at which they lapse; a member names all that a release needs. */
  holds: (advertiserId: string) => `{${advertiserId}}:holds`,
  /** Unbilled matches of a campaign in a game, ordered by creative, then age. */
  pending: (advertiserId: string, campaignId: string, gameId: string) =>
    `{${advertiserId}}:pending:${campaignId}:${encodeName(gameId)}`,
  /**
   * Every match of a campaign in a game, open or lapsed, until `lateImpressionMs` and 10 min after its hold lapses; one that
   * was charged without its id for at least 24 h and 10 min, a cancelled one for 10 min.
   */
  matches: (advertiserId: string, campaignId: string, gameId: string) =>
    `{${advertiserId}}:matches:${campaignId}:${encodeName(gameId)}`,
  /** Fields of `matches` by the moment (ms) at which they may be forgotten. */
  history: (advertiserId: string, campaignId: string, gameId: string) =>
    `{${advertiserId}}:history:${campaignId}:${encodeName(gameId)}`,
  /** Charged matches of a while, by `chargedField`; expires 24 h and 10 min after the last charge, or a little later. */
  charged: (advertiserId: string, matchId: string) => `{${advertiserId}}:charged:${matchId.slice(4, 10)}`,
  /** How often a player session in a game has been given each creative of the advertiser. */
  cap: (advertiserId: string, gameId: string, sessionKey: string) =>
    `{${advertiserId}}:cap:${encodeName(gameId)}:${sessionKey}`,
  /** What the open holds of each developer account, and of each game, take of a campaign. */
  shares: (advertiserId: string, campaignId: string) => `{${advertiserId}}:shares:${campaignId}`,
  /** Matches of a campaign in an hour (whole hours since 1970) by game; expires after 26 hours. */
  matched: (advertiserId: string, campaignId: string, hour: number) =>
    `{${advertiserId}}:matched:${campaignId}:${hour}`,
  /** Committed impressions that are not yet in Postgres. */
  outbox: (advertiserId: string) => `{${advertiserId}}:outbox`,
  /** Impressions that a restored wallet contains and must not count again; see `settle`. */
  settled: (advertiserId: string) => `{${advertiserId}}:settled`,
  /** Who restores the wallet just now; ends by itself when he dies. */
  restoring: (advertiserId: string) => `{${advertiserId}}:restoring`,
  /** Lapsed matches whose place in the player session has still to be given back, in the game's wallet. */
  sessionRelease: (advertiserId: string) => `{${advertiserId}}:sessionRelease`,
};

/** A match's field in `charged`, whose key has the first part of its ULID: these 70 random bits fit Redis's smaller allocations. */
export function chargedField(matchId: string): string {
  return matchId.slice(-14);
}

/** The game's wallet: the fatigue limit of a player session across advertisers. */
export const gameKeys = {
  session: (gameId: string, sessionKey: string) => `{game:${encodeName(gameId)}}:session:${sessionKey}`,
};

/** The snapshot's wallet: what match instances know, and the leases by which they say how much of it they know. */
export const snapshotKeys = {
  version: "{snapshot}:version",
  epoch: "{snapshot}:epoch",
  /** The epoch whose entities have all been published once; followers serve nothing before that. */
  complete: "{snapshot}:complete",
  entities: "{snapshot}:entities",
  rowVersions: "{snapshot}:row-versions",
  log: "{snapshot}:log",
  leases: "{snapshot}:leases",
  /** Pub/sub channel; a message only wakes followers up. */
  changed: "{snapshot}:changed",
};

/** In the leases: what the name begins with of one that stands for all that may have been lost. */
export const EARLIER_LEASE = "before:";

/** Which advertisers the billing service has to look at, and when (ms). */
export const dueKeys = {
  holds: "{due}:holds",
  outbox: "{due}:outbox",
  /** The latest moment (ms) that was announced, per advertiser: its entry stays until then. */
  announced: (kind: "holds" | "outbox") => `{due}:${kind}:announced`,
};

export const rateLimitKeys = {
  bucket: (bucket: string) => `{rate:${bucket}}`,
};

export const processKeys = {
  /** The latest report of each match and billing process, for the operator; a hash by process, expires after an hour. */
  reports: "{processes}:reports",
};

export const keyUseKeys = {
  /** API keys used in the match tier by the moment (ms) of their last use, until management has written it down. */
  last: "{key-use}:last",
};

/** Statistics of a game's calls, for its developer. All expire; losing them costs no money. */
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
  /** Refused calls of an account on one UTC day (YYYY-MM-DD) by hour: `13:match_400`. */
  errors: (accountId: string, day: string) => `{traffic-errors:${accountId}}:${day}`,
  /** Unix milliseconds of the account's last call, and of the last refusal of each kind. */
  lastErrors: (accountId: string) => `{traffic-errors:${accountId}}:last`,
};

export const idempotencyKeys = {
  claim: (operation: string) => `{idempotency:${operation}}`,
};

export const installationKeys = {
  /** The id of the installation whose Redis this is; never expires. Beside the snapshot, without which nothing works anyway. */
  owner: "{snapshot}:installation",
};
