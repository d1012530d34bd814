import { expect, it } from "@jest/globals";
import { eventually } from "../../../../tests/helpers/eventually.ts";
import { LineLimit } from "./line-limit.ts";

const LONG_MS = 600_000;

it("writes the first line of each kind at once, and none of the others in the same time", () => {
  const lines = new LineLimit(LONG_MS);
  const written: [string, number][] = [];
  for (const kind of ["away", "away", "defect", "away", "defect"]) {
    lines.tell(kind, (count) => written.push([kind, count]));
  }
  expect(written).toEqual([
    ["away", 1],
    ["defect", 1],
  ]);
});

it("tells those that were left out when the time is over, as the last of them would, also when no more come", async () => {
  const lines = new LineLimit(20);
  const written: [string, number][] = [];
  for (const name of ["first", "second", "third"]) {
    lines.tell("away", (count) => written.push([name, count]));
  }
  await eventually(() => written.length > 1);
  expect(written).toEqual([
    ["first", 1],
    ["third", 2],
  ]);
});

it("writes at once again after a time in which nothing came", async () => {
  const lines = new LineLimit(5);
  const written: number[] = [];
  const tell = () => lines.tell("away", (count) => written.push(count));
  tell();
  await eventually(() => {
    tell();
    return written.length > 3;
  });
  expect(written.every((count) => count > 0)).toBe(true);
});

it("writes few lines of kinds without end", () => {
  const lines = new LineLimit(LONG_MS);
  let written = 0;
  for (let kind = 0; kind < 1_000; kind += 1) {
    lines.tell(`kind ${kind}`, () => {
      written += 1;
    });
  }
  expect(written).toBe(101);
});
