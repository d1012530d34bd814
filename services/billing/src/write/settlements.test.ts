import { describe, expect, it } from "@jest/globals";
import { committedInEpoch } from "./settlements.ts";

const record = {
  impression_id: "imp_1",
  creative_id: "crea_1",
  recorded_at_ms: 1_763_900_000_000,
  match: {
    match_id: "match_1",
    advertiser_id: "adv_1",
    campaign_id: "camp_1",
    campaign_version: 1,
    game_id: "game_1",
    developer_account_id: "acct_1",
    user_hash: "u",
    session_key: "s",
    country_code: null,
    affinity_score: 0,
    affinities: [],
    price_millicents: 500,
    revenue_share_basis_points: 7_000,
    matched_at_ms: 1_763_900_000_000,
  },
};

describe("the recovery epoch of a record", () => {
  it.each([
    ["as it is written", { recovery_epoch: 7 }, 7],
    ["as it was queued before the migration vocabulary", { slot_epoch: 7 }, 7],
    ["of a wallet that was never restored", {}, 0],
    ["that is damaged", { recovery_epoch: -1 }, 0],
  ])("%s", (_name, fields, epoch) => {
    expect(committedInEpoch({ ...record, ...fields })).toBe(epoch);
  });
});
