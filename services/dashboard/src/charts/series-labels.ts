import type { ChartRow, Series } from "./chart-data.ts";

/** Above this number a legend names the series. */
export const MAX_LABELLED_SERIES = 3;
export const LINE_HEIGHT_PX = 16;
/** Between the last point of a series and its label. */
export const LABEL_GAP_PX = 14;

/** No letter of the labels is wider on average. */
const MAX_LETTER_PX = 7.5;
const PADDING_PX = 4;

/** The last point of a series. */
export interface SeriesEnd {
  series: Series;
  row: number;
  /** On the axis: in a stack the middle of its band. */
  value: number;
}

/** Without series that have no point. In a stack every series ends with the last row; the uppermost comes first. */
export function seriesEnds(
  rows: readonly ChartRow[],
  all: readonly Series[],
  isStacked: boolean,
): SeriesEnd[] {
  const ends: SeriesEnd[] = [];
  let below = 0;
  for (const series of all) {
    const isPoint = (row: ChartRow) => isStacked || typeof row[series.key] === "number";
    const row = rows.findLastIndex(isPoint);
    if (row === -1) continue;
    const value = Number(rows[row]?.[series.key] ?? 0);
    ends.push({ series, row, value: isStacked ? below + value / 2 : value });
    if (isStacked) below += value;
  }
  return isStacked ? ends.reverse() : ends;
}

/** A label in lines of at most `maxLetters`; a longer word has a line of its own. */
export function labelLines(label: string, maxLetters: number): string[] {
  const lines: string[] = [];
  for (const word of label.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= maxLetters) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

/** An upper bound, so that the margin is known before anything is drawn. */
export function labelWidth(lines: readonly string[]): number {
  return Math.ceil(Math.max(...lines.map(({ length }) => length)) * MAX_LETTER_PX);
}

/** Pixels from the left and from the top, of the area between the axes. */
export interface PlotArea {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A last point in pixels, with what is written beside it. */
export interface LabelledPoint {
  x: number;
  y: number;
  lines: readonly string[];
  /** Whether another series is below at the same place. */
  isAboveOther: boolean;
}

export interface LabelPosition {
  x: number;
  /** The middle of the label. */
  y: number;
  anchor: "start" | "end";
  /** Whether it stands in the margin, beside the plot. */
  isBeside: boolean;
}

/**
 * Where labels stand: beside the plot where their series reach its right edge, else next to their last points. None
 * overlaps another, and none leaves the height of the plot as long as they all fit into it.
 */
export function placeLabels(points: readonly LabelledPoint[], plot: PlotArea): LabelPosition[] {
  const right = plot.x + plot.width;
  const positions = points.map((point): LabelPosition => {
    const { x, y, lines, isAboveOther } = point;
    if (x >= right - 1) return { x: right + LABEL_GAP_PX, y, anchor: "start", isBeside: true };
    const [width, height] = [labelWidth(lines), heightOf(point)];
    const isRoomBelow = x + PADDING_PX + width <= right && y + PADDING_PX + height <= plot.y + plot.height;
    if (isRoomBelow && !isAboveOther) {
      return { x: x + PADDING_PX, y: y + PADDING_PX + height / 2, anchor: "start", isBeside: false };
    }
    return {
      x: Math.max(x - PADDING_PX, plot.x + width),
      y: y - PADDING_PX - height / 2,
      anchor: "end",
      isBeside: false,
    };
  });
  for (const isBeside of [true, false]) {
    const chosen = positions.flatMap((position, index) => (position.isBeside === isBeside ? [index] : []));
    const boxes = chosen.map((index) => ({
      center: positions[index]?.y ?? 0,
      height: heightOf(points[index]),
    }));
    for (const [at, center] of spread(boxes, plot.y, plot.y + plot.height).entries()) {
      const position = positions[chosen[at] ?? -1];
      if (position !== undefined) position.y = center;
    }
  }
  return positions;
}

function heightOf(point: Pick<LabelledPoint, "lines"> | undefined): number {
  return (point?.lines.length ?? 0) * LINE_HEIGHT_PX;
}

interface Box {
  center: number;
  height: number;
}

/** Centers without overlaps, in the order of the given ones and within top and bottom: down where needed, then up. */
function spread(boxes: readonly Box[], top: number, bottom: number): number[] {
  const sorted = boxes
    .map(({ center, height }, index) => ({ index, start: center - height / 2, height }))
    .sort((one, other) => one.start + one.height / 2 - (other.start + other.height / 2));
  let free = top;
  for (const box of sorted) {
    box.start = Math.max(box.start, free);
    free = box.start + box.height;
  }
  let end = bottom;
  for (const box of [...sorted].reverse()) {
    box.start = Math.min(box.start, end - box.height);
    end = box.start;
  }
  return sorted.sort((one, other) => one.index - other.index).map(({ start, height }) => start + height / 2);
}
