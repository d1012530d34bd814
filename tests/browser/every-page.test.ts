import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Dashboard, type ObservedPage, seriousViolations, startDashboard } from "./browser.fixture.ts";

const TIMEOUT_MS = 300_000;
const FIRST_START_MS = 300_000;
const GAME = "moonlit-keep-demo";
const UNAVAILABLE = {
  status: 503,
  headers: { "Retry-After": "1" },
  contentType: "application/json",
  body: '{"detail":"Service temporarily unavailable; retry after 1 second."}',
};

describe("every page of an installation with demo data", () => {
  let dashboard: Dashboard;
  let view: ObservedPage;
  let campaign = "";
  let creative = "";
  let webhook = "";

  /** The addresses of the campaign's and other details are known only after the start. */
  const open = async (path: string) => {
    const address = path
      .replace(":campaign", campaign)
      .replace(":creative", creative)
      .replace(":webhook", webhook);
    await view.page.goto(`${dashboard.origin}${address}`);
    await view.page.getByRole("heading", { level: 1 }).first().waitFor();
  };
  const read = async <Answer>(path: string): Promise<Answer> => {
    const response = await view.page.request.get(`${dashboard.origin}/api${path}`);
    return (await response.json()) as Answer;
  };

  beforeAll(async () => {
    dashboard = await startDashboard({
      DEMO: "1",
      WEBHOOK_ADDRESSES: "any",
    });
    view = await dashboard.newPage();
    const [, email, password] = /Demo login\s+(\S+)\s+(\S+)/.exec(dashboard.stack.output()) ?? [];
    const headers = { origin: dashboard.origin };
    await view.page.request.post(`${dashboard.origin}/api/auth/sign-in`, {
      headers,
      data: { email, password },
    });
    const { campaigns } = await read<{ campaigns: { campaign_id: string; impressions: number }[] }>(
      "/analytics/campaigns",
    );
    campaign = campaigns.toSorted((one, other) => other.impressions - one.impressions)[0]?.campaign_id ?? "";
    creative = (await read<{ id: string }[]>(`/campaigns/${campaign}/creatives`))[0]?.id ?? "";
    const created = await view.page.request.post(`${dashboard.origin}/api/webhooks`, {
      headers,
      data: { url: "http://127.0.0.1:9/diegetic", events: ["campaign.exhausted"] },
    });
    webhook = ((await created.json()) as { id: string }).id;
  }, FIRST_START_MS);
  afterAll(() => dashboard?.stop(), TIMEOUT_MS);

  it.each([
    ["/", "Spend, last 30 days"],
    ["/campaigns", "Emberroast in every tavern"],
    ["/campaigns/new", "Next: write what players will read."],
    ["/campaigns/:campaign", "Impressions and players per day"],
    ["/campaigns/:campaign/audience", "harbor-of-lanterns"],
    ["/campaigns/:campaign/lines", "Narrative hook"],
    ["/campaigns/:campaign/targeting", "Blocklist"],
    ["/campaigns/:campaign/simulator", "Try one of these"],
    ["/campaigns/:campaign/explain", "Text of the scene"],
    ["/campaigns/:campaign/settings", "Save changes"],
    ["/campaigns/:campaign/creatives/new", "Your line appears here."],
    ["/campaigns/:campaign/creatives/:creative", "In one player session"],
    ["/spend", "all rows together"],
    ["/money", "Every UTC day of the last 90"],
    ["/games", GAME],
    [`/games/${GAME}`, "Calls over time"],
    [`/games/${GAME}/reasons`, "What helps"],
    [`/games/${GAME}/words`, "Words that this game sends"],
    [`/games/${GAME}/advertisers`, "Lantern Row Agency"],
    [`/games/${GAME}/settings`, "Blocked categories"],
    ["/match-tester", "And then the innkeeper said …"],
    ["/earnings", "Lantern Row Agency"],
    ["/snippets", "Watch it arrive"],
    ["/keys", "Demo game"],
    ["/webhooks", "Campaign exhausted"],
    ["/webhooks/:webhook", "No raven has flown yet."],
    ["/members", "demo@example.com"],
    ["/account", "This browser"],
    ["/no-such-page", "The map ends here."],
    ["/campaigns/camp_missing", "Nobody here knows this campaign."],
    ["/campaigns/camp_missing/creatives/new", "Nobody here knows this campaign."],
    ["/campaigns/camp_missing/creatives/crt_missing", "Nobody here knows this campaign."],
    ["/webhooks/wh_missing", "Nobody here knows this webhook."],
    ["/games/no-such-game", "Nobody here knows this game."],
  ])(
    "%s can be used by everybody",
    async (path, landmark) => {
      await open(path);
      await view.page.getByText(landmark).first().waitFor();
      expect(await seriousViolations(view.page)).toEqual([]);
      expect(view.problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "tells a story whose line is matched, seen and paid for while it is played",
    async () => {
      const { page, problems } = await dashboard.newPage();
      await page.goto(`${dashboard.origin}/sign-in`);
      await page.getByRole("link", { name: "Play the demo game" }).click();
      await page.getByRole("button", { name: "Begin the story" }).click();
      await page.getByRole("button", { name: "Follow the light to the tavern" }).click();
      await page.getByRole("button", { name: "Walk up to the keep" }).waitFor();
      await page
        .getByText(/^POST .*match$/)
        .first()
        .waitFor();
      await page.getByText(/The line was in view\. .* paid/).waitFor();
      expect(await seriousViolations(page)).toEqual([]);
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it.each<[string, RegExp, string, RegExp]>([
    ["/", /\/analytics\/campaigns$/, "What needs attention could not be loaded.", /^yesterday [\d,]+$/],
    ["/money", /\/deposits$/, "Deposits could not be loaded.", /^free for new matches$/],
    ["/members", /\/invitations$/, "Open invitations could not be loaded.", /^demo@example\.com$/],
  ])(
    "%s shows what was loaded beside what failed",
    async (path, failing, failure, landmark) => {
      const { page } = view;
      const isFailing = ({ pathname }: URL) => failing.test(pathname);
      await page.route(isFailing, (route) => route.fulfill(UNAVAILABLE));
      await open(path);
      const alert = page.getByRole("alert").filter({ hasText: failure });
      await alert.getByText("Service temporarily unavailable").waitFor();
      await page.getByText(landmark).first().waitFor();
      await page.unroute(isFailing);
      await alert.getByRole("button", { name: "Try again" }).click();
      await alert.waitFor({ state: "detached" });
    },
    TIMEOUT_MS,
  );

  it.each(["/", "/campaigns", "/campaigns/:campaign", `/games/${GAME}`, "/keys"])(
    "%s says what failed, and shows it once the service answers again",
    async (path) => {
      const { page } = view;
      const isOfThePage = ({ pathname }: URL) => /^\/api\/(?!session)/.test(pathname);
      await page.route(isOfThePage, (route) => route.fulfill(UNAVAILABLE));
      await open(path);
      const failures = page.getByRole("alert").filter({ hasText: "could not be loaded" });
      await failures.first().getByText("Service temporarily unavailable").waitFor();
      expect(await seriousViolations(page)).toEqual([]);
      await page.unroute(isOfThePage);
      await eventually(
        async () => {
          if ((await failures.count()) === 0) return true;
          await failures.first().getByRole("button", { name: "Try again" }).click({ timeout: 5_000 });
          return false;
        },
        { timeoutMs: 120_000 },
      );
      await page
        .getByText(GAME)
        .or(page.getByText("Emberroast"))
        .or(page.getByText("Demo game"))
        .first()
        .waitFor();
    },
    TIMEOUT_MS,
  );
});
