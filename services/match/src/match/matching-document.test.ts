import type { SnapshotCreative } from "@diegetic/contracts";
import { jsonIn, type Row, readDocument, tableIn } from "@diegetic/testing/markdown";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { World } from "../testing/world.fixture.ts";

let redis: TestRedis;
let world: World;
beforeAll(async () => {
  redis = await startTestRedis();
  world = await World.open(redis.url);
  await world.startInstance();
  await world.reset();
});
afterAll(async () => {
  await world.close();
  await redis.stop();
});

const document = readDocument("docs/matching.md");
const HEADING = "Example: one player session";

describe("docs/matching.md: one player session", () => {
  it("follows the steps of the document", async () => {
    const game = await world.addGame({ max_ads_per_session: 3 });
    const creatives = jsonIn(document, HEADING) as Partial<SnapshotCreative>[];
    const campaign = await world.addCampaign({
      cpm_bid_cents: 1_250,
      creatives: creatives.map((creative) => ({ narrative_hook: null, ...creative })),
    });
    const player = { user_id: "player-1", session_id: "evening" };
    const matches = new Map<string, { campaign_id: string; creative_id: string; match_id: string }>();

    const answered: Row[] = [];
    const documented = tableIn(document, HEADING);
    for (const { Step = "", Request = "" } of documented) {
      const seen = /^impression of (\d+)$/.exec(Request)?.[1];
      const match = matches.get(seen ?? "");
      const { status, headers, body } =
        match === undefined ? await world.match(game, player) : await world.impression(game, match);
      if (status === 200) matches.set(Step, body);
      const totals = await world.money.readCampaign(campaign.advertiser_id, campaign.campaign_id);
      answered.push({
        Step,
        Request: match === undefined ? "match" : `impression of ${seen}`,
        Answer: `${status} ${headers["x-no-match-reason"] ?? ""}`.trim(),
        Line: body.narrative_hook ?? "",
        "Held, cents": String((totals?.heldMillicents ?? 0) / 1_000),
        "Spent, cents": String((totals?.spentMillicents ?? 0) / 1_000),
      });
    }
    expect(answered).toEqual(documented);
  });
});
