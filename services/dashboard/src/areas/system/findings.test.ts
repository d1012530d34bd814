import { describe, expect, it } from "@jest/globals";
import { findingsOf } from "./findings.ts";

const well = {
  read_at: "2026-12-01T00:00:00.000Z",
  stores: [{ name: "postgres", ready: true }],
  accounts: 1,
  users: 1,
  advertisers: 1,
  active_campaigns: 1,
  impressions_today: 0,
  impressions_yesterday: 0,
  spent_today_millicents: 0,
  advertisers_looked_at: 1,
  held_millicents: 0,
  impressions_waiting: 3,
  oldest_waiting_seconds: 1,
  unpublished_changes: 0,
  quarantined_records: 0,
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
      oldest_waiting_seconds: 61,
      quarantined_records: 2,
    }).map(({ title }) => title);
    expect(titles).toEqual([
      "Match state is not ready",
      "Impressions have waited 61 seconds to be written",
      "2 quarantined records to decide about",
    ]);
  });
});
