import { Anchor, Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./figures.module.css";

export interface Figure {
  label: string;
  value: ReactNode;
  /** How it changed, or what it is made of. */
  note?: ReactNode;
  /** The read that it comes from, where the figures of a page come from several. */
  read?: { data: unknown; isError: boolean; refetch: () => Promise<unknown> };
}

interface FiguresProps {
  figures: readonly Figure[];
  isLoading?: boolean;
  /** What they are made of could not be loaded: a dash says that there is no figure. */
  hasFailed?: boolean;
}

/** The summary line of a page: three to five figures. */
export function Figures({ figures, isLoading = false, hasFailed = false }: FiguresProps) {
  return (
    <dl className={classes.figures}>
      {figures.map(({ label, value, note, read }) => {
        const isMissing = read === undefined ? isLoading : read.data === undefined;
        const isFailed = read === undefined ? hasFailed : read.isError;
        return (
          <div key={label} className={classes.figure}>
            <dt className={classes.label}>{label}</dt>
            <dd className={classes.value}>
              {!isMissing ? value : isFailed ? "–" : <Skeleton height={28} width={112} my={3} />}
            </dd>
            <dd className={classes.note}>
              {!isMissing ? (
                note
              ) : isFailed ? (
                <NotLoaded label={label} read={read} />
              ) : (
                <Skeleton height={12} width={80} my={3} />
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function NotLoaded({ label, read }: Pick<Figure, "label" | "read">) {
  if (read === undefined) return "not loaded";
  return (
    <>
      not loaded,{" "}
      <Anchor
        component="button"
        type="button"
        inherit
        aria-label={`Try again: ${label}`}
        onClick={() => void read.refetch()}
      >
        try again
      </Anchor>
    </>
  );
}
