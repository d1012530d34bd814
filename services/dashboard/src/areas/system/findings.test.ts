import { describe, expect, it } from "@jest/globals";
import { findingsOf, formatWait, limitOf } from "./findings.ts";

const well = {
  read_at: "2026-12-01T00:00:00.000Z",
  stores: [{ name: "postgres", ready: true }],
  processes: ["match", "billing"].map((service) => ({
    service,
    instance: `${service}-1`,
    ready: true,
    failing: [],
    reported_at: "2026-12-01T00:00:00.000Z",
  })),
  reconciliation: { finished_at: null, differences: 0, listed: [] },
  accounts: 1,
  users: 1,
  advertisers: 1,
  active_campaigns: 1,
  matches_last_5_minutes: 0,
  impressions_last_5_minutes: 0,
  impressions_today: 0,
  impressions_yesterday: 0,
  spent_today_millicents: 0,
  advertisers_looked_at: 1,
  held_millicents: 0,
  impressions_waiting: 3,
  oldest_waiting_seconds: 1,
  unpublished_changes: 0,
  quarantined_records: 0,
  divided_wallets: { count: 0, listed: [] },
};

describe("findingsOf", () => {
  it("finds nothing where all is well", () => {
    expect(findingsOf(well)).toEqual([]);
    expect(findingsOf({ ...well, oldest_waiting_seconds: null })).toEqual([]);
  });

  it("names each thing that needs the operator", () => {
    const titles = findingsOf({
      ...well,
      stores: [{ name: "match_state", ready: false }],
      processes: well.processes.flatMap((process) => [
        process,
        ...(process.service === "match" ? [{ ...process, instance: "match-2", ready: false }] : []),
      ]),
      reconciliation: { finished_at: null, differences: 2, listed: [] },
      oldest_waiting_seconds: 61,
      quarantined_records: 2,
    }).map(({ title }) => title);
    expect(titles).toEqual([
      "Match state is not ready",
      "match-2 (match) is not ready",
      "The stores disagree in 2 values",
      "Impressions have waited 61 seconds to be written",
      "2 quarantined records to decide about",
    ]);
  });

  it("says what does not work without a service", () => {
    const [billing] = well.processes.slice(1);
    const findings = findingsOf({ ...well, processes: billing === undefined ? [] : [billing] });
    expect(findings).toEqual([
      { title: "No match process is ready", advice: expect.stringContaining("Games get no ads") },
    ]);
  });
});

describe("limitOf", () => {
  it("says how many advertisers were read, where not all were", () => {
    const read = (advertisers: number) => limitOf({ ...well, advertisers, advertisers_looked_at: 500 });
    expect([read(500), read(1_700)]).toEqual(["", ", of the 500 newest advertisers"]);
  });
});

describe("formatWait", () => {
  it("says minutes from 120 seconds on", () => {
    expect([1, 119, 120, 734].map(formatWait)).toEqual([
      "1 second",
      "119 seconds",
      "2 minutes",
      "12 minutes",
    ]);
  });
});
