/** A part of a match's affinity score, kept for the affinity analytics. */
export interface AffinityContribution {
  affinity_id: string;
  contribution: number;
}

/** The facts of a match that travel with its hold to the impression. */
export interface MatchFacts {
  match_id: string;
  advertiser_id: string;
  campaign_id: string;
  /** The version of the campaign that was matched: says which affinities could contribute. */
  campaign_version: number;
  game_id: string;
  /** The account that owns the placement and earns the share. */
  developer_account_id: string;
  /** Keyed hash of the player's id; the id itself is never stored. */
  user_hash: string;
  /** Name of the player session in Redis keys. */
  session_key: string;
  /** ISO 3166-1 alpha-2, upper case; null: unknown place. */
  country_code: string | null;
  affinity_score: number;
  affinities: AffinityContribution[];
  /** What the impression will cost: the bid in force at the match. */
  price_millicents: number;
  revenue_share_basis_points: number;
  matched_at_ms: number;
}

/** A committed impression, as it stands in the outbox and in a billing job. */
export interface ImpressionRecord {
  /** Named after its match. */
  impression_id: string;
  /**
   * The request that was sent with an Idempotency-Key and without a match: of several records of one operation within
   * 24 hours one is billed. Absent: it named its match, or has no key.
   */
  operation_id?: string;
  creative_id: string;
  /** Unix milliseconds by the clock of Redis: it decides the UTC day on which the charge counts. */
  recorded_at_ms: number;
  /** The advertiser wallet's recovery epoch in which it was committed; absent: before wallets were numbered. */
  recovery_epoch?: number;
  /** How records queued before the migration `vocabulary` spell `recovery_epoch`; new records never have it. */
  slot_epoch?: number;
  match: MatchFacts;
}

/** One BullMQ job: at most 500 records. Delivery only: the outbox is the truth. */
export interface BillingJob {
  schema: 1;
  records: ImpressionRecord[];
}
