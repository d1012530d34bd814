import type pg from "pg";

const MIN_MAJOR_VERSION = 15;

/** Why a server is too old, as one sentence for the operator; undefined: it is not. */
export async function outdatedPostgres(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ version: number }>(
    "SELECT current_setting('server_version_num')::int AS version",
  );
  const version = rows[0]?.version ?? 0;
  const major = Math.floor(version / 10_000);
  if (major >= MIN_MAJOR_VERSION) return undefined;
  return `Postgres at DATABASE_URL has version ${major}.${version % 10_000}: upgrade it to ${MIN_MAJOR_VERSION} or later.`;
}
