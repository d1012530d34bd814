import type { Millicents } from "@diegetic/money";

/** Money moved on one UTC day. */
export interface DayMoves {
  depositsMillicents: Millicents;
  chargesMillicents: Millicents;
  impressions: number;
}

export interface LedgerRow extends DayMoves {
  /** YYYY-MM-DD */
  day: string;
  openingMillicents: Millicents;
  closingMillicents: Millicents;
}

const NOTHING: DayMoves = { depositsMillicents: 0, chargesMillicents: 0, impressions: 0 };

/**
 * The rows of consecutive days, oldest first. Counted back from the current balance, so that nothing before the first
 * day has to be read.
 * @param balanceMillicents all deposits less all charges, at the moment of the moves
 * @param moves everything moved on the first day or later, including after the last day
 */
export function closeDays(
  days: readonly string[],
  balanceMillicents: Millicents,
  moves: ReadonlyMap<string, DayMoves>,
): LedgerRow[] {
  let opening = balanceMillicents;
  for (const { depositsMillicents, chargesMillicents } of moves.values()) {
    opening -= depositsMillicents - chargesMillicents;
  }
  return days.map((day) => {
    const moved = moves.get(day) ?? NOTHING;
    const openingMillicents = opening;
    opening += moved.depositsMillicents - moved.chargesMillicents;
    return { day, ...moved, openingMillicents, closingMillicents: opening };
  });
}

export interface LedgerTotals {
  depositedMillicents: Millicents;
  spentMillicents: Millicents;
  heldMillicents: Millicents;
  balanceMillicents: Millicents;
  impressions: number;
}

/**
 * Deposits = balance + held + spent. The wallet is read after Postgres: additional spending is not written yet, and is
 * returned as held, because it is no longer available.
 */
export function totalsOf(
  ledger: { depositedMillicents: Millicents; spentMillicents: Millicents; impressions: number },
  wallet: { spentMillicents: Millicents; heldMillicents: Millicents },
): LedgerTotals {
  const { depositedMillicents, spentMillicents, impressions } = ledger;
  const onTheWay = Math.max(0, wallet.spentMillicents - spentMillicents);
  const left = depositedMillicents - spentMillicents;
  // A wallet that is being restored may report more holds than the balance.
  const heldMillicents = Math.min(left, wallet.heldMillicents + onTheWay);
  const balanceMillicents = left - heldMillicents;
  return { depositedMillicents, spentMillicents, heldMillicents, balanceMillicents, impressions };
}
