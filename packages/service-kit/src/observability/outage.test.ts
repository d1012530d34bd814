import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { Outage, type OutageLine } from "./outage.ts";

describe("an outage", () => {
  it("is logged at once, then once in ten seconds with all failures so far, and once when it is over", () => {
    const outage = new Outage();
    const logged = [];
    for (let nowMs = 0; nowMs <= 25_000; nowMs += 500) logged.push(outage.failed(nowMs));
    logged.push(outage.ended(25_500));
    expect(outage.succeeded(26_400)).toBe(28_400);
    logged.push(outage.ended(28_399), outage.ended(28_400), outage.ended(40_000));
    expect(logged.filter((line) => line !== undefined)).toEqual([
      { kind: "began", failures: 1, outageSeconds: 0 },
      { kind: "lasts", failures: 21, outageSeconds: 10 },
      { kind: "lasts", failures: 41, outageSeconds: 20 },
      { kind: "ended", failures: 51, outageSeconds: 26.4 },
    ]);
  });

  it("continues when something fails again within two seconds", () => {
    const outage = new Outage();
    outage.failed(0);
    outage.succeeded(1_000);
    expect(outage.failed(2_999)).toBeUndefined();
    expect(outage.ended(3_000)).toBeUndefined();
    outage.succeeded(4_000);
    expect(outage.ended(6_000)).toEqual({ kind: "ended", failures: 2, outageSeconds: 4 });
  });

  it("is a new one after that", () => {
    const outage = new Outage();
    outage.failed(0);
    outage.succeeded(1_000);
    outage.ended(3_000);
    expect(outage.failed(3_001, 5)).toEqual({ kind: "began", failures: 5, outageSeconds: 0 });
  });

  it("ends exactly once for each start, after any sequence of calls, and counts every failure", () => {
    const step = fc.record({
      what: fc.constantFrom("failed" as const, "works" as const),
      afterMs: fc.nat(12_000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const outage = new Outage();
        const logged: OutageLine[] = [];
        const keep = (line: OutageLine | undefined) => line !== undefined && logged.push(line);
        let nowMs = 0;
        let failures = 0;
        for (const { what, afterMs } of steps) {
          nowMs += afterMs;
          keep(outage.ended(nowMs));
          if (what === "works") outage.succeeded(nowMs);
          else {
            failures += 1;
            keep(outage.failed(nowMs));
          }
        }
        outage.succeeded(nowMs);
        keep(outage.ended(nowMs + 60_000));
        const kinds = logged.map(({ kind }) => kind).filter((kind) => kind !== "lasts");
        expect(kinds).toEqual(kinds.map((_, index) => (index % 2 === 0 ? "began" : "ended")));
        expect(kinds.length % 2).toBe(0);
        const ended = logged.filter(({ kind }) => kind === "ended");
        expect(ended.reduce((sum, line) => sum + line.failures, 0)).toBe(failures);
      }),
    );
  });
});
