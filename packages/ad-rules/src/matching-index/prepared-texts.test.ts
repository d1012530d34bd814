import { expect, it } from "@jest/globals";
import { campaign, placement } from "../../tests/builders.ts";
import { CampaignIndex } from "./campaign-index.ts";

const KEYWORDS_PER_CAMPAIGN = 1_000;

/** Inserts and removes campaigns with all their keywords. */
class Market {
  readonly index = new CampaignIndex();
  /** Microseconds of the processor, however busy the machine is. */
  readonly duration: number;

  constructor(keyword: (number: number) => string) {
    const campaigns = Array.from({ length: 4 }, (_, number) =>
      campaign({
        campaign_id: `camp_${number}`,
        blocklist: Array.from({ length: KEYWORDS_PER_CAMPAIGN }, (_, at) => ({
          rule_type: "keyword",
          value: keyword(number * KEYWORDS_PER_CAMPAIGN + at),
        })),
      }),
    );
    const before = process.cpuUsage();
    for (const one of campaigns) this.index.upsert(one);
    for (const one of campaigns.slice(1)) this.index.remove(one.campaign_id);
    const { user, system } = process.cpuUsage(before);
    this.duration = user + system;
  }

  serves(narrative: string): boolean {
    const scene = { placement: placement(), context: { narrative }, geo: null, nowMs: 0 };
    return this.index.draw(scene, () => 0).candidate !== null;
  }
}

it("changes campaigns quickly whose keywords were prepared to collide in its hash table", () => {
  // All combinations of two blocks that collide under the multiplier of FNV.
  const prepared = (number: number) =>
    Array.from({ length: 20 }, (_, bit) => ((number >>> bit) & 1 ? "vcyixpnz" : "evjpzxrv")).join("");
  const attacked = new Market(prepared);
  const ordinary = new Market((number) => `${number}`.padEnd(160, "x"));
  expect(attacked.duration).toBeLessThan(ordinary.duration * 20);
  expect(attacked.serves(prepared(KEYWORDS_PER_CAMPAIGN - 1))).toBe(false);
  expect(attacked.serves(prepared(KEYWORDS_PER_CAMPAIGN))).toBe(true);
});
