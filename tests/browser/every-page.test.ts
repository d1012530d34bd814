import { readFile } from "node:fs/promises";
import { createDatabase } from "@diegetic/database";
import { sliceWallet } from "@diegetic/management";
import { eventually } from "@diegetic/testing/eventually";
import { isLongForm, itInLongForm, rounds } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import { apiOf, PASSWORD } from "./account.fixture.ts";
import {
  answerOneByOne,
  type Dashboard,
  expectAccessibleInPassing,
  expectSoon,
  isFocused,
  layoutShift,
  type ObservedPage,
  openPage,
  SCHEMES,
  type Scheme,
  seriousViolations,
  startDashboard,
} from "./browser.fixture.ts";

const TIMEOUT_MS = 300_000;
const FIRST_START_MS = 300_000;
const GAME = "moonlit-keep-demo";
const DESK = { width: 1280, height: 720 };
const PHONE = { width: 390, height: 844 };
const READS = /\/api\//;
const isOfThePage = ({ pathname }: URL) => /^\/api\/(?!session)/.test(pathname);
/** Of a good page, by the field's threshold. */
const MAX_LAYOUT_SHIFT = 0.1;
const UNAVAILABLE = {
  status: 503,
  headers: { "Retry-After": "1" },
  contentType: "application/json",
  body: '{"detail":"Service temporarily unavailable; retry after 1 second."}',
};

/** Each page after one that links to it, where there is one. */
const PAGES = [
  ["/", "Spend, last 30 days"],
  ["/campaigns", "Emberroast in every tavern"],
  ["/campaigns/new", "Next: write what players will read."],
  ["/campaigns/:campaign", "Impressions and players per day"],
  ["/campaigns/:campaign/audience", "harbor-of-lanterns"],
  ["/campaigns/:campaign/targeting", "Blocklist"],
  ["/campaigns/:campaign/simulator", "Try one of these"],
  ["/campaigns/:campaign/explain", "Text of the scene"],
  ["/campaigns/:campaign/settings", "Save changes"],
  ["/campaigns/:campaign/lines", "Narrative hook"],
  ["/campaigns/:campaign/creatives/:creative", "In one player session"],
  ["/campaigns/:campaign/creatives/new", "Your line appears here."],
  ["/spend", "all rows together"],
  ["/money", "Every UTC day from"],
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
] as const;
const MISSING = [
  ["/no-such-page", "The map ends here."],
  ["/campaigns/camp_missing", "Nobody here knows this campaign."],
  ["/campaigns/camp_missing/creatives/new", "Nobody here knows this campaign."],
  ["/campaigns/camp_missing/creatives/crt_missing", "Nobody here knows this campaign."],
  ["/webhooks/wh_missing", "Nobody here knows this webhook."],
  ["/games/no-such-game", "Nobody here knows this game."],
  ["/games/..;", "Browsers cannot ask for “..”"],
] as const;

type OpenedPage = [path: string, landmark: string, schemes: Scheme[]];
type FailedPart = [path: string, failing: RegExp, part: string, landmark: RegExp];

