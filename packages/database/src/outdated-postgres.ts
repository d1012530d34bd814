import type pg from "pg";

const MIN_MAJOR_VERSION = 15;

/** Why a server is too old, as one sentence for the operator; undefined: it is not. */
export async function outdatedPostgres(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ server_version: string }>("SHOW server_version");
  const version = rows[0]?.server_version.split(" ")[0] ?? "0";
  if (Number.parseInt(version, 10) >= MIN_MAJOR_VERSION) return undefined;
  return `Postgres at DATABASE_URL has version ${version}: upgrade it to ${MIN_MAJOR_VERSION} or later.`;
}
