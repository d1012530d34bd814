/** For figures that move while somebody looks at them. */
export const FIGURES_REFETCH_MS = 30_000;

/** Rows of a page of the lists that `listRefetchMs` is for. */
export const PAGE_ROWS = 500;

/** For figures in a list that is read page by page: the longer it is the later, so that the pages a minute stay the same. */
export function listRefetchMs(rows: number): number {
  return FIGURES_REFETCH_MS * Math.max(1, Math.ceil(rows / PAGE_ROWS));
}
