import { newId } from "@diegetic/contracts";
import { afterBilling } from "@diegetic/testing/api";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Account, BASE, type Matched, type Platform, startPlatform } from "./platform.fixture.ts";

describe("impressions that nobody has earned", () => {
  let platform: Platform;
  let owner: Awaited<ReturnType<Platform["advertiser"]>>;
  let developer: Account;
  let stranger: Account;
  beforeAll(async () => {
    platform = await startPlatform();
    owner = await platform.advertiser();
    developer = await platform.account();
    stranger = await platform.account();
    await platform.enableGame(developer.key, "castle");
    await platform.enableGame(developer.key, "harbour");
    await platform.enableGame(stranger.key, "strange");
  });
  afterAll(() => platform.stop());

  const bill = (key: string, body: unknown, headers = {}) =>
    platform.call({ method: "POST", path: `${BASE}/impressions`, key, body, headers });
  /** Of everything billed before. */
  const spentCents = async () => {
    const read = { method: "GET", path: `${BASE}/campaigns/${owner.campaignId}`, key: owner.key };
    return (await afterBilling(() => platform.expect(200, read))).spent_cents;
  };
  const forged = (wish: Partial<Matched> = {}) => ({
    campaign_id: owner.campaignId,
    creative_id: owner.creativeId,
    game_id: "castle",
    ...wish,
  });

  it("are refused without a match, however often they are sent", async () => {
    for (let count = 0; count < 20; count += 1) {
      expect((await bill(developer.key, forged())).status).toBe(409);
      expect((await bill(developer.key, forged({ match_id: newId("mat") }))).status).toBe(409);
    }
    expect(await spentCents()).toBe(0);
  });

  it("are refused to the advertiser's rival and to any other account, with and without the match's id", async () => {
    const match = await platform.match(developer.key, "castle");
    for (const key of [stranger.key, owner.key]) {
      expect((await bill(key, match)).status).toBe(403);
      expect((await bill(key, forged())).status).toBe(403);
    }
    // Their own game has no such match.
    expect((await bill(stranger.key, { ...match, game_id: "strange" })).status).toBe(409);
    expect((await bill(stranger.key, forged({ game_id: "strange" }))).status).toBe(409);
    expect(await spentCents()).toBe(0);
    expect((await bill(developer.key, match)).status).toBe(201);
    expect(await spentCents()).toBe(1);
  });

  it("are refused for another game, campaign or creative than was matched", async () => {
    const match = await platform.match(developer.key, "castle");
    const other = await platform.advertiser();
    const swapped: Partial<Matched>[] = [
      { game_id: "harbour" },
      { campaign_id: other.campaignId },
      { creative_id: other.creativeId },
      { campaign_id: other.campaignId, creative_id: other.creativeId },
    ];
    for (const wish of swapped) {
      expect([404, 409]).toContain((await bill(developer.key, { ...match, ...wish })).status);
    }
    expect((await bill(developer.key, match)).status).toBe(201);
    await platform.expect(200, {
      method: "POST",
      path: `${BASE}/campaigns/${other.campaignId}/pause`,
      key: other.key,
    });
  });

  it("are charged once however often they are replayed: at once, through every instance, with any Idempotency-Key", async () => {
    const before = await spentCents();
    const match = await platform.match(developer.key, "castle");
    const replays = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        platform.call({
          method: "POST",
          path: `${BASE}/impressions`,
          key: developer.key,
          body: match,
          headers: index % 3 === 0 ? {} : { "Idempotency-Key": `replay-${index % 7}` },
          port: platform.ports.match[index % 2] ?? 0,
        }),
      ),
    );
    expect(new Set(replays.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(replays.map(({ body }) => body.impression_id)).size).toBe(1);
    expect(await spentCents()).toBe(before + 1);
  });

  it("cannot be had by another account's Idempotency-Key, nor by one's own for another game", async () => {
    const headers = { "Idempotency-Key": "shared" };
    const match = await platform.match(developer.key, "castle");
    const first = await bill(developer.key, forged(), headers);
    expect(first.status).toBe(201);
    expect((await bill(stranger.key, forged({ game_id: "strange" }), headers)).status).toBe(409);
    expect((await bill(developer.key, forged({ game_id: "harbour" }), headers)).status).toBe(409);
    expect((await bill(developer.key, match)).body.impression_id).toBe(first.body.impression_id);
  });

  it.each([
    "era",
    "op:imp_0",
    "version",
    "__proto__",
    "constructor",
    "mat_",
    "*",
    "-1",
    "O|1|1|1|x",
    "mat_01jd\u0001",
    "{adv}:account",
    "') or true --",
    `mat_${"z".repeat(190)}`,
    "ма\u200bt_01",
  ])("are refused for the made-up match %j", async (match_id) => {
    const reply = await bill(developer.key, forged({ match_id }));
    expect([reply.status, reply.text]).toEqual([409, expect.stringContaining("no unbilled match")]);
  });

  it("do not follow from the neighbours of a match's id", async () => {
    const match = await platform.match(developer.key, "castle");
    const before = await spentCents();
    const neighbours = [...match.match_id.slice(-2)].flatMap((_, back) =>
      [..."0123456789abcdefghjkmnpqrstvwxyz"].map(
        (letter) =>
          match.match_id.slice(0, match.match_id.length - 1 - back) +
          letter +
          match.match_id.slice(match.match_id.length - back),
      ),
    );
    for (const match_id of neighbours.filter((id) => id !== match.match_id)) {
      expect((await bill(developer.key, { ...match, match_id })).status).toBe(409);
    }
    expect(await spentCents()).toBe(before);
    expect((await bill(developer.key, match)).status).toBe(201);
  });

  it("equal the stored totals in the end: every impression answered 201, and nothing else", async () => {
    const { database } = platform.management;
    await eventually(async () => {
      const row = await database.campaign.findUniqueOrThrow({ where: { id: owner.campaignId } });
      return row.spentMillicents === row.impressions * 1_000n && row.impressions === 5n;
    });
  });
});
