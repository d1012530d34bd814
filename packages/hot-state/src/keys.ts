/**
 * Every Redis key of the product, by slot. What stands in braces is the hash tag: keys that share it live on one
 * node of a cluster and can be used by one script.
 */

/** Game and session names are free text: percent-encoding keeps braces and separators out of a key. */
function encode(text: string): string {
  return encodeURIComponent(text);
}

/** The advertiser's slot: money and creative caps change atomically in it. */
export const advertiserKeys = {
  account: (advertiserId: string) => `{${advertiserId}}:account`,
  campaign: (advertiserId: string, campaignId: string) => `{${advertiserId}}:campaign:${campaignId}`,
  /** Open holds: match id by the moment (ms) at which the hold lapses. */
  holds: (advertiserId: string) => `{${advertiserId}}:holds`,
  /** Unbilled matches of a campaign in a game, ordered by creative, then age. */
  pending: (advertiserId: string, campaignId: string, gameId: string) =>
    `{${advertiserId}}:pending:${campaignId}:${encode(gameId)}`,
  /** Every match of a campaign in a game of the last 24 hours: open, lapsed or charged. */
  matches: (advertiserId: string, campaignId: string, gameId: string) =>
    `{${advertiserId}}:matches:${campaignId}:${encode(gameId)}`,
  /** Fields of `matches` by the moment (ms) at which they may be forgotten. */
  history: (advertiserId: string, campaignId: string, gameId: string) =>
    `{${advertiserId}}:history:${campaignId}:${encode(gameId)}`,
  /** How often a player session has been given each creative of the advertiser. */
  cap: (advertiserId: string, sessionKey: string) => `{${advertiserId}}:cap:${sessionKey}`,
  /** Committed impressions that are not yet in Postgres. */
  outbox: (advertiserId: string) => `{${advertiserId}}:outbox`,
  /** Lapsed matches whose place in the player session has still to be given back, in the game's slot. */
  giveback: (advertiserId: string) => `{${advertiserId}}:giveback`,
};

/** The game's slot: the fatigue limit of a player session across advertisers. */
export const gameKeys = {
  session: (gameId: string, sessionKey: string) => `{game:${encode(gameId)}}:session:${sessionKey}`,
};

/** The snapshot's slot: what match instances know, and the leases by which they say how much of it they know. */
export const snapshotKeys = {
  version: "{snapshot}:version",
  epoch: "{snapshot}:epoch",
  entities: "{snapshot}:entities",
  rowVersions: "{snapshot}:row-versions",
  log: "{snapshot}:log",
  leases: "{snapshot}:leases",
  /** Pub/sub channel; a message only wakes followers up. */
  changed: "{snapshot}:changed",
};

/** Which advertisers the billing service has to look at, and when (ms). */
export const dueKeys = {
  holds: "{due}:holds",
  outbox: "{due}:outbox",
};

export const rateLimitKeys = {
  bucket: (bucket: string) => `{rate:${bucket}}`,
};

export const idempotencyKeys = {
  claim: (operation: string) => `{idempotency:${operation}}`,
};
