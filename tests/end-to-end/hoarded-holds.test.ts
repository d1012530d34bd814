import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Api, apiClient, enableGame, startCampaign } from "@diegetic/testing/api";
import { repeatedly, retryAfterMs } from "@diegetic/testing/documented";
import { runKeyCommand, startStackOnTestStores, type TestStack } from "@diegetic/testing/stack";
import { afterAll, beforeAll, expect, it } from "@jest/globals";

const TIMEOUT_MS = 300_000;
const AT_A_TIME = 10;
const PRICE_CENTS = 10;
const AFFORDABLE = 300;
/** Half of what is left: nothing is spent. */
const SHARE = AFFORDABLE / 2;
const HOARDING = "hoarding-game";
const HONEST = "honest-game";

const dataDir = mkdtempSync(join(tmpdir(), "diegetic-hoarded-"));
let stack: TestStack;
let advertiser: Api;
let campaignId: string;

beforeAll(async () => {
  stack = await startStackOnTestStores({
    dataDir,
    environment: { DEMO: "0" },
    arguments: ["--match-instances", "2"],
  });
  advertiser = await account("advertiser");
  const budgetCents = AFFORDABLE * PRICE_CENTS;
  const plan = { depositCents: 2 * budgetCents, budgetCents, cpmBidCents: PRICE_CENTS * 1_000 };
  ({ campaignId } = await startCampaign(advertiser, plan));
}, TIMEOUT_MS);
afterAll(async () => {
  await stack?.pressCtrlC();
  rmSync(dataDir, { recursive: true, force: true });
}, TIMEOUT_MS);

async function account(label: string): Promise<Api> {
  return apiClient(stack.describe().baseUrl, await stack.createKey(label));
}

/** Requests ads for invented players, who never see them. Returns the number of matches. */
async function matches(developer: Api, gameId: string, players: number): Promise<number> {
  let found = 0;
  for (let sent = 0; sent < players; sent += AT_A_TIME) {
    const answers = await Promise.all(
      Array.from({ length: AT_A_TIME }, (_, index) =>
        repeatedly(
          () =>
            developer.request("POST", "/match", {
              game_id: gameId,
              user_id: `invented-${sent + index}`,
              game_context: {},
            }),
          (refused) => retryAfterMs(refused.status, refused.headers.get("Retry-After")),
        ),
      ),
    );
    found += answers.filter(({ status }) => status === 200).length;
  }
  return found;
}

it(
  "a developer who reports no impression locks half of what a campaign has left, and is named by its report",
  async () => {
    const hoarder = await account("hoarder");
    const honest = await account("honest");
    await enableGame(hoarder, HOARDING);
    await enableGame(honest, HONEST);
    expect(await matches(hoarder, HOARDING, AFFORDABLE)).toBe(SHARE);
    expect(await matches(honest, HONEST, AT_A_TIME)).toBe(AT_A_TIME);
    const report = await advertiser.expect(200, "GET", `/campaigns/${campaignId}/analytics/games`);
    const none = { impressions: 0, seen_rate: 0, spent_cents: 0 };
    expect(report).toMatchObject({
      campaign_id: campaignId,
      open_holds: SHARE + AT_A_TIME,
      games: [
        { ...none, game_id: HOARDING, matches: SHARE, held_cents: SHARE * PRICE_CENTS },
        { ...none, game_id: HONEST, matches: AT_A_TIME, held_cents: AT_A_TIME * PRICE_CENTS },
      ],
    });
  },
  TIMEOUT_MS,
);

it(
  "an explanation may be requested 60 times a minute with a key that carries no limit",
  async () => {
    const { baseUrl } = stack.describe();
    const usual = apiClient(baseUrl, await runKeyCommand(dataDir, ["--label", "usual"]));
    const scene = { game_id: HONEST, user_id: "p", game_context: {} };
    const { headers } = await usual.request("POST", `/campaigns/${campaignId}/explain`, scene);
    expect([headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")]).toEqual(["60", "59"]);
  },
  TIMEOUT_MS,
);
