import { formatCents, formatShare } from "../../format/format.ts";
import classes from "./pacing-bar.module.css";

interface PacingBarProps {
  spentCents: number;
  budgetCents: number;
  /** What should be spent by now; null without a plan. */
  plannedCents: number | null;
}

const LENGTH = 100;

/** How much of a budget is spent, with a mark where the plan is by now. */
export function PacingBar({ spentCents, budgetCents, plannedCents }: PacingBarProps) {
  const shareOf = (cents: number) => (budgetCents === 0 ? 0 : Math.min(1, cents / budgetCents));
  const inWords = [
    `${formatCents(spentCents)} of ${formatCents(budgetCents)} spent`,
    ...(plannedCents === null ? [] : [`planned by now: ${formatCents(plannedCents)}`]),
  ].join("; ");
  return (
    <span className={classes.pacing} title={inWords}>
      <span className="sr-only">{inWords}</span>
      <svg viewBox={`0 0 ${LENGTH} 12`} preserveAspectRatio="none" className={classes.bar} aria-hidden="true">
        <rect y="3" width={LENGTH} height="6" fill="var(--line)" />
        <rect y="3" width={shareOf(spentCents) * LENGTH} height="6" fill="var(--ember)" />
        {plannedCents !== null && (
          <line
            x1={shareOf(plannedCents) * LENGTH}
            x2={shareOf(plannedCents) * LENGTH}
            y2="12"
            className={classes.plan}
          />
        )}
      </svg>
      <span className={classes.share} aria-hidden="true">
        {formatShare(shareOf(spentCents))}
      </span>
    </span>
  );
}
