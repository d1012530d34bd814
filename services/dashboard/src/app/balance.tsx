import { Link } from "react-router";
import { hasStatus } from "../api/api-error.ts";
import { useRead } from "../api/queries.ts";
import { FIGURES_REFETCH_MS } from "../api/refetch-times.ts";
import { firstDayOf } from "../format/days.ts";
import { centsOfMicrocents, formatCents } from "../format/format.ts";
import classes from "./balance.module.css";

const EARNED_DAYS = "30";

/**
 * The balance of an advertiser, or what the games of an account that does not advertise have earned. Its place is there
 * from the start: nothing below it moves.
 */
export function Balance() {
  const { data, error } = useRead("GET /profile", {}, { refetchEveryMs: FIGURES_REFETCH_MS });
  const isAdvertiser = !hasStatus(error, 403, 404);
  const earnings = useRead(
    "GET /earnings",
    { query: { from: firstDayOf(EARNED_DAYS, new Date()), limit: 1 } },
    { enabled: !isAdvertiser, refetchEveryMs: FIGURES_REFETCH_MS },
  );
  const earned = earnings.data?.total;
  if (!isAdvertiser && earned !== undefined && earned.impressions > 0) {
    return (
      <Link to="/earnings" className={classes.balance}>
        <span>Earned in {EARNED_DAYS} days</span>
        <strong>{formatCents(centsOfMicrocents(earned.earned_microcents))}</strong>
      </Link>
    );
  }
  return (
    <Link to="/money" className={classes.balance}>
      <span>Balance</span>
      {data ? (
        <strong>{formatCents(data.balance_cents)}</strong>
      ) : !isAdvertiser && earned ? (
        <span>none yet</span>
      ) : (isAdvertiser ? error : earnings.error) ? (
        <span>not loaded</span>
      ) : null}
    </Link>
  );
}
