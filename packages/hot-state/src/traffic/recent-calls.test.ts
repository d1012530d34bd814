import { expect, it } from "@jest/globals";
import { RecentCalls } from "./recent-calls.ts";

const MINUTE_MS = 60_000;

it("counts the calls of the last five minutes and forgets older ones", () => {
  const calls = new RecentCalls();
  const startMs = Date.UTC(2026, 11, 1);
  expect(calls.counts(startMs)).toEqual({ matches: 0, impressions: 0 });
  calls.record("matches", startMs);
  calls.record("matches", startMs + 1);
  calls.record("impressions", startMs + MINUTE_MS);
  expect(calls.counts(startMs + 5 * MINUTE_MS - 1)).toEqual({ matches: 2, impressions: 1 });
  expect(calls.counts(startMs + 5 * MINUTE_MS)).toEqual({ matches: 0, impressions: 1 });
  expect(calls.counts(startMs + 6 * MINUTE_MS)).toEqual({ matches: 0, impressions: 0 });
  // The same place of the ring, five minutes later.
  calls.record("matches", startMs + 5 * MINUTE_MS);
  expect(calls.counts(startMs + 5 * MINUTE_MS)).toEqual({ matches: 1, impressions: 1 });
});
