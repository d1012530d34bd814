import type { Database } from "./database.ts";
import { DatabaseUnusable } from "./errors.ts";

/**
 * The installation id of this database, created by a migration and never changed. A database without the id, because its
 * rows were restored without that one, is unusable until the row is put back.
 */
export async function installationId(database: Database): Promise<string> {
  const found = await database.installation.findFirst();
  if (found !== null) return found.id;
  throw new DatabaseUnusable(
    "The database at DATABASE_URL does not say which installation it is, because its table installation is empty: put the row back, " +
      'with the id that it had (see "One Redis, one installation" in docs/operating.md).',
  );
}

/** Records the check value of PLAYER_HASH_KEY, from `playerHashKeyCheck`, unless the database has one. */
export async function recordPlayerHashKey(database: Database, check: string): Promise<void> {
  await database.installation.updateMany({
    where: { playerHashKeyCheck: null },
    data: { playerHashKeyCheck: check },
  });
}

/** Whether the database has recorded a PLAYER_HASH_KEY with another check value. */
export async function hasOtherPlayerHashKey(database: Database, check: string): Promise<boolean> {
  const recorded = (await database.installation.findFirst())?.playerHashKeyCheck ?? check;
  return recorded !== check;
}
