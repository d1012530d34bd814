import { newId } from "@diegetic/contracts";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { World } from "../testing/world.fixture.ts";

/** Long enough for a few requests in a row on a busy machine. */
const IDLE_MS = 5_000;

let redis: TestRedis;
let world: World;
beforeAll(async () => {
  redis = await startTestRedis();
  world = await World.open(redis.url);
  await world.startInstance({ SESSION_IDLE_SECONDS: String(IDLE_MS / 1_000) });
  await world.startInstance({ SESSION_IDLE_SECONDS: String(IDLE_MS / 1_000) });
  await world.startInstance({ NAMED_SESSION_IDLE_SECONDS: "1" });
});
afterAll(async () => {
  await world.close();
  await redis.stop();
});
beforeEach(() => world.reset());

/** Requests of the keys over the instances, until all of them fell into one minute. Resolves with the answers. */
async function withinOneMinute(instances: number[], keys: () => Promise<string[]>, requestsPerKey: number) {
  for (;;) {
    const texts = await keys();
    const game = await world.addGame();
    const answers = [];
    for (let n = 0; n < requestsPerKey; n += 1) {
      const instance = instances[n % instances.length] ?? 0;
      answers.push(...(await Promise.all(texts.map((key) => world.match(game, {}, { instance, key })))));
    }
    const minutes = new Set(answers.map(({ headers }) => headers["x-ratelimit-reset"]));
    if (minutes.size === 1) return answers;
  }
}

describe("player sessions", () => {
  const count = async (answers: Promise<{ status: number }>[]) =>
    (await Promise.all(answers)).filter(({ status }) => status === 200).length;

  it("gives a session no more ads than its cap under any concurrency", async () => {
    const game = await world.addGame({ max_ads_per_session: 3 });
    await world.addCampaign();
    const player = { user_id: "p", session_id: "s" };
    const answers = Array.from({ length: 20 }, (_, i) =>
      world.match(game, player, { instance: i % 2 }).then((response) => response),
    );
    expect(await count(answers)).toBe(3);
    expect((await world.match(game, { ...player, session_id: "t" })).status).toBe(200);
    expect((await world.match(game, { user_id: "p" })).status).toBe(200);
    expect((await world.match(game, { ...player, user_id: "q" })).status).toBe(200);
  });

  it("gives a session a creative no more often than its cap", async () => {
    const game = await world.addGame();
    const campaign = await world.addCampaign({ creatives: [{ max_uses_per_game: 2 }] });
    const answers = Array.from({ length: 10 }, (_, i) =>
      world.match(game, { user_id: "p", session_id: "s" }, { instance: i % 2 }).then((response) => response),
    );
    expect(await count(answers)).toBe(2);
    const totals = await world.money.readCampaign(campaign.advertiser_id, campaign.campaign_id);
    expect(totals?.heldMillicents).toBe(2_000);
  });

  it("ends a session without session_id when it has been idle, and its creative caps with it", async () => {
    const game = await world.addGame({ max_ads_per_session: 1 });
    await world.addCampaign({ creatives: [{ max_uses_per_game: 1 }] });
    expect((await world.match(game, { user_id: "p" })).status).toBe(200);
    expect((await world.match(game, { user_id: "p" })).headers["x-no-match-reason"]).toBe("session_cap");
    // Each attempt extends the session, so the attempts are further apart than its idle time.
    const again = await eventually(
      async () => ((await world.match(game, { user_id: "p" })).status === 200 ? true : undefined),
      { everyMs: IDLE_MS + 200 },
    );
    expect(again).toBe(true);
  });

  it("keeps the creative caps of a session whose beginning lies ahead, after the clock of Redis went back", async () => {
    const game = await world.addGame();
    await world.addCampaign({ creatives: [{ max_uses_per_game: 1 }] });
    const player = { user_id: "p", session_id: "s" };
    expect((await world.match(game, player)).status).toBe(200);
    const [session = ""] = await world.redis.keys(`{game:${game.game_id}}:session:*`);
    await world.redis.hincrby(session, "started", 4 * 60 * 60 * 1_000);
    for (let request = 0; request < 2; request += 1) {
      expect((await world.match(game, player)).status).toBe(204);
    }
  });

  it("starts again with the first request after the pause: caps, hooks, and two concurrent requests", async () => {
    const game = await world.addGame();
    await world.addCampaign({
      creatives: [{ max_uses_per_game: 3, narrative_hook: "first", alt_hooks: ["second", "third"] }],
    });
    const player = { user_id: "p" };
    const hooksOf = (answers: { body: { narrative_hook?: string } }[]) =>
      answers.map(({ body }) => body.narrative_hook ?? "none");
    const ask = (instance: number) => world.match(game, player, { instance }).then((answer) => answer);
    expect(hooksOf([await ask(0), await ask(1)])).toEqual(["first", "second"]);
    await eventually(async () => (await world.redis.keys(`{game:${game.game_id}}:session:*`)).length === 0);
    expect(hooksOf(await Promise.all([ask(0), ask(1)])).sort()).toEqual(["first", "second"]);
    expect(hooksOf([await ask(0), await ask(1)])).toEqual(["third", "none"]);
  });

  it("forgets a session with session_id after six hours without a request, or as is set", async () => {
    const game = await world.addGame({ max_ads_per_session: 1 });
    await world.addCampaign();
    const player = { user_id: "p", session_id: "s" };
    expect((await world.match(game, player)).status).toBe(200);
    const [key = ""] = await world.redis.keys(`{game:${game.game_id}}:session:*`);
    const sixHoursMs = 6 * 3_600_000;
    expect(Math.abs((await world.redis.pttl(key)) - sixHoursMs)).toBeLessThan(60_000);
    const short = { instance: 2 };
    expect((await world.match(game, player, short)).headers["x-no-match-reason"]).toBe("session_cap");
    await eventually(async () => (await world.redis.exists(key)) === 0);
    expect((await world.match(game, player, short)).status).toBe(200);
  });

  it("keeps a session alive by requests that match nothing", async () => {
    const game = await world.addGame({ max_ads_per_session: 1 });
    await world.addCampaign({ target_categories: ["racing"] });
    const racing = { user_id: "p", game_context: { category: "racing" } };
    expect((await world.match(game, racing)).status).toBe(200);
    const sessionKeys = await world.redis.keys("*:session:*");
    const [key = ""] = sessionKeys.filter((name) => name.includes(game.game_id));
    const endsAtMs = Date.now() + (await world.redis.pttl(key));
    await eventually(async () => (await world.redis.pttl(key)) < IDLE_MS - 200, { everyMs: 5 });
    const idle = await world.match(game, { user_id: "p" });
    expect(idle.headers["x-no-match-reason"]).toBe("no_eligible_campaign");
    expect(Date.now() + (await world.redis.pttl(key))).toBeGreaterThan(endsAtMs + 100);
  });
});

