import { formatCents, formatExactCents } from "../format/format.ts";

interface MoneyProps {
  cents: number;
  /** Shows fractions of a cent where there are any. */
  exact?: boolean;
}

/** An amount of money, with currency and both cents. */
export function Money({ cents, exact = false }: MoneyProps) {
  return <span title={formatExactCents(cents)}>{exact ? formatExactCents(cents) : formatCents(cents)}</span>;
}
