/** What the clients of a run saw: the only witness besides the stores. Times are Unix milliseconds of the test's clock. */
export interface History {
  matches: MatchCall[];
  impressions: ImpressionOperation[];
  deposits: DepositOperation[];
  changes: CampaignChange[];
  /** Answers that no fault explains, one sentence each; at most 200. */
  oddities: string[];
  /** Moments at which the clock of Redis was moved, or its data was lost: what sessions counted before may be gone. */
  sessionBreaksMs: number[];
  /** Impressions that were only in Redis at the moment its data was lost. */
  lostImpressionIds: Set<string>;
  /** Names under which something that is no record was put into outboxes. */
  poisonIds: Set<string>;
  answers: Map<string, number>;
}

export interface Span {
  startedMs: number;
  endedMs: number;
}

export interface MatchCall extends Span {
  gameId: string;
  userId: string;
  sessionId: string | null;
  /** Null: no answer, so that nobody knows what it did. */
  status: number | null;
  match: { matchId: string; campaignId: string; creativeId: string; priceMillicents: number } | null;
}

export interface Attempt extends Span {
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
    oddities: [],
    sessionBreaksMs: [],
    lostImpressionIds: new Set(),
    poisonIds: new Set(),
    answers: new Map(),
  };
}

export function noteOddity(history: History, sentence: string): void {
  if (history.oddities.length < MAX_ODDITIES) history.oddities.push(sentence);
}

/** Whether an attempt may have been executed although it was not answered 201: no answer, or a failure on the way. */
export function isUnknown({ status }: Attempt): boolean {
  return status === null || status >= 500;
}
