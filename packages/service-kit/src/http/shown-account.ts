import { HttpError, otherAccount } from "@diegetic/contracts";
import type { Caller } from "./endpoint.ts";
import type { Exchange } from "./exchange.ts";

/** In a request: the account that the page shows. In a 409 response: the account that the session acts for. */
const HEADER = "Diegetic-Account";

/**
 * Throws 409 when the page shows another account than its session acts for: another tab has switched the account, and the
 * page would change data that it does not show (docs/behaviour.md#sessions).
 */
export function requireShownAccount({ session, accountId }: Caller, exchange: Exchange): void {
  if (session === undefined) return;
  const shownAccountId = exchange.header(HEADER.toLowerCase());
  if (shownAccountId === undefined || shownAccountId === accountId) return;
  throw new HttpError(otherAccount.status, otherAccount.detail, { [HEADER]: accountId });
}
