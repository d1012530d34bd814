/** What the clients of a run saw: the only witness besides the stores. Times are Unix milliseconds of the test's clock. */
export interface History {
  matches: MatchCall[];
  impressions: ImpressionOperation[];
  deposits: DepositOperation[];
  changes: CampaignChange[];
  /** Keys that were revoked, and creatives that were deleted: when that was answered. */
  revocations: Ending[];
  deletions: Ending[];
  /** Keys that were revoked while an instance was suspended: until it hears of that, it may still answer that there is no ad. */
  keysOfSuspended: Set<string>;
  /** While Redis had no memory left, for nothing new at all. */
  fullSpans: Span[];
  /** Answers that no fault explains, one sentence each; at most 200. */
  oddities: string[];
  /** Moments at which the clock of Redis was moved, or its data was lost: what sessions counted before may be gone. */
  sessionBreaksMs: number[];
  /** Moments at which data of Redis was lost. */
  lossesMs: number[];
  /** Impressions that were only in Redis at the moment its data was lost. */
  lostImpressionIds: Set<string>;
  /** Names under which something that is no record was put into outboxes. */
  quarantinedIds: Set<string>;
  answers: Map<string, number>;
}

export interface Span {
  startedMs: number;
  endedMs: number;
}

/** What nobody may use any more from a moment on. */
export interface Ending {
  id: string;
  answeredMs: number;
}

export interface MatchCall extends Span {
  keyId: string;
  gameId: string;
  userId: string;
  sessionId: string | null;
  /** Null: no answer, so that nobody knows what it did. */
  status: number | null;
  match: { matchId: string; campaignId: string; creativeId: string; priceMillicents: number } | null;
}

export interface Attempt extends Span {
  keyId: string;
  status: number | null;
}

/** One impression that a game wanted to record, with all its retries. */
export interface ImpressionOperation {
  campaignId: string;
  creativeId: string;
  gameId: string;
  /** Null: recorded without one. */
  matchId: string | null;
  idempotencyKey: string | null;
  attempts: Attempt[];
  /** One for each 201. */
  answers: { impressionId: string; chargedMillicents: number }[];
}

/** Amounts of one advertiser are all different, so that a row of the database names its operation. */
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
    lossesMs: [],
    lostImpressionIds: new Set(),
    quarantinedIds: new Set(),
    answers: new Map(),
  };
}

export function noteOddity(history: History, sentence: string): void {
  if (history.oddities.length < MAX_ODDITIES) history.oddities.push(sentence);
}

/** A key that does not work any more, or that somebody who has no key has used up the limit for: another one may. */
export function isRefusedKey({ status }: Pick<Attempt, "status">): boolean {
  return status === 401 || status === 429;
}

/** Whether an attempt may have been executed although it was not answered 201: no answer, or a failure on the way. */
export function isUnknown({ status }: Pick<Attempt, "status">): boolean {
  return status === null || status >= 500;
}
