import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";

const text = readFileSync(new URL("../../docs/scaling.md", import.meta.url), "utf8");
const SEEN = 0.5;
const UTILISATION = 0.6;

/** Microseconds of the item that begins so. */
function costOf(work: string): number {
  const line = text.split("\n").find((row) => row.startsWith(`- ${work}`));
  return Number(/: (\d+) µs/.exec(line ?? "")?.[1]);
}

it("docs/scaling.md computes its table from its figures", () => {
  const seconds = (microseconds: number) => microseconds / 1_000_000;
  const instance = seconds(costOf("match among") + SEEN * costOf("impression, in a match instance"));
  const redis = seconds(costOf("match, in Redis") + SEEN * costOf("impression, in Redis"));
  const inCluster = Number(/: ([\d.]+) times as much/.exec(text)?.[1]);
  const billing = seconds(SEEN * costOf("impression, in billing"));
  const postgres = seconds(SEEN * costOf("impression, in Postgres"));
  const rows = [
    ...text.matchAll(/^\| (1(?: 000)+|1\d 000|100 000) \| (\d+) \| (\d+) \| (\d+) \| ([\d.]+) \|/gm),
  ];
  expect(rows).toHaveLength(4);
  for (const [, rateText = "", ...numbers] of rows) {
    const rate = Number(rateText.replaceAll(" ", ""));
    const cores = (cost: number) => (rate * cost) / UTILISATION;
    const masters = cores(redis) > 1 ? cores(redis) * inCluster : cores(redis);
    const processes = [cores(instance), masters, cores(billing)].map(Math.ceil);
    expect([rate, ...numbers.slice(0, 3).map(Number)]).toEqual([rate, ...processes]);
    expect(Math.abs(Number(numbers[3]) - cores(postgres))).toBeLessThan(0.05 * cores(postgres) + 0.005);
  }
});
