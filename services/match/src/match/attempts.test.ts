import type { SnapshotCampaign, SnapshotPlacement } from "@diegetic/contracts";
import { newId } from "@diegetic/contracts";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { type CampaignWish, World } from "../testing/world.fixture.ts";
import { Attempts, MAX_REFUNDS, MAX_RESERVATIONS } from "./attempts.ts";

let redis: TestRedis;
let world: World;
beforeAll(async () => {
  redis = await startTestRedis();
  world = await World.open(redis.url);
  await world.startInstance();
});
afterAll(async () => {
  await world.close();
  await redis.stop();
});
beforeEach(() => world.reset());

const REQUESTS = 4;
const CAMPAIGNS = 14;
const PLAYER = { user_id: "p", session_id: "s" };

/** Makes the wallet in Redis refuse a campaign that passes every other rule. */
interface Refused {
  wish: CampaignWish;
  /** Repeated after each publication, as management does, so that no remembered refusal applies to the next request. */
  after?: (campaign: SnapshotCampaign) => Promise<unknown>;
}

const REFUSALS: Record<string, Refused> = {
  balance: { wish: { depositedMillicents: 1 } },
  budget: { wish: { budgetMillicents: 1 } },
  daily_cap: { wish: { dailyCapMillicents: 1 } },
  creative_cap: { wish: { creatives: [{ max_uses_per_game: 0 }] } },
  not_active: {
    wish: {},
    after: (campaign) => world.addCampaign({ ...campaign, status: "paused", walletOnly: true }),
  },
  stale_version: {
    wish: {},
    after: (campaign) => world.addCampaign({ ...campaign, version: campaign.version + 1, walletOnly: true }),
  },
  behind: {
    wish: {},
    after: ({ advertiser_id, campaign_id, version }) =>
      world.redis.hset(`{${advertiser_id}}:campaign:${campaign_id}`, "version", version - 1),
  },
  unknown_wallet: {
    wish: {},
    after: ({ advertiser_id, campaign_id }) => world.redis.del(`{${advertiser_id}}:campaign:${campaign_id}`),
  },
};

/** Publishes each campaign again under a newer version, which ends remembered refusals of the older one. */
async function patchAll(
  campaigns: readonly { campaign_id: string; refused: Refused; bid: number }[],
  advertiserId: string,
  version: number,
): Promise<void> {
  for (const { campaign_id, refused, bid } of campaigns) {
    const campaign = await world.addCampaign({
      ...refused.wish,
      campaign_id,
      advertiser_id: advertiserId,
      cpm_bid_cents: bid,
      version,
    });
    await refused.after?.(campaign);
  }
}

async function expectRivalServed(game: SnapshotPlacement, kinds: readonly Refused[]): Promise<void> {
  const rival = await world.addCampaign({ cpm_bid_cents: 100 });
  const advertiserId = newId("adv");
  const campaigns = Array.from({ length: CAMPAIGNS }, (_, i) => ({
    campaign_id: newId("camp"),
    refused: kinds[i % kinds.length] ?? { wish: {} },
    bid: 9_000 - i,
  }));
  for (let request = 1; request <= REQUESTS; request++) {
    await patchAll(campaigns, advertiserId, request * 10);
    const { status, body } = await world.match(game, PLAYER);
    expect({ status, campaign: body.campaign_id }).toEqual({ status: 200, campaign: rival.campaign_id });
  }
}

describe("an advertiser whose many campaigns outbid all others and are always refused", () => {
  it.each(Object.keys(REFUSALS))(
    "does not keep a request from another's campaign: %s",
    async (kind) => {
      await expectRivalServed(await world.addGame(), [REFUSALS[kind] ?? { wish: {} }]);
    },
    300_000,
  );

  it("does not even when its campaigns are refused for every reason in turn", async () => {
    const { balance: _ofAllCampaigns, ...others } = REFUSALS;
    await expectRivalServed(await world.addGame(), Object.values(others));
  });

  it("is tried again when no other advertiser has a campaign", async () => {
    const game = await world.addGame();
    const advertiser_id = newId("adv");
    for (let i = 0; i < MAX_RESERVATIONS - 1; i++) {
      await world.addCampaign({ advertiser_id, cpm_bid_cents: 9_000 - i * 200, budgetMillicents: 1 });
    }
    const last = await world.addCampaign({ advertiser_id, cpm_bid_cents: 100 });
    expect((await world.match(game)).body.campaign_id).toBe(last.campaign_id);
  });
});

