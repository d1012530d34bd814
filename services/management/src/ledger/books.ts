import type { Millicents } from "@diegetic/money";

/** What moved on one UTC day. */
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
 * The rows of consecutive days, the oldest first. They are counted back from the present balance, so that nothing
 * older than the first day has to be read.
 * @param balanceMillicents all deposits less all charges, as of the same moment as the moves
 * @param moves everything that moved on the first of the days or later, also after the last of them
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
 * Deposits = balance + held + spent. The wallet was read after the books: what it has spent beyond them is on its way into
 * them, and is shown with what is held, because it is not free any more.
 */
export function totalsOf(
  books: { depositedMillicents: Millicents; spentMillicents: Millicents; impressions: number },
  wallet: { spentMillicents: Millicents; heldMillicents: Millicents },
): LedgerTotals {
  const { depositedMillicents, spentMillicents, impressions } = books;
  const onTheWay = Math.max(0, wallet.spentMillicents - spentMillicents);
  const left = depositedMillicents - spentMillicents;
  // A wallet that is being restored may hold more than there is.
  const heldMillicents = Math.min(left, wallet.heldMillicents + onTheWay);
  const balanceMillicents = left - heldMillicents;
  return { depositedMillicents, spentMillicents, heldMillicents, balanceMillicents, impressions };
}
