import { SegmentedControl } from "@mantine/core";
import type { AnswerOf } from "../../api/operations.ts";
import { useRead } from "../../api/queries.ts";
import { valuesOf } from "../../kit/options.ts";
import { useUrlChoice } from "../../kit/use-url-state.ts";
import type { Placement } from "./placement.ts";
import { pathOf } from "./use-placement.ts";

export type TrafficPoint = AnswerOf<"GET /traffic/{game_id}">["points"][number];

export const PERIOD_PARAMETER = "by";
const SERIES_REFETCH_MS = 30_000;
const HOURS = 24;
const DAYS = 30;
const UNITS = [
  { value: "hour", label: `${HOURS} hours` },
  { value: "day", label: `${DAYS} days` },
];

/** The calls of a game over the period that the address names, and the control that changes the period. */
export function useTrafficSeries(placement: Placement) {
  const [unit, setUnit] = useUrlChoice(PERIOD_PARAMETER, valuesOf(UNITS), "hour");
  const isByDay = unit === "day";
  const series = useRead(
    "GET /traffic/{game_id}",
    { ...pathOf(placement), query: isByDay ? { unit: "day", count: DAYS } : { unit: "hour", count: HOURS } },
    { refetchEveryMs: SERIES_REFETCH_MS, keepPrevious: true },
  );
  const control = (
    <SegmentedControl size="xs" aria-label="Period" data={UNITS} value={unit} onChange={setUnit} />
  );
  // Named as what is in view, which may still be the former period.
  const isShownByDay = (series.data?.unit ?? unit) === "day";
  const words = isShownByDay ? `the last ${DAYS} days` : `the last ${HOURS} hours`;
  return { series, control, words, rowLabel: isShownByDay ? "Day" : "Hour" };
}

/** The row key of a point: its UTC day, or its hour. */
export function pointKey(unit: string, { start }: TrafficPoint): string {
  return unit === "day" ? start.slice(0, 10) : start;
}
