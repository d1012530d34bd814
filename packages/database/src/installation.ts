import type { Database } from "./database.ts";

/** Which installation this database is: made by its migration, and never changed. */
export async function installationId(database: Database): Promise<string> {
  const { id } = await database.installation.findFirstOrThrow();
  return id;
}
