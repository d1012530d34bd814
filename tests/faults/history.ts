/**
 * What the clients of a run observed: the only evidence besides the stores. Times are Unix milliseconds of the test's
 * clock.
 */
export interface History {
  matches: MatchCall[];
  impressions: ImpressionOperation[];
  deposits: DepositOperation[];
  changes: CampaignChange[];
  /** Revoked keys and deleted creatives, with the time of the answer. */
  revocations: Ending[];
  deletions: Ending[];
  /** Keys revoked while an instance was suspended: until the instance learns of it, it may answer that there is no ad. */
  keysOfSuspended: Set<string>;
  /** Periods in which Redis had no memory left and refused everything new. */
  fullSpans: Span[];
  /** Answers that no fault explains, one sentence each; at most 200. */
  oddities: string[];
  /** Times at which Redis' clock was moved or its data was lost: earlier session counts may be gone. */
  sessionBreaksMs: number[];
  /** Periods in which a wallet got more slices: sessions in progress may go on in another slice, where caps count anew. */
  divisions: Division[];
  /** Times at which Redis lost data. */
  lossesMs: number[];
  /** Impressions that were only in Redis when it lost its data. */
  lostImpressionIds: Set<string>;
  /** Ids of damaged entries put into outboxes. */
  quarantinedIds: Set<string>;
  answers: Map<string, number>;
}

export interface Span {
  startedMs: number;
  endedMs: number;
}

export interface Division extends Span {
  advertiserId: string;
}

/** Something that must not be used after a time. */
export interface Ending {
  id: string;
  answeredMs: number;
}

export interface MatchCall extends Span {
  keyId: string;
  gameId: string;
  userId: string;
  sessionId: string | null;
  /** Null: no answer, so its effect is unknown. */
  status: number | null;
  match: { matchId: string; campaignId: string; creativeId: string; priceMillicents: number } | null;
}

export interface Attempt extends Span {
  keyId: string;
  status: number | null;
}

/** One impression that a game wants to record, with all its retries. */
export interface ImpressionOperation {
  campaignId: string;
  creativeId: string;
  gameId: string;
  /** Null: recorded without one. */
  matchId: string | null;
  idempotencyKey: string | null;
  attempts: Attempt[];
  /** One entry per 201. */
  answers: { impressionId: string; chargedMillicents: number }[];
}

/** The body of all attempts. */
export function bodyOf({ campaignId, creativeId, gameId, matchId }: ImpressionOperation) {
  return {
    campaign_id: campaignId,
    creative_id: creativeId,
    game_id: gameId,
    ...(matchId !== null && { match_id: matchId }),
  };
}

/** Amounts of one advertiser are unique, so that a database row identifies its operation. */
export interface DepositOperation {
  advertiserId: string;
  amountCents: number;
  attempts: Attempt[];
  done: boolean;
}

export interface CampaignChange extends Span {
  campaignId: string;
  kind: "activate" | "pause" | "budget" | "daily-cap";
  cents: number | null;
  status: number | null;
}

const MAX_ODDITIES = 200;

export function emptyHistory(): History {
  return {
    matches: [],
    impressions: [],
    deposits: [],
    changes: [],
    revocations: [],
    deletions: [],
    keysOfSuspended: new Set(),
    fullSpans: [],
    oddities: [],
    sessionBreaksMs: [],
    divisions: [],
    lossesMs: [],
    lostImpressionIds: new Set(),
    quarantinedIds: new Set(),
    answers: new Map(),
  };
}

/** As JSON, sets and maps as arrays. */
export function textOf(history: History): string {
  return JSON.stringify(history, (_, value) =>
    value instanceof Set || value instanceof Map ? [...value] : value,
  );
}

export function noteOddity(history: History, sentence: string): void {
  if (history.oddities.length < MAX_ODDITIES) history.oddities.push(sentence);
}

/** The key no longer works, or its limit was used up without a valid key; another key may work. */
export function isRefusedKey({ status }: Pick<Attempt, "status">): boolean {
  return status === 401 || status === 429;
}

/** Whether an attempt may have been executed without being answered 201: no answer, or a failure on the way. */
export function isUnknown({ status }: Pick<Attempt, "status">): boolean {
  return status === null || status >= 500;
}