describe("limits", () => {
  it("counts requests per key over all instances", async () => {
    const answers = await withinOneMinute(
      [0, 1],
      async () => [await world.addKey({ rate_limit_per_minute: 4 })],
      6,
    );
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 429, 429]);
  });

  it("counts a long request once more for each 16 KiB", async () => {
    const tags = Array.from({ length: 100 }, () => "x".repeat(200));
    const long = { game_context: { mood_tags: tags, actions: tags } };
    const game = await world.addGame();
    // A minute may end between two counts.
    await eventually(async () => {
      const key = await world.addKey({ rate_limit_per_minute: 5 });
      const { status, headers } = await world.match(game, long, { key });
      expect(status).toBe(204);
      return headers["x-ratelimit-remaining"] === "2";
    });
    const small = await world.match(game, long, { key: await world.addKey({ rate_limit_per_minute: 2 }) });
    expect([small.status, small.body.detail]).toEqual([422, expect.stringContaining("counts as 3 requests")]);
  });

  const few = (repetitions: number) => "a ".repeat(repetitions);
  const growing = (texts: number) => Array.from({ length: texts }, () => "\ufdfa".repeat(200));
  it.each([
    ["texts grow when they are normalised", growing(20), [], 4],
    ["texts begin many long keywords at each word", Array.from({ length: 70 }, () => few(100)), [], 1],
    ["game blocks long categories", ["calm"], growing(20), 4],
  ])("counts a scene more often whose %s", async (_what, actions, blocked_categories, more) => {
    const game = await world.addGame({ blocked_categories });
    await world.addCampaign({
      blocklist: Array.from({ length: 99 }, (_, n) => ({ rule_type: "keyword", value: `${few(n)}b` })),
    });
    const scene = { game_context: { actions } };
    await eventually(async () => {
      const key = await world.addKey({ rate_limit_per_minute: 10 });
      const { status, headers } = await world.match(game, scene, { key });
      expect(status).toBe(200);
      return headers["x-ratelimit-remaining"] === String(9 - more);
    });
    const small = await world.match(game, scene, { key: await world.addKey({ rate_limit_per_minute: 1 }) });
    expect([small.status, small.body.detail]).toEqual([
      422,
      expect.stringContaining(`counts as ${1 + more} requests`),
    ]);
  });

  it("counts a scene of 2 000 characters once, whatever keywords others have", async () => {
    const game = await world.addGame();
    const keywords = Array.from({ length: 198 }, (_, n) => `${"一".repeat(n + 1)}丁`);
    for (const some of [keywords.slice(0, 99), keywords.slice(99)]) {
      await world.addCampaign({ blocklist: some.map((value) => ({ rule_type: "keyword", value })) });
    }
    const scene = { game_context: { narrative: "一".repeat(2_000) } };
    await eventually(async () => {
      const key = await world.addKey({ rate_limit_per_minute: 10 });
      const { status, headers } = await world.match(game, scene, { key });
      expect(status).toBe(200);
      return headers["x-ratelimit-remaining"] === "9";
    });
  });

  it("counts requests per game where that is configured", async () => {
    const instance = await world.startInstance({ RATE_LIMIT_MATCH_PER_GAME: "2" });
    const game = await world.addGame();
    const on = { instance: world.instances.indexOf(instance) };
    const first = await world.match(game, {}, on);
    expect(first.headers["x-ratelimit-limit"]).toBe("2");
    const limited = await eventually(async () => {
      const answer = await world.match(game, {}, on);
      return answer.status === 429 ? answer : undefined;
    });
    expect(limited.body.detail).toContain(
      "at most 2 a minute are allowed for all matches of the game together",
    );
    expect((await world.match(await world.addGame(), {}, on)).status).toBe(204);
  });

  it("counts a long impression once more for each 4 KiB", async () => {
    const ids = { campaign_id: "camp_none", creative_id: "crt_none", game_id: "none" };
    await eventually(async () => {
      const key = await world.addKey({ rate_limit_per_minute: 5 });
      const { status, headers } = await world.post(
        "/impressions",
        { ...ids, other: "x".repeat(5_000) },
        { key },
      );
      expect(status).toBe(404);
      return headers["x-ratelimit-remaining"] === "3";
    });
  });

  it("counts impressions per game where that is configured", async () => {
    const instance = await world.startInstance({ RATE_LIMIT_IMPRESSIONS_PER_GAME: "2" });
    const on = { instance: world.instances.indexOf(instance) };
    const game = await world.addGame();
    await world.addCampaign();
    const { body } = await world.match(game, {}, on);
    const first = await world.impression(game, body, on);
    expect([first.status, first.headers["x-ratelimit-limit"]]).toEqual([201, "2"]);
    const limited = await eventually(async () => {
      const answer = await world.impression(game, body, on);
      return answer.status === 429 ? answer : undefined;
    });
    expect(limited.body.detail).toContain("for all impressions of the game together");
    await eventually(async () => {
      const unknown = await world.impression(game, { ...body, campaign_id: "camp_none" }, on);
      return unknown.status === 429;
    });
    expect(Number(limited.headers["retry-after"])).toBeGreaterThan(0);
    expect((await world.match(game, {}, on)).status).toBe(200);
  });
});

