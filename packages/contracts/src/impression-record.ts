/** A part of a match's affinity score, for affinity analytics. */
export interface AffinityContribution {
  affinity_id: string;
  contribution: number;
}

/** Largest LATE_IMPRESSION_SECONDS: an older match accepts no impression. */
export const MAX_MATCH_AGE_MS = 7 * 24 * 60 * 60 * 1_000;

/** Facts of a match that stay with its hold until the impression. */
export interface MatchFacts {
  match_id: string;
  advertiser_id: string;
  /** The slice of the advertiser's wallet that has the match; absent: 0, the advertiser's own wallet. */
  wallet_slice?: number;
  campaign_id: string;
  /** The matched version of the campaign: determines which affinities could contribute. */
  campaign_version: number;
  game_id: string;
  /** The account that owns the placement and earns the share. */
  developer_account_id: string;
  /** Keyed hash of the player's id; the id itself is never stored. */
  user_hash: string;
  /** Name of the player session in Redis keys. */
  session_key: string;
  /** ISO 3166-1 alpha-2, upper case; null: unknown country. */
  country_code: string | null;
  affinity_score: number;
  affinities: AffinityContribution[];
  /** The price of the impression: the bid at the match. */
  price_millicents: number;
  revenue_share_basis_points: number;
  matched_at_ms: number;
}

/** A committed impression, as stored in the outbox and in billing jobs. */
export interface ImpressionRecord {
  /** Derived from the match id. */
  impression_id: string;
  /**
   * The request with an Idempotency-Key and without a match id: of several records of one operation within 24 hours,
   * one is billed. Absent: the request named its match, or had no key.
   */
  operation_id?: string;
  creative_id: string;
  /** The slice of the advertiser's wallet that was charged; absent: 0, the advertiser's own wallet. */
  wallet_slice?: number;
  /** Unix milliseconds by the clock of Redis; determines the UTC day of the charge. */
  recorded_at_ms: number;
  /** Recovery epoch of the advertiser's wallet at the commit; absent: before wallets had epochs. */
  recovery_epoch?: number;
  match: MatchFacts;
}

/** One BullMQ job: at most 500 records. Only a transport: the outbox is authoritative. */
export interface BillingJob {
  schema: 1;
  records: ImpressionRecord[];
  /** W3C traceparents of the recorded requests that the records come from, at most 16. */
  traceparents?: string[];
}
