import { createHash } from "node:crypto";
import pg from "pg";

/** A new account with a key that has no rate limit. */
export async function createKey(databaseUrl: string, accountId: string, key: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("INSERT INTO accounts (id, label) VALUES ($1, 'benchmark')", [accountId]);
    await client.query(
      `INSERT INTO api_keys (id, account_id, sha256, prefix, label, scopes, rate_limit_per_minute)
       VALUES ($1, $2, $3, 'igk', 'benchmark', '{advertiser}', -1)`,
      [`key_${accountId}`, accountId, createHash("sha256").update(key).digest("hex")],
    );
  } finally {
    await client.end();
  }
}