describe("the keys of one account", () => {
  const twoInstances = async (environment: Record<string, string>) => {
    const instances = [await world.startInstance(environment), await world.startInstance(environment)];
    return instances.map((instance) => world.instances.indexOf(instance));
  };
  const countOf = (answers: { status: number }[], status: number) =>
    answers.filter((one) => one.status === status).length;

  it("have ten times the limit of one together, over all instances", async () => {
    const keys = () => {
      world.accountId = newId("acct");
      return Promise.all(Array.from({ length: 12 }, () => world.addKey()));
    };
    const answers = await withinOneMinute(await twoInstances({ RATE_LIMIT_MATCH: "4" }), keys, 4);
    expect([countOf(answers, 204), countOf(answers, 429)]).toEqual([40, 8]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers).toMatchObject({ "x-ratelimit-limit": "40", "x-ratelimit-remaining": "0" });
    expect(refused?.body.detail).toContain("for all keys of the account together");
  });

  it("have as many times the limit as is configured, of the largest that one of them carries", async () => {
    const keys = async () => {
      world.accountId = newId("acct");
      const revoked = await world.addKey({ rate_limit_per_minute: 50 });
      const own = await world.addKey({ rate_limit_per_minute: 6 });
      await world.revokeKey(revoked);
      return [own, await world.addKey(), await world.addKey(), await world.addKey()];
    };
    const environment = { RATE_LIMIT_MATCH: "4", RATE_LIMIT_ACCOUNT_FACTOR: "2" };
    const answers = await withinOneMinute(await twoInstances(environment), keys, 4);
    expect([countOf(answers, 204), countOf(answers, 429)]).toEqual([12, 4]);
  });

  it("leave one without a limit alone, and take nothing from the account when they are over their own", async () => {
    let free = "";
    const keys = async () => {
      world.accountId = newId("acct");
      free = await world.addKey({ rate_limit_per_minute: "unlimited" });
      return [free, await world.addKey({ rate_limit_per_minute: 1 }), await world.addKey()];
    };
    const environment = { RATE_LIMIT_MATCH: "6", RATE_LIMIT_ACCOUNT_FACTOR: "1" };
    const answers = await withinOneMinute(await twoInstances(environment), keys, 5);
    // 5 of the free one, 1 of the second, 5 of the third: together the two that count have used 6.
    expect([countOf(answers, 204), countOf(answers, 429)]).toEqual([11, 4]);
  });

  it("share one window when they replaced each other", async () => {
    const keys = async () => {
      world.accountId = newId("acct");
      const rate_limit_key_id = newId("key");
      return [
        await world.addKey({ key_id: rate_limit_key_id }),
        await world.addKey({ rate_limit_key_id }),
        await world.addKey({ rate_limit_key_id }),
      ];
    };
    const answers = await withinOneMinute(await twoInstances({ RATE_LIMIT_MATCH: "7" }), keys, 4);
    expect([countOf(answers, 204), countOf(answers, 429)]).toEqual([7, 5]);
  });
});
