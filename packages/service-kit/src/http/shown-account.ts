import type { ApiKey } from "./endpoint.ts";
import type { Exchange } from "./exchange.ts";
import { HttpError } from "./http-error.ts";

/** By it a page says which account it shows, and the answer 409 which one the session acts for. */
const HEADER = "Diegetic-Account";

/**
 * Throws 409 when the page shows another account than the one that its session acts for: the account was switched in another tab,
 * and the page would change what it does not show (docs/behaviour.md#sessions).
 */
export function requireShownAccount({ session, accountId }: ApiKey, exchange: Exchange): void {
  if (session === undefined) return;
  const shown = exchange.header(HEADER.toLowerCase());
  if (shown === undefined || shown === accountId) return;
  throw new HttpError(
    409,
    "This page shows another account than the one you act for now. Nothing was changed; reload the page.",
    { [HEADER]: accountId },
  );
}
