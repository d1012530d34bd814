import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Series } from "./chart-data.ts";
import {
  LABEL_GAP_PX,
  type LabelledPoint,
  LINE_HEIGHT_PX,
  labelLines,
  labelWidth,
  leaderOf,
  placeLabels,
  seriesEnds,
} from "./series-labels.ts";

const series = (key: string): Series => ({ key, label: key, role: "other" });
const [spent, ideal, projected] = [series("spent"), series("ideal"), series("projected")];

describe("seriesEnds", () => {
  it("is the last point that each series has, without those that have none", () => {
    const rows = [
      { spent: 1, ideal: null, projected: null },
      { spent: 3, ideal: null, projected: 3 },
      { spent: null, ideal: null, projected: 5 },
    ];
    expect(seriesEnds(rows, [spent, ideal, projected], false)).toEqual([
      { series: spent, row: 1, value: 3 },
      { series: projected, row: 2, value: 5 },
    ]);
  });

  it("is the middle of each band of a stack, from above, where a missing number is an empty band", () => {
    const rows = [
      { spent: 9, projected: null },
      { spent: 4, projected: 2 },
    ];
    const ends = seriesEnds(rows, [spent, ideal, projected], true);
    expect(ends).toEqual([
      { series: projected, row: 1, value: 5 },
      { series: ideal, row: 1, value: 4 },
      { series: spent, row: 1, value: 2 },
    ]);
    expect(seriesEnds([], [spent], true)).toEqual([]);
  });
});

describe("labelLines", () => {
  it.each([
    ["Unique players", 24, ["Unique players"]],
    ["Unique players", 11, ["Unique", "players"]],
    ["At this pace", 8, ["At this", "pace"]],
    ["Impressions", 5, ["Impressions"]],
  ])("breaks %s after at most %d letters", (label, maxLetters, lines) => {
    expect(labelLines(label, maxLetters)).toEqual(lines);
  });
});

const plot = { x: 56, y: 8, width: 180, height: 200 };
const [right, bottom] = [plot.x + plot.width, plot.y + plot.height];
const point = (changes: Partial<LabelledPoint>): LabelledPoint => ({
  x: right,
  y: 100,
  lines: ["Spend"],
  isAboveOther: false,
  ...changes,
});

describe("placeLabels", () => {
  it("keeps labels beside their points where there is room", () => {
    const points = [point({ y: 100 }), point({ y: 40 }), point({ y: 60 })];
    const x = right + LABEL_GAP_PX;
    expect(placeLabels(points, plot)).toEqual([
      { x, y: 100, anchor: "start", isBeside: true },
      { x, y: 40, anchor: "start", isBeside: true },
      { x, y: 60, anchor: "start", isBeside: true },
    ]);
  });

  it("moves close labels apart, and all of them up from the baseline", () => {
    const yOf = (...ys: number[]) =>
      placeLabels(
        ys.map((y) => point({ y })),
        plot,
      ).map(({ y }) => y);
    expect(yOf(104, 100)).toEqual([116, 100]);
    expect(yOf(bottom, bottom, bottom)).toEqual([168, 184, 200]);
    expect(yOf(plot.y, plot.y)).toEqual([16, 32]);
  });

  it("stands below the end of a series that ends before the right edge, or above where another line is below", () => {
    const [below, above, atEdge] = [
      point({ x: 100, y: 50 }),
      point({ x: 150, y: 50, isAboveOther: true }),
      point({ x: right - 5, y: 150 }),
    ].map((one) => placeLabels([one], plot)[0]);
    expect(below).toEqual({ x: 104, y: 62, anchor: "start", isBeside: false });
    expect(above).toEqual({ x: 146, y: 38, anchor: "end", isBeside: false });
    expect(atEdge).toEqual({ x: right - 9, y: 138, anchor: "end", isBeside: false });
  });

  it("stands at another side of its point where a line would go through it", () => {
    const end = { x: 60, y: 190 };
    const flat = [{ x: 56, y: 190 }, end];
    const rising = [end, { x: right, y: 100 }];
    const [position] = placeLabels([point({ ...end, lines: ["Spent so far"] })], plot, [flat, rising]);
    // No side is free: it stands above the rising line, which is 44 px above the point at the label's end.
    expect(position).toEqual({ x: 146, y: expect.closeTo(134, 0), anchor: "end", isBeside: false });
    const [above] = placeLabels([point({ x: 200, y: 100 })], plot, [
      [
        { x: 190, y: 60 },
        { x: 220, y: 160 },
      ],
    ]);
    expect(above).toMatchObject({ x: 196, anchor: "end" });
  });

  it("leads from a point to a label that stands away from it, and to none at its side", () => {
    const beside = { x: right + LABEL_GAP_PX, y: 90, anchor: "start", isBeside: true } as const;
    expect(leaderOf(point({ y: 100 }), beside)).toEqual({
      from: { x: right + 3, y: 100 },
      to: { x: right + LABEL_GAP_PX - 3, y: 90 },
    });
    const end = point({ x: 60, y: 190 });
    const at = (y: number) => ({ x: 100, y, anchor: "end", isBeside: false }) as const;
    expect(leaderOf(end, at(178))).toBeUndefined();
    expect(leaderOf(end, at(134))).toEqual({ from: { x: 60, y: 187 }, to: { x: 62, y: 142 } });
    expect(leaderOf(point({ x: 60, y: 50 }), at(100))).toEqual({
      from: { x: 60, y: 53 },
      to: { x: 62, y: 92 },
    });
  });

  const words = fc.array(fc.constantFrom("Spent", "so", "far", "Impressions"), {
    minLength: 1,
    maxLength: 2,
  });
  const anyPoint = fc.record<LabelledPoint>({
    x: fc.oneof(fc.constant(right), fc.double({ min: plot.x, max: right, noNaN: true })),
    y: fc.double({ min: plot.y, max: bottom, noNaN: true }),
    lines: words,
    isAboveOther: fc.boolean(),
  });

  it("overlaps no two labels, and leaves neither the plot nor its margin, for any points", () => {
    fc.assert(
      fc.property(fc.array(anyPoint, { minLength: 1, maxLength: 3 }), (points) => {
        const margin = LABEL_GAP_PX + Math.max(...points.map(({ lines }) => labelWidth(lines)));
        const boxes = placeLabels(points, plot).map(({ x, y, anchor }, index) => {
          const lines = points[index]?.lines ?? [];
          const width = labelWidth(lines);
          const left = anchor === "start" ? x : x - width;
          const height = lines.length * LINE_HEIGHT_PX;
          return { left, right: left + width, top: y - height / 2, bottom: y + height / 2 };
        });
        for (const [index, box] of boxes.entries()) {
          expect(box.left).toBeGreaterThanOrEqual(plot.x - 1e-6);
          expect(box.right).toBeLessThanOrEqual(right + margin + 1e-6);
          expect(box.top).toBeGreaterThanOrEqual(plot.y - 1e-6);
          expect(box.bottom).toBeLessThanOrEqual(bottom + 1e-6);
          for (const other of boxes.slice(index + 1)) {
            const isApart =
              box.right <= other.left + 1e-6 ||
              other.right <= box.left + 1e-6 ||
              box.bottom <= other.top + 1e-6 ||
              other.bottom <= box.top + 1e-6;
            expect(isApart).toBe(true);
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
