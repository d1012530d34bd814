import { ApiError } from "../../api/api-error.ts";

/** How the API's sentence begins when the balance does not pay for one impression. */
const LOW_BALANCE = "The balance (";

/** Why one of several campaigns was refused, in the dashboard's words where the API speaks of its operations. */
export function bulkRefusal(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error);
  const isLowBalance = error.status === 409 && error.detail.startsWith(LOW_BALANCE);
  return isLowBalance
    ? "the balance does not pay for one impression. Deposit money under Money first."
    : error.detail;
}
