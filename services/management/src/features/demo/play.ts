import { type Database, inTransaction } from "@diegetic/database";
import { sha256Hex } from "../../core/shared/sha256.ts";
import { derivedKeySecret } from "../api-keys/key-secret.ts";
import { insertKey } from "../api-keys/store.ts";
import { createGame } from "./game.ts";
import { PLAY_GAME } from "./market.ts";

const KEY_LABEL = "Demo game";

/** The key of the game at `/play`, derived from the installation's secret. */
export function demoGameKey(secret: string): string {
  return derivedKeySecret(secret, "key of the demo game");
}

/**
 * Ensures that the game at `/play` has a placement and a key with only the scope `serving`, because every browser that
 * opens the page receives the key. Run it after `createDemo`.
 */
export async function preparePlay(
  database: Database,
  { accountId, secret, nowMs }: { accountId: string; secret: string; nowMs: number },
): Promise<void> {
  const key = demoGameKey(secret);
  await inTransaction(database, async (transaction) => {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('demo data', 0))`;
    const existing = await transaction.apiKey.findUnique({ where: { sha256: sha256Hex(key) } });
    if (existing === null) {
      const settings = { label: KEY_LABEL, scopes: ["serving" as const], rateLimitPerMinute: null };
      await insertKey(transaction, accountId, settings, key, nowMs);
    }
    await createGame(transaction, accountId, PLAY_GAME, nowMs);
  });
}
