interface Dates {
  start_date?: string | null | undefined;
  end_date?: string | null | undefined;
}

/** The schema cannot compare two fields. */
export function datesInOrder({ start_date: first, end_date: last }: Dates): { end_date?: string } {
  const isReversed = first && last && last.slice(0, 10) < first.slice(0, 10);
  return isReversed ? { end_date: "The last day must not be before the first." } : {};
}
