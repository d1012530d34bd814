import type { ImpressionRecord } from "@diegetic/contracts";
import { earningMicrocents } from "@diegetic/money";
import pg from "pg";

const TABLE = "bare_impressions";

const COLUMNS: readonly [name: string, type: string, value: (record: ImpressionRecord) => unknown][] = [
  ["day", "date", ({ recorded_at_ms }) => new Date(recorded_at_ms).toISOString().slice(0, 10)],
  ["impression_id", "text", ({ impression_id }) => impression_id],
  ["match_id", "text", ({ match }) => match.match_id],
  ["advertiser_id", "text", ({ match }) => match.advertiser_id],
  ["campaign_id", "text", ({ match }) => match.campaign_id],
  ["campaign_version", "int", ({ match }) => match.campaign_version],
  ["creative_id", "text", ({ creative_id }) => creative_id],
  ["game_id", "text", ({ match }) => match.game_id],
  ["developer_account_id", "text", ({ match }) => match.developer_account_id],
  ["user_hash", "text", ({ match }) => match.user_hash],
  ["session_key", "text", ({ match }) => match.session_key],
  ["country_code", "text", ({ match }) => match.country_code],
  ["affinity_score", "numeric", ({ match }) => match.affinity_score.toFixed(6)],
  ["affinities", "jsonb", ({ match }) => JSON.stringify(match.affinities)],
  ["price_millicents", "bigint", ({ match }) => match.price_millicents],
  ["revenue_share_basis_points", "int", ({ match }) => match.revenue_share_basis_points],
  [
    "earning_microcents",
    "bigint",
    ({ match }) => String(earningMicrocents(match.price_millicents, match.revenue_share_basis_points)),
  ],
  ["matched_at", "timestamptz", ({ match }) => new Date(match.matched_at_ms).toISOString()],
  ["recorded_at", "timestamptz", ({ recorded_at_ms }) => new Date(recorded_at_ms).toISOString()],
];

const STATEMENT = `INSERT INTO ${TABLE} (${COLUMNS.map(([name]) => name).join(", ")})
  SELECT * FROM unnest(${COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`).join(", ")})`;

/**
 * The minimum cost of writing impressions: the same rows into a table of the same shape (partition, constraints,
 * primary key), by consecutive INSERT … SELECT FROM unnest on one connection.
 */
export class BareTable {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async make(databaseUrl: string): Promise<BareTable> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(`CREATE TABLE ${TABLE} (LIKE impressions INCLUDING ALL) PARTITION BY RANGE (day)`);
    await client.query(
      `CREATE TABLE ${TABLE}_all PARTITION OF ${TABLE} FOR VALUES FROM (MINVALUE) TO (MAXVALUE)`,
    );
    return new BareTable(client);
  }

  /** Returns the duration in seconds. */
  async insert(records: readonly ImpressionRecord[], batchSize: number): Promise<number> {
    const startedMs = performance.now();
    for (let start = 0; start < records.length; start += batchSize) {
      const batch = records.slice(start, start + batchSize);
      await this.#client.query(
        STATEMENT,
        COLUMNS.map(([, , value]) => batch.map(value)),
      );
    }
    return (performance.now() - startedMs) / 1_000;
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}
