import { formatShare } from "../../format/format.ts";
import classes from "./pacing-bar.module.css";

interface PacingBarProps {
  spentCents: number;
  budgetCents: number;
}

/** How much of a budget is spent. */
export function PacingBar({ spentCents, budgetCents }: PacingBarProps) {
  const share = budgetCents === 0 ? 0 : Math.min(1, spentCents / budgetCents);
  return (
    <span className={classes.pacing}>
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" className={classes.bar} aria-hidden="true">
        <rect width="100" height="6" fill="var(--line)" />
        <rect width={share * 100} height="6" fill="var(--ember)" />
      </svg>
      <span className={classes.share}>{formatShare(share)}</span>
    </span>
  );
}
