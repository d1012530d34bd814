import pg from "pg";

/** A connection for tests that damage data in ways the product never does. */
export interface DatabaseSession {
  run(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Changes the first row of a table in physical order. */
  runOnFirst(table: string, change: string): Promise<unknown>;
  /** Bypasses the ledger's triggers. */
  runUntriggered(sql: string): Promise<unknown>;
  close(): Promise<void>;
}

const FIRST_ROW: Record<string, string> = {
  campaign_rollups: "campaign_id, day",
  campaign_version_rollups: "campaign_id, campaign_version",
  game_advertiser_rollups: "account_id, day, game_id, advertiser_id",
  game_rollups: "account_id, game_id, day",
  impressions: "day, impression_id",
};

export async function createDatabaseSession(url: string): Promise<DatabaseSession> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const run = async (sql: string, values?: unknown[]) => (await client.query(sql, values)).rows ?? [];
  return {
    run,
    runOnFirst(table, change) {
      const key = FIRST_ROW[table] ?? "";
      return run(
        `UPDATE ${table} SET ${change} WHERE (${key}) = (SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT 1)`,
      );
    },
    async runUntriggered(sql) {
      await run("ALTER TABLE ledger_entries DISABLE TRIGGER ledger_entries_append_only");
      try {
        await run(sql);
      } finally {
        await run("ALTER TABLE ledger_entries ENABLE TRIGGER ledger_entries_append_only");
      }
    },
    close: () => client.end(),
  };
}
