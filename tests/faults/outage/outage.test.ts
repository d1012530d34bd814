import { STALE_SENTENCE } from "@diegetic/testing/documented";
import { describe, expect, it } from "@jest/globals";
import { runOutage } from "./outage.ts";

const OUTAGE_SECONDS = 5;
const RATE = 20;
/** Far more than needed: npm run faults:outage measures the duration, on an otherwise idle machine. */
const BACK_WITHIN_MS = 60_000;
const TIMEOUT_MS = 300_000;

describe("Postgres unavailable under load", () => {
  it(
    "is not noticed by players, answered 503 by management, and made up for by billing",
    async () => {
      const report = await runOutage({ rate: RATE, outageSeconds: OUTAGE_SECONDS, calmSeconds: 1 });
      const isStale = (what: string) => what.endsWith(STALE_SENTENCE);
      expect([...report.unexpected.keys()].filter((what) => !isStale(what))).toEqual([]);
      expect(report.answered.during).toBeGreaterThan(OUTAGE_SECONDS);
      // On a busy machine a lease runs out now and then; without Postgres it would for good.
      const stale = [...report.unexpected].reduce(
        (sum, [what, count]) => (isStale(what) ? sum + count : sum),
        0,
      );
      expect(stale).toBeLessThan(report.answered.during);
      expect([...report.management.keys()]).toEqual([expect.stringMatching(/^503 with Retry-After \d+$/)]);
      expect(report.managementBackAfterMs).toBeLessThan(BACK_WITHIN_MS);
      expect(report.caughtUpAfterMs).toBeLessThan(BACK_WITHIN_MS);
      const { answered, written, rows } = report.ids;
      expect({ written, rows }).toEqual({ written: answered, rows: answered });
    },
    TIMEOUT_MS,
  );
});
