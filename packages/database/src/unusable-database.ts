import pg from "pg";
import { connectionStringOf } from "./connection-string.ts";
import { DatabaseUnavailable } from "./errors.ts";
import { outdatedPostgres } from "./outdated-postgres.ts";
import { translateError } from "./translate-error.ts";

const TIMEOUT_MS = 4_000;

/**
 * Checks once, within seconds, whether a database can be used. Returns why it cannot, as one sentence for an operator, or
 * undefined.
 */
export async function unusableDatabase(url: string): Promise<string | undefined> {
  let client: pg.Client | undefined;
  try {
    client = new pg.Client({
      connectionString: connectionStringOf(url),
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      application_name: "check",
    });
    client.on("error", () => {}); // The running call rejects as well.
    await client.connect();
    return await outdatedPostgres(client);
  } catch (error) {
    const translated = translateError(error);
    if (translated instanceof DatabaseUnavailable) return translated.message;
    return "What answers at DATABASE_URL is no Postgres that can be used: correct the address.";
  } finally {
    await client?.end().catch(() => undefined);
  }
}
