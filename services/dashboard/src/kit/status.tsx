import type { ReactNode } from "react";
import classes from "./status.module.css";

export type Tone = "positive" | "warning" | "negative" | "info" | "quiet";

interface StatusProps {
  tone: Tone;
  children: ReactNode;
  /** Why it is so, on a line of its own. */
  cause?: ReactNode;
}

/** A state as a dot and a word, with its cause. */
export function Status({ tone, children, cause }: StatusProps) {
  const word = (
    <span className={classes.status} data-tone={tone}>
      <span className={classes.dot} aria-hidden="true" />
      {children}
    </span>
  );
  if (cause === undefined || cause === "") return word;
  return (
    <span className={classes.withCause}>
      {word}
      <span className={classes.cause}>{cause}</span>
    </span>
  );
}
