import type { ChartRow, Series } from "./chart-data.ts";

/** Above this number a legend names the series. */
export const MAX_LABELLED_SERIES = 3;
export const LINE_HEIGHT_PX = 16;
/** Between the last point of a series and its label. */
export const LABEL_GAP_PX = 14;

/** No letter of the labels is wider on average. */
const MAX_LETTER_PX = 7.5;
const PADDING_PX = 4;
const LEADER_GAP_PX = 3;

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

export interface Point {
  x: number;
  y: number;
}

/**
 * Where labels stand: beside the plot where their series reach its right edge, else next to their last points, at a
 * side where no line is if there is one. None overlaps another, and none leaves the height of the plot as long as they
 * all fit into it.
 * @param lines the points of each series that is drawn as a line
 */
export function placeLabels(
  points: readonly LabelledPoint[],
  plot: PlotArea,
  lines: readonly (readonly Point[])[] = [],
): LabelPosition[] {
  const right = plot.x + plot.width;
  const positions = points.map((point): LabelPosition => {
    const { x, y } = point;
    if (x >= right - 1) return { x: right + LABEL_GAP_PX, y, anchor: "start", isBeside: true };
    const sides = sidesOf(point, plot);
    const width = labelWidth(point.lines);
    const heightsAt = (side: LabelPosition) => {
      const left = side.anchor === "start" ? side.x : side.x - width;
      return lines.map((line) => heightsBetween(line, left, left + width));
    };
    const half = heightOf(point) / 2;
    const isFree = (side: LabelPosition) =>
      heightsAt(side).every(
        (heights) => Math.max(...heights) < side.y - half || Math.min(...heights) > side.y + half,
      );
    const [usual] = sides;
    // Above every line, it is farther from its point than at a side that is free.
    const top = Math.min(...heightsAt(usual).flat()) - PADDING_PX - half;
    const aboveAll = top - half >= plot.y ? { ...usual, y: top } : usual;
    return sides.find(isFree) ?? aboveAll;
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

/** A line from a last point to its label, where the label does not stand at the point: another line may end closer to it. */
export function leaderOf(
  point: LabelledPoint,
  { x, y, anchor, isBeside }: LabelPosition,
): { from: Point; to: Point } | undefined {
  if (isBeside) return { from: { x: point.x + LEADER_GAP_PX, y: point.y }, to: { x: x - LEADER_GAP_PX, y } };
  const isAbove = y < point.y;
  const edgeY = y + ((isAbove ? 1 : -1) * heightOf(point)) / 2;
  if (Math.abs(edgeY - point.y) < LINE_HEIGHT_PX) return undefined;
  const left = anchor === "start" ? x : x - labelWidth(point.lines);
  const toX = Math.min(Math.max(point.x, left), left + labelWidth(point.lines));
  const gap = isAbove ? -LEADER_GAP_PX : LEADER_GAP_PX;
  return { from: { x: point.x, y: point.y + gap }, to: { x: toX, y: edgeY } };
}

/** The sides of a last point within the plot that have room for its label, the usual one first. */
function sidesOf(point: LabelledPoint, plot: PlotArea): [LabelPosition, ...LabelPosition[]] {
  const { x, y, isAboveOther } = point;
  const [width, height] = [labelWidth(point.lines), heightOf(point)];
  const [right, bottom] = [plot.x + plot.width, plot.y + plot.height];
  const toRight = { x: x + PADDING_PX, anchor: "start", isBeside: false } as const;
  const toLeft = { x: Math.max(x - PADDING_PX, plot.x + width), anchor: "end", isBeside: false } as const;
  const [above, below] = [{ y: y - PADDING_PX - height / 2 }, { y: y + PADDING_PX + height / 2 }];
  const isRoomRight = toRight.x + width <= right;
  const isRoomBelow = y + PADDING_PX + height <= bottom;
  const usual = { ...toLeft, ...above };
  const others = [
    ...(isRoomRight ? [{ ...toRight, ...above }] : []),
    ...(isRoomBelow ? [{ ...toLeft, ...below }] : []),
  ];
  if (!isRoomRight || !isRoomBelow) return [usual, ...others];
  const belowRight = { ...toRight, ...below };
  return isAboveOther ? [usual, belowRight, ...others] : [belowRight, usual, ...others];
}

/** How high a line is between two places: at its points, and at both places. */
function heightsBetween(line: readonly Point[], left: number, right: number): number[] {
  const between = line.filter(({ x }) => x >= left && x <= right).map(({ y }) => y);
  return [...between, heightAt(line, left), heightAt(line, right)].filter((y) => y !== undefined);
}

/** Undefined before the first point of a line and after its last one. */
function heightAt(line: readonly Point[], x: number): number | undefined {
  const after = line.findIndex((point) => point.x >= x);
  const [to, from] = [line[after], line[after - 1]];
  if (to === undefined || (from === undefined && to.x > x)) return undefined;
  if (from === undefined || to.x === from.x) return to.y;
  return from.y + ((to.y - from.y) * (x - from.x)) / (to.x - from.x);
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
