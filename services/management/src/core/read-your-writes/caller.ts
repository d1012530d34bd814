import { registerFirst } from "@diegetic/contracts";
import type { Database } from "@diegetic/database";
import { type Advertiser, findAdvertiser } from "../advertisers/store.ts";

/** The calling account's advertiser. Throws 403 before registration (docs/behaviour.md#registration). */
export async function callingAdvertiser(database: Database, accountId: string): Promise<Advertiser> {
  const advertiser = await findAdvertiser(database, accountId);
  if (advertiser !== undefined) return advertiser;
  throw registerFirst.error();
}

/** Reads parameters; if they are invalid, an error of `check` is reported first (docs/behaviour.md#order-of-checks). */
export async function readAfter<Result>(check: () => Promise<unknown>, read: () => Result): Promise<Result> {
  try {
    return read();
  } catch (error) {
    await check();
    throw error;
  }
}
