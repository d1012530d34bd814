import {
  gameIdParameter,
  InvalidInput,
  MAX_PLACEMENTS,
  noPlacement,
  otherAccountsPlacement,
  tooManyPlacements,
} from "@diegetic/contracts";
import { type Database, inTransaction, type Transaction } from "@diegetic/database";
import { recordPlacementSize } from "../../core/campaigns/published-size.ts";
import { lockAccount } from "../../core/shared/lock-account.ts";
import { type Paging, rowsToRead } from "../../core/shared/paging.ts";
import { DEFAULT_SETTINGS, type NamedSettings, type Placement, type PlacementSettings } from "./placement.ts";

/** The placement of a game of any account; undefined: there is none. */
export async function findPlacement(
  client: Database | Transaction,
  gameId: string,
): Promise<Placement | undefined> {
  return (await client.placement.findUnique({ where: { gameId } })) ?? undefined;
}

/** The caller's placement of a game. Throws 404 when there is none, 403 when it belongs to another account. */
export async function ownPlacement(
  database: Database,
  accountId: string,
  gameId: string,
): Promise<Placement> {
  const placement = isGameId(gameId) ? await findPlacement(database, gameId) : undefined;
  if (placement === undefined) throw noPlacement.error();
  requireOwner(placement, accountId);
  return placement;
}

/** A page of the account's placements, also disabled ones, in order of creation. Pages begin after a game of the account. */
export async function listPlacements(
  database: Database,
  accountId: string,
  paging: Paging,
): Promise<Placement[]> {
  const take = rowsToRead(paging);
  return database.placement.findMany({
    where: { accountId },
    orderBy: [{ createdAt: "asc" }, { gameId: "asc" }],
    ...(paging.after !== undefined && { cursor: { gameId: paging.after }, skip: 1 }),
    ...(take !== undefined && { take }),
  });
}

/** Throws 403 when the placement belongs to another account. */
export function requireOwner(placement: Pick<Placement, "accountId">, accountId: string): void {
  if (placement.accountId !== accountId) throw otherAccountsPlacement.error();
}

/** Whether the text is a valid game id; an invalid one is not looked up. */
export function isGameId(text: string): boolean {
  try {
    gameIdParameter(text);
    return true;
  } catch (error) {
    if (error instanceof InvalidInput) return false;
    throw error;
  }
}

/**
 * Creates, re-enables or changes a placement; absent settings keep their value. Throws 403 when another account owns
 * it, 422 when the account has the maximum number of placements or becomes too large.
 * @returns `wasActive`: an active placement was changed
 */
export async function enablePlacement(
  transaction: Transaction,
  owner: { gameId: string; accountId: string; creatorId: string },
  settings: NamedSettings,
  nowMs: number,
): Promise<{ placement: Placement; wasActive: boolean }> {
  const { gameId, ...rest } = owner;
  // Of two concurrent first calls, one inserts; the other waits here and then updates.
  const { count: created } = await transaction.placement.createMany({
    data: [{ ...owner, ...DEFAULT_SETTINGS, ...settings, createdAt: new Date(nowMs), version: 0 }],
    skipDuplicates: true,
  });
  const before = await lockPlacement(transaction, gameId);
  requireOwner(before, owner.accountId);
  if (created > 0) await requireRoom(transaction, owner.accountId);
  const placement = await transaction.placement.update({
    where: { gameId },
    data: { ...rest, ...settings, isActive: true, version: { increment: 1 } },
  });
  await recordPlacementSize(transaction, gameId, {
    mayGrow: created > 0 || listBytes(placement) > listBytes(before),
  });
  return { placement, wasActive: created === 0 && before.isActive };
}

/** Throws 422 when the account becomes too large. */
export function updatePlacement(
  database: Database,
  gameId: string,
  changed: Partial<PlacementSettings> & { isActive?: boolean },
): Promise<Placement> {
  return inTransaction(database, async (transaction) => {
    const before = await lockPlacement(transaction, gameId);
    const placement = await transaction.placement.update({
      where: { gameId },
      data: { ...changed, version: { increment: 1 } },
    });
    await recordPlacementSize(transaction, gameId, { mayGrow: listBytes(placement) > listBytes(before) });
    return placement;
  });
}

/** Locks the existing placement of a game until the end of the transaction. */
async function lockPlacement(transaction: Transaction, gameId: string): Promise<Placement> {
  await transaction.$queryRaw`SELECT FROM placements WHERE game_id = ${gameId} FOR NO KEY UPDATE`;
  return transaction.placement.findUniqueOrThrow({ where: { gameId } });
}

/** Call after the insert: the lock on the account serialises the counts of concurrent inserts. */
async function requireRoom(transaction: Transaction, accountId: string): Promise<void> {
  await lockAccount(transaction, accountId);
  if ((await transaction.placement.count({ where: { accountId } })) <= MAX_PLACEMENTS) return;
  throw tooManyPlacements.error();
}

/** Bytes of a placement's variable-length fields. */
function listBytes({ blockedAdvertisers, blockedCategories }: PlacementSettings): number {
  return Buffer.byteLength(JSON.stringify([blockedAdvertisers, blockedCategories]));
}