describe("a player session that has used up the creatives of the best campaigns", () => {
  const USED_UP: CampaignWish = { creatives: [{ max_uses_per_game: 0 }] };
  const matchAfter = async (usedUp: number) => {
    const game = await world.addGame();
    for (let i = 0; i < usedUp; i++) await world.addCampaign({ ...USED_UP, cpm_bid_cents: 9_000 - i });
    const next = await world.addCampaign({ cpm_bid_cents: 100 });
    return { next, answer: await world.match(game, PLAYER) };
  };

  it("gets the next one, after 24 used-up campaigns and seven counted reservations", async () => {
    const { next, answer } = await matchAfter(MAX_REFUNDS + MAX_RESERVATIONS - 1);
    expect(answer.body.campaign_id).toBe(next.campaign_id);
  });

  it("gets none after a limited number of reservations", async () => {
    const { answer } = await matchAfter(MAX_REFUNDS + MAX_RESERVATIONS);
    expect([answer.status, answer.headers["x-no-match-reason"]]).toEqual([204, "no_eligible_campaign"]);
  });
});

describe("a developer whose open holds take half of what campaigns have left", () => {
  const HOLDS = 100;
  /** A campaign of which another game of the same account holds a hundred impressions, half of its budget. */
  async function heldCampaign(bid: number): Promise<SnapshotCampaign> {
    const campaign = await world.addCampaign({ cpm_bid_cents: bid, budgetMillicents: 2 * HOLDS * bid });
    const match = {
      advertiser_id: campaign.advertiser_id,
      campaign_id: campaign.campaign_id,
      campaign_version: 1,
      game_id: "an invented audience",
      developer_account_id: world.accountId,
      user_hash: "user",
      country_code: null,
      affinity_score: 0,
      affinities: [],
      price_millicents: bid,
      revenue_share_basis_points: 7_000,
      matched_at_ms: Date.now(),
    };
    const reserve = () =>
      world.money.reserve({
        match: { ...match, match_id: newId("mat"), session_key: newId("key") },
        campaignVersion: 1,
        holdTtlMs: 600_000,
        sessionStartedMs: null,
        sessionIdleMs: 1_800_000,
        creatives: [{ creativeId: "crt_a", maxUses: 1 }],
      });
    const held = await Promise.all(Array.from({ length: HOLDS }, reserve));
    expect(held.every(({ outcome }) => outcome === "held")).toBe(true);
    return campaign;
  }

  it("gets no more of them, for lack of money, while another developer does", async () => {
    const game = await world.addGame();
    const campaign = await heldCampaign(5_000);
    for (let i = 0; i < 3; i++) {
      const { status, headers } = await world.match(game);
      expect([status, headers["x-no-match-reason"]]).toEqual([204, "budget"]);
    }
    const rivals = await world.addGame({ account_id: "acct_rival" });
    const key = await world.addKey({ account_id: "acct_rival" });
    expect((await world.match(rivals, {}, { key })).body.campaign_id).toBe(campaign.campaign_id);
  });

  it("reaches the campaigns that have enough left, however many do not", async () => {
    const game = await world.addGame();
    for (let i = 0; i < MAX_RESERVATIONS; i++) await heldCampaign(5_000 + 500 * i);
    const open = await world.addCampaign({ cpm_bid_cents: 100 });
    // The first request uses up its attempts; the following ones remember the refusals, for a moment.
    await eventually(async () => {
      await world.match(game);
      return (await world.match(game)).body.campaign_id === open.campaign_id;
    });
  });
});

describe("Attempts", () => {
  /** Reservations that remain of a request after arbitrary use by some advertisers. */
  it("leave one for a further advertiser, unless at least four others have used them up", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 5 }), { maxLength: 40 }), (advertisers) => {
        const attempts = new Attempts();
        for (const one of advertisers) {
          const id = `adv_${one}`;
          if (attempts.left > 0 && !attempts.deferred().includes(id)) attempts.use(id);
        }
        const used = new Set(advertisers).size;
        if (used < 4) expect(attempts.left).toBeGreaterThan(0);
        expect(attempts.left).toBeGreaterThanOrEqual(0);
        expect(attempts.deferred()).not.toContain("adv_new");
      }),
    );
  });

  it("are refunded for a limited number of campaigns", () => {
    const attempts = new Attempts();
    for (let i = 0; i < MAX_REFUNDS; i++) {
      attempts.use("adv_1");
      attempts.refund("adv_1");
    }
    expect([attempts.left, attempts.deferred(), attempts.isUnused]).toEqual([MAX_RESERVATIONS, [], false]);
    attempts.use("adv_1");
    attempts.refund("adv_1");
    expect(attempts.left).toBe(MAX_RESERVATIONS - 1);
  });

  it("let each advertiser restart a decision twice", () => {
    const attempts = new Attempts();
    const starts = (id: string) => [1, 2, 3].map(() => attempts.startFresh(id));
    expect(starts("adv_1")).toEqual([true, true, false]);
    expect(starts("adv_2")).toEqual([true, true, false]);
  });
});
