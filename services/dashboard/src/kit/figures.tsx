import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { NO_FIGURE } from "./columns.tsx";
import classes from "./figures.module.css";
import { NotLoaded, type Read } from "./states.tsx";

export interface Figure {
  label: string;
  value: ReactNode;
  /** What it is made of, or what to compare it with. */
  note?: ReactNode;
  /** Against an equal period before; a second line of small print. undefined: not known yet, its place is kept; null: none. */
  change?: ReactNode;
  /** The read that it comes from, where the figures of a page come from several. */
  read?: Read & { data: unknown };
}

interface FiguresProps {
  figures: readonly Figure[];
  /** The read that all of them come from: where it failed, a dash says that there is no figure, and each can be read again. */
  read?: Read & { data: unknown };
}

/** The summary line of a page: three to five figures. */
export function Figures({ figures, read: common }: FiguresProps) {
  return (
    <dl className={classes.figures}>
      {figures.map((figure) => {
        const { label, value, note, change, read = common } = figure;
        const isMissing = read !== undefined && read.data === undefined;
        const hasChange = "change" in figure && change !== null;
        // Without a note, the change stands in its line.
        const isChangeFirst = hasChange && !isMissing && !note;
        const first = isChangeFirst ? change : note;
        return (
          <div key={label} className={classes.figure}>
            <dt className={classes.label}>{label}</dt>
            <dd className={classes.value}>
              {!isMissing ? value : read.error ? NO_FIGURE : <Skeleton height={28} width={112} my={3} />}
            </dd>
            <dd className={classes.note} aria-hidden={!isMissing && !first}>
              {!isMissing ? (
                first
              ) : read.error ? (
                <NotLoaded label={label} read={read} />
              ) : (
                <Skeleton height={12} width={80} my={3} />
              )}
            </dd>
            {hasChange && !isChangeFirst && <dd className={classes.note}>{!isMissing && change}</dd>}
          </div>
        );
      })}
    </dl>
  );
}