describe("every page of an installation with demo data", () => {
  let dashboard: Dashboard;
  let view: ObservedPage;
  let campaign = "";
  let creative = "";
  let webhook = "";

  /** The addresses of the campaign's and other details are known only after the start. */
  const addressOf = (path: string) =>
    path.replace(":campaign", campaign).replace(":creative", creative).replace(":webhook", webhook);
  const open = async (path: string) => {
    await view.page.goto(`${dashboard.origin}${addressOf(path)}`);
    await view.page.getByRole("heading", { level: 1 }).first().waitFor();
  };
  /** A page of the first user who signs up: the demo's login is never the operator. */
  let operator: Page | undefined;
  const operatorPage = async () => {
    if (operator !== undefined) return operator;
    const { page } = await dashboard.newPage();
    const olga = { name: "Olga Keeper", email: "olga@keeper.example", password: PASSWORD };
    await apiOf(page.request, dashboard.origin)("/auth/sign-up", olga);
    operator = page;
    return page;
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
    const post = apiOf(view.page.request, dashboard.origin);
    await post("/auth/sign-in", { email, password });
    const { campaigns } = await read<{ campaigns: { campaign_id: string; impressions: number }[] }>(
      "/analytics/campaigns",
    );
    campaign = campaigns.toSorted((one, other) => other.impressions - one.impressions)[0]?.campaign_id ?? "";
    creative = (await read<{ id: string }[]>(`/campaigns/${campaign}/creatives`))[0]?.id ?? "";
    const endpoint = { url: "http://127.0.0.1:9/diegetic", events: ["campaign.exhausted"] };
    webhook = (await post("/webhooks", endpoint)).id;
  }, FIRST_START_MS);
  afterAll(() => dashboard?.stop(), TIMEOUT_MS);
  beforeEach(() => view.page.setViewportSize(DESK));

  it.each(
    [...PAGES, ...MISSING.slice(0, rounds(2, MISSING.length))].map(
      (page, index) => [...page, isLongForm ? SCHEMES : [SCHEMES[index % 2]]] as OpenedPage,
    ),
  )(
    "%s can be used by everybody",
    async (path, landmark, schemes) => {
      await openPage(view.page, `${dashboard.origin}${addressOf(path)}`);
      await view.page.getByText(landmark).first().waitFor();
      expect(await seriousViolations(view.page, schemes)).toEqual([]);
      expect(view.problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  itInLongForm.each([
    ["/", "Spend, last 30 days"],
    ["/campaigns", "Emberroast in every tavern"],
    ["/campaigns/:campaign", "Impressions and players per day"],
    ["/campaigns/:campaign/targeting", "Blocklist"],
    ["/games", GAME],
    [`/games/${GAME}`, "Calls over time"],
    ["/earnings", "Lantern Row Agency"],
    ["/money", "Every UTC day from"],
  ])(
    "%s does not move what it shows while the rest loads",
    async (path, landmark) => {
      const { page } = view;
      for (const size of [DESK, PHONE]) {
        await page.setViewportSize(size);
        const answers = await answerOneByOne(page, READS);
        await open(path);
        await page.getByText(landmark).first().waitFor();
        await expectSoon(answers.isQuiet, true);
        const { total, moved } = await layoutShift(page);
        await page.unroute(READS);
        expect([size.width, total < MAX_LAYOUT_SHIFT, moved]).toEqual([size.width, true, moved]);
      }
    },
    TIMEOUT_MS,
  );

  itInLongForm(
    "keeps still while it loads, for people who prefer reduced motion",
    async () => {
      const { page } = view;
      // Never answered.
      await page.route(isOfThePage, () => undefined);
      await open("/campaigns");
      await page.locator(".mantine-Skeleton-root").first().waitFor();
      const moving = await page.evaluate(
        "document.getAnimations().filter(({ effect }) => effect.getTiming().iterations === Infinity).length",
      );
      await page.unroute(isOfThePage);
      expect(moving).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    "begins a page that the keyboard opened at its heading, and leaves the focus on tabs and filters",
    async () => {
      const { page } = view;
      const focused = () => page.locator(":focus").textContent();
      await open("/campaigns");
      expect(await page.locator(":focus").count()).toBe(0);
      await page
        .getByRole("navigation", { name: "Main" })
        .getByRole("link", { name: "Games" })
        .press("Enter");
      // The link has the same name, and is what the keyboard left.
      await expectSoon(() => isFocused(page.getByRole("heading", { level: 1, name: "Games" })), true);
      expect(await page.getByRole("heading", { level: 1, name: "Games" }).count()).toBe(1);

      const row = page.getByRole("link", { name: GAME });
      await row.focus();
      // The row is the link: an outline of its words alone is not drawn where they are a block.
      await expectSoon(
        () => page.evaluate("getComputedStyle(document.activeElement, '::after').outlineStyle"),
        "solid",
      );
      await row.press("Enter");
      await expectSoon(focused, GAME);
      const tab = page.getByRole("link", { name: "Which words fit?" });
      await tab.press("Enter");
      await page.getByText("Words that this game sends").first().waitFor();
      expect(await focused()).toBe("Which words fit?");
      await expectAccessibleInPassing(page);

      await openPage(page, `${dashboard.origin}/campaigns`);
      const search = page.getByRole("textbox", { name: "Search campaigns" });
      await search.fill("Emberroast");
      await expectSoon(() => new URL(page.url()).searchParams.get("q"), "Emberroast");
      expect(await isFocused(search)).toBe(true);
    },
    TIMEOUT_MS,
  );

  itInLongForm(
    "marks rows of a former choice until those of the new one are there, and names them as what they are",
    async () => {
      const { page } = view;
      await open("/earnings");
      const table = page.getByRole("table", { name: "Earnings by game" });
      await table.getByText(GAME).waitFor();
      let answer = () => {};
      const isAsked = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const isNarrowed = ({ search }: URL) => search.includes("advertiser_id=");
      await page.route(isNarrowed, async (route) => {
        await isAsked;
        await route.continue();
      });
      await page.getByRole("combobox", { name: "Advertiser" }).click();
      await page.getByRole("option", { name: "Lantern Row Agency" }).click();
      const busy = page.locator('[aria-busy="true"]').filter({ has: table });
      await busy.first().waitFor();
      const payer = page.getByText("Paid by Lantern Row Agency.", { exact: true });
      expect(await payer.count()).toBe(0);
      answer();
      await payer.waitFor();
      await busy.first().waitFor({ state: "detached" });
      await page.unroute(isNarrowed);
    },
    TIMEOUT_MS,
  );

  itInLongForm.each([
    ["/campaigns", "Campaigns", "Spend"],
    ["/money", "Statement", "Charges"],
    ["/games", "Games", "Total earned"],
    [`/games/${GAME}/advertisers`, "Advertisers", "Earned"],
    ["/earnings", "Earnings by game", "In the period"],
    ["/earnings", "Earnings by game", "All time"],
    ["/earnings", "Earnings by advertiser", "In the period"],
    ["/system", "Accounts", "Balance"],
    ["/earnings", "Earnings by advertiser", "All time"],
  ])(
    "%s has in the CSV of %s what the page shows under %s, in dollars",
    async (path, label, header) => {
      const page = path === "/system" ? await operatorPage() : view.page;
      await page.goto(`${dashboard.origin}${path}`);
      const table = page.getByRole("table", { name: label });
      await table.getByRole("columnheader", { name: header, exact: true }).waitFor();
      const headers = await table.getByRole("columnheader").allTextContents();
      const shown = table.getByRole("row").nth(1).getByRole("cell").nth(headers.indexOf(header));
      await shown.filter({ hasText: /\$[\d,]+\.\d\d/ }).waitFor();
      const shownDollars = Number((await shown.textContent())?.replaceAll(/[^\d.]/g, ""));
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: `CSV of ${label}` }).click();
      const lines = (await readFile(await (await saved).path(), "utf8")).split("\r\n");
      const [names, firstRow] = lines.map(cellsOf);
      const column = names?.indexOf(`${header} (USD)`) ?? -1;
      expect([names, column]).not.toEqual([names, -1]);
      expect(Number(firstRow?.[column])).toBeCloseTo(shownDollars, 1);
    },
    TIMEOUT_MS,
  );

  itInLongForm(
    "says since when it could not read again what it shows, and calls nothing well meanwhile",
    async () => {
      const page = await operatorPage();
      await page.clock.install();
      await page.goto(`${dashboard.origin}/system`);
      const health = page.getByText("All well", { exact: true });
      await health.waitFor();
      const isSystem = ({ pathname }: URL) => pathname.endsWith("/api/system");
      await page.route(isSystem, (route) => route.fulfill(UNAVAILABLE));
      const notice = page.getByRole("status", { name: "Connection" });
      const stale = notice.getByText(/^Some of this was last read .+ and could not be read again\./);
      // It reads again every ten seconds.
      await expectSoon(async () => {
        await page.clock.runFor(1_000);
        return stale.count();
      }, 1);
      expect(await health.count()).toBe(0);
      await expectAccessibleInPassing(page);
      await page.unroute(isSystem);
      await notice.getByRole("button", { name: "Try again" }).click();
      await notice.getByText(/^Some of this/).waitFor({ state: "detached" });
      await health.waitFor();
    },
    TIMEOUT_MS,
  );

  itInLongForm(
    "shows the operator which wallets are divided, once one is",
    async () => {
      const page = await operatorPage();
      await page.goto(`${dashboard.origin}/system`);
      const contents = page.getByRole("table", { name: "Contents" });
      const count = contents.getByRole("row").filter({ hasText: "Divided wallets" }).getByRole("cell").last();
      await expectSoon(() => count.textContent(), "0");
      const wallets = page.getByRole("table", { name: "Divided wallets" });
      expect(await wallets.count()).toBe(0);
      const { id } = await read<{ id: string }>("/profile");
      const database = createDatabase(dashboard.stack.describe().databaseUrl, {
        poolSize: 1,
        applicationName: "test",
      });
      await sliceWallet(database, id, 4);
      await database.$disconnect();
      const isInForce = async () => {
        const system = await page.request.get(`${dashboard.origin}/api/system`);
        return (await system.json()).divided_wallets.listed[0]?.in_force === true;
      };
      await eventually(isInForce, { everyMs: 100 });
      await page.reload();
      await expectSoon(() => count.textContent(), "1");
      await wallets.getByRole("row").filter({ hasText: id }).filter({ hasText: "4In force" }).waitFor();
      await expectAccessibleInPassing(page);
    },
    TIMEOUT_MS,
  );

  it(
    "has counted what a campaign was matched in each game in the last day",
    async () => {
      const { games } = await read<{ games: { game_id: string; matches: number; impressions: number }[] }>(
        `/campaigns/${campaign}/analytics/games`,
      );
      const counted = games.filter(({ matches, impressions }) => matches > impressions && impressions > 0);
      expect(counted.map(({ game_id: id }) => id)).toContain(GAME);
    },
    TIMEOUT_MS,
  );

  itInLongForm(
    "lets rows be chosen on a phone",
    async () => {
      const { page } = view;
      await page.setViewportSize(PHONE);
      await open("/campaigns");
      const boxes = page.getByRole("checkbox", { name: /^Choose / });
      await boxes.first().check();
      const chosen = page.getByRole("region", { name: "Chosen rows" });
      await chosen.getByText("1 chosen", { exact: true }).waitFor();
      const rows = await boxes.count();
      await chosen.getByRole("button", { name: `Choose all ${rows}` }).click();
      await chosen.getByText(`${rows} chosen`, { exact: true }).waitFor();
      expect(await boxes.and(page.locator(":checked")).count()).toBe(rows);
      await expectAccessibleInPassing(page);
      // Another page that is opened by its address begins at its top, unless it was scrolled before.
      await page.evaluate("scrollTo(0, 400)");
      await open("/campaigns/new");
      await page.getByText("Next: write what players will read.").waitFor();
      expect(await page.evaluate("document.documentElement.scrollHeight - innerHeight")).toBeGreaterThan(400);
      expect(await page.evaluate("scrollY")).toBe(0);
    },
    TIMEOUT_MS,
  );

  itInLongForm.each([
    ["/campaigns/:campaign", "Spend and where it leads", "Who sees it?", "Countries"],
    [`/games/${GAME}`, "Calls over time", "Which words fit?", "Words that this game sends"],
  ] as [path: string, chart: string, next: string, landmark: string][])(
    "%s has its figures with their change, then its chart, then its tabs, which stay in place",
    async (path, chart, next, landmark) => {
      const { page } = view;
      const tabs = page.getByRole("navigation", { name: "Questions" });
      const change = page.getByText(/^[+−]?[\d.]+% week on week$/).first();
      const expectOrder = async () => {
        await change.waitFor();
        await page.getByRole("heading", { name: chart }).waitFor();
        // What a screen reader reads.
        const read = await page.getByRole("main").ariaSnapshot();
        const places = ["week on week", `heading "${chart}"`, 'navigation "Questions"'].map((text) =>
          read.indexOf(text),
        );
        expect(places).not.toContain(-1);
        expect(places).toEqual(places.toSorted((one, other) => one - other));
      };
      await open(path);
      await expectOrder();
      const tab = tabs.getByRole("link", { name: next });
      await tab.scrollIntoViewIfNeeded();
      const before = await tabs.boundingBox();
      await tab.click();
      await page.getByText(landmark).first().waitFor();
      await expectOrder();
      expect(await tabs.boundingBox()).toEqual(before);
    },
    TIMEOUT_MS,
  );

  it.each(
    (
      [
        ["/campaigns/:campaign", 7, "Is it pacing?", "Who sees it?", "audience", "Countries"],
        [`/games/${GAME}`, 5, "Is it working?", "Which words fit?", "words", "Words that this game sends"],
      ] as const
    ).slice(rounds(1, 0)),
  )(
    "%s has all its %d tabs on a phone, by the keyboard alone",
    async (path, count, first, next, address, landmark) => {
      const { page, problems } = view;
      await page.setViewportSize(PHONE);
      await open(path);
      const questions = page.getByRole("navigation", { name: "Questions" });
      await questions.getByRole("button", { name: first }).press("Enter");
      const items = page.getByRole("menuitem");
      await items.first().waitFor();
      expect(await items.count()).toBe(count);
      expect(await items.first().getAttribute("aria-current")).toBe("page");
      await expectAccessibleInPassing(page);
      await page.keyboard.press("Escape");
      await items.first().waitFor({ state: "detached" });
      await questions.getByRole("button", { name: first }).press("Enter");
      await items.first().waitFor();
      await expectSoon(async () => {
        const isReached = await isFocused(page.getByRole("menuitem", { name: next }));
        if (!isReached) await page.keyboard.press("ArrowDown");
        return isReached;
      }, true);
      await page.keyboard.press("Enter");
      await page.getByText(landmark).first().waitFor();
      await questions.getByRole("button", { name: next }).waitFor();
      expect(new URL(page.url()).pathname.endsWith(`/${address}`)).toBe(true);
      await expectAccessibleInPassing(page);
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  itInLongForm(
    "says beside its bar what a campaign spent and what was planned by now",
    async () => {
      const { page } = view;
      const amounts = /^\$[\d.]+ of \$90\.00 spent; planned by now: \$[\d.]+$/;
      await open("/campaigns");
      await page
        .getByRole("row", { name: /Nightweave/ })
        .getByText(amounts)
        .waitFor();
      const unplanned = page.getByRole("row", { name: /Emberroast/ });
      await unplanned.getByText(/^\$[\d.]+ of \$600\.00 spent$/).waitFor();

      await page.setViewportSize(PHONE);
      const campaigns = page.getByRole("list", { name: "Campaigns" });
      const phoneRow = campaigns.getByRole("listitem").filter({ hasText: "Nightweave" });
      await phoneRow.getByText("More about Nightweave").click();
      await phoneRow.getByText(amounts).waitFor();
      await expectAccessibleInPassing(page);

      // Closed, the navigation is not only out of sight: the keyboard and screen readers pass over it.
      const canFocusNavigation = async () => {
        const link = page.locator('nav[aria-label="Main"] li a').first();
        await link.focus();
        return isFocused(link);
      };
      expect(await canFocusNavigation()).toBe(false);
      // The narrowest window that always shows it.
      await page.setViewportSize({ width: 768, height: 1_024 });
      await eventually(canFocusNavigation);
      await page.setViewportSize(PHONE);
      const burger = page.getByRole("button", { name: "Navigation" });
      await burger.click();
      await eventually(canFocusNavigation);
      // Open, it covers the page, which the keyboard passes over.
      expect(await page.locator("main").getAttribute("inert")).not.toBe(null);
      await page.keyboard.press("Escape");
      await expectSoon(canFocusNavigation, false);
      expect(await isFocused(burger)).toBe(true);
      await burger.click();
      await page.getByRole("link", { name: "Campaigns", exact: true }).click();
      await expectSoon(() => burger.getAttribute("aria-expanded"), "false");
      await phoneRow.click({ trial: true });
    },
    TIMEOUT_MS,
  );

  itInLongForm(
    "shows the API reference on a desk and on a phone, with an operation and the form for keys open",
    async () => {
      const { page, problems } = await dashboard.newPage();
      const excess = () =>
        page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await page.goto(`${dashboard.origin}/docs`);
        await page.getByText("Every path starts with /api").waitFor();
        await expectAccessibleInPassing(page);
        await page.getByRole("button", { name: /Find the best ad for a scene/ }).click();
        await page.getByRole("button", { name: "Try it out" }).click();
        await page.getByRole("textbox", { name: "Request body" }).waitFor();
        expect(await excess()).toBe(0);
        await page.getByRole("button", { name: "Authorize" }).first().click();
        await page.getByRole("heading", { name: "Available authorizations" }).waitFor();
        await expectAccessibleInPassing(page);
        expect(await excess()).toBe(0);
        expect(await page.getByRole("link", { name: "Dashboard" }).getAttribute("href")).toBe("/");
        await page.goto("about:blank");
      }
      expect(problems.filter((problem) => !problem.endsWith("about:blank"))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "explains a recent scene without an ad rule by rule, and finds the scene again in the address",
    async () => {
      const { page, problems } = view;
      const game = page.getByRole("combobox", { name: "Game" });
      const explanation = page.getByRole("region", { name: "Explanation" });
      await open("/campaigns/:campaign/explain");
      await page.getByRole("combobox", { name: /^A recent scene without an ad/ }).click();
      await page.getByRole("option").last().click();
      await expectSoon(() => new URL(page.url()).searchParams.has("game"), true);
      await page.getByRole("button", { name: "Explain", exact: true }).click();
      await explanation.getByText(/^\d+ rules pass$/).click();
      for (const group of ["The campaign", "The game", "Targeting", "Money", "Caps"]) {
        await explanation.getByRole("heading", { name: group, exact: true }).waitFor();
      }
      const rules = explanation.getByRole("listitem");
      const marks = rules.getByRole("img", { name: /^(Passed|Failed)$/ });
      await rules
        .filter({ hasText: /^Status \(code 101\)/ })
        .getByRole("img", { name: "Passed" })
        .waitFor();
      expect(await marks.count()).toBe(await rules.count());
      await expectAccessibleInPassing(page);

      const address = page.url();
      const explained = await game.inputValue();
      await page.reload();
      await expectSoon(() => game.inputValue(), explained);
      await explanation.getByText(/^\d+ rules pass$/).waitFor();
      expect(page.url()).toBe(address);
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  itInLongForm(
    "explains a typed scene with the campaign's rank against the best other one",
    async () => {
      const { page, problems } = view;
      await open("/campaigns/:campaign/explain?location=tavern");
      await page.getByRole("combobox", { name: "Game" }).fill(GAME);
      await page.getByRole("textbox", { name: "Text of the scene" }).fill("Rain drums on the roof.");
      await page.getByRole("button", { name: "Explain", exact: true }).click();
      const explanation = page.getByRole("region", { name: "Explanation" });
      await explanation.getByRole("note", { name: "The campaign would be served in this scene." }).waitFor();
      await explanation.getByText("Best other campaign's rank").waitFor();
      const { searchParams } = new URL(page.url());
      expect(Object.fromEntries(searchParams)).toMatchObject({
        location: "tavern",
        narrative: "Rain drums on the roof.",
      });
      await expectAccessibleInPassing(page);
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "tells a story whose line is matched, seen and paid for while it is played",
    async () => {
      const { page, problems } = await dashboard.newPage();
      const held = page.getByRole("region", { name: "Ledger" }).getByText(/^Held for open matches./);
      const isHolding = held.filter({ hasText: /[1-9]/ });
      let impressions = 0;
      // An impression is sent only when the panel has shown what its match holds.
      await page.route(/\/impressions$/, async (route) => {
        impressions += 1;
        await isHolding.waitFor();
        await route.continue();
      });
      await page.route(/\/match$/, async (route) => {
        const response = await route.fetch();
        if (response.status() !== 200) return route.fulfill({ response });
        const ad = await response.json();
        const unknown = { lighting: "ultraviolet", location: "the far side of a mirror" };
        const json = { ...ad, biased_pipeline: { ...ad.biased_pipeline, ...unknown } };
        return route.fulfill({ response, json });
      });
      await page.clock.install();
      await page.goto(`${dashboard.origin}/sign-in`);
      await page.getByRole("link", { name: "Play the demo game" }).click();
      await held.filter({ hasNotText: /[1-9]/ }).waitFor();
      // The narrowest phone shows the links of the head in one row.
      await page.setViewportSize({ width: 320, height: DESK.height });
      const topOf = async (link: string) => (await page.getByRole("link", { name: link }).boundingBox())?.y;
      await expectSoon(async () => (await topOf("API reference")) === (await topOf("Dashboard")), true);
      await page.setViewportSize(DESK);
      await page.getByRole("button", { name: "Begin the story" }).click();
      const progress = page.getByRole("region", { name: "The ad of this scene" });
      const startOver = page.getByRole("button", { name: "Start over as another player" });
      // A machine that stands still for seconds refuses calls or loses their answers; a player begins again.
      await eventually(async () => {
        const said = await progress.textContent();
        if (/The call failed: .*(no answer|unavailable|Too many|took too long)/.test(said ?? ""))
          await startOver.click();
        expect(said).toMatch(/The line was in view|No ad for this scene/);
        return true;
      });

      // A line below the fold is not seen, however long it stands there.
      await page.setViewportSize({ width: DESK.width, height: 240 });
      await page.evaluate("scrollTo(0, 0)");
      const sent = impressions;
      await page.getByRole("button", { name: "Follow the light to the tavern" }).dispatchEvent("click");
      await page.getByText(/is held until the line has been seen/).waitFor();
      await page.clock.runFor(10_000);
      expect(impressions).toBe(sent);
      await page.setViewportSize(DESK);
      await page.getByRole("button", { name: "Walk up to the keep" }).waitFor();
      await page
        .getByText(/^POST .*match$/)
        .first()
        .waitFor();
      await page.getByText(/The line was in view\. .* paid/).waitFor();
      await held.filter({ hasNotText: /[1-9]/ }).waitFor();
      await page.getByText("Lighting: ultraviolet (not drawn)").waitFor();
      await page.getByText("Location: the far side of a mirror (not drawn)").waitFor();
      await expectAccessibleInPassing(page);
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  itInLongForm.each([
    ["/", /\/analytics\/campaigns$/, "What needs attention could not be loaded.", /^yesterday [\d,]+$/],
    ["/money", /\/deposits$/, "Deposits could not be loaded.", /^for new matches$/],
    [
      "/match-tester",
      /\/no-match-scenes$/,
      "The recent scenes could not be loaded.",
      /^And then the innkeeper said …$/,
    ],
    ["/members", /\/invitations$/, "Open invitations could not be loaded.", /^demo@example\.com$/],
    // Read again every few seconds once it was there: a failure must not give way to a skeleton each time.
    [`/games/${GAME}`, /\/traffic$/, "The traffic could not be loaded.", /^Which words fit\?$/],
  ] as FailedPart[])(
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

  itInLongForm.each([
    ["/money", /\/ledger$/, "Free balance", /^\$220\.00$/],
    ["/money", /\/profile$/, "Earlier years", /^for new matches$/],
    ["/spend", /\/analytics\/spend$/, "Spend", /^One row for each$/],
    ["/campaigns/:campaign/explain", /\/no-match-scenes$/, "Recent scenes", /^Text of the scene$/],
    ["/spend", /\/analytics\/campaigns$/, "Campaigns", /^all rows together$/],
    ["/campaigns/:campaign/targeting", /\/analytics\/pacing$/, "State", /^Blocklist$/],
  ] as FailedPart[])(
    "%s reads again what failed at %p where it is missing: %s",
    async (path, failing, part, landmark) => {
      const { page } = view;
      const isFailing = ({ pathname }: URL) => failing.test(pathname);
      await page.route(isFailing, (route) => route.fulfill(UNAVAILABLE));
      await open(path);
      const again = page.getByRole("button", { name: `Try again: ${part}`, exact: true });
      await again.waitFor();
      await page.getByText(landmark).first().waitFor();
      await page.unroute(isFailing);
      await again.click();
      await again.waitFor({ state: "detached" });
    },
    TIMEOUT_MS,
  );

  it.each(["/campaigns/:campaign", `/games/${GAME}`, "/", "/campaigns", "/keys"].slice(0, rounds(1, 5)))(
    "%s says what failed, and shows it once the service answers again",
    async (path) => {
      const { page } = view;
      await page.route(isOfThePage, (route) => route.fulfill(UNAVAILABLE));
      await open(path);
      const failures = page.getByRole("alert").filter({ hasText: "could not be loaded" });
      await failures.first().getByText("Service temporarily unavailable").waitFor();
      await expectAccessibleInPassing(page);
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

function cellsOf(line: string): string[] {
  return line.match(/(?<=^|,)(?:"[^"]*"|[^,]*)/g) ?? [];
}
