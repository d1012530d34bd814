/**
 * `npm run look [-- --state data,empty,failing,partly,offline] [--view 1440-light,…] [--page NAME,…] [--at ADDRESS EMAIL PASSWORD]`: takes every
 * page of the dashboard, with data, empty, while the API or only its figures fail, and offline, at two widths and in both colour schemes, into .look/, and one sheet of
 * them for each state and view. Without --at, uses a temporary demo installation; with it, one that has WEBHOOK_ADDRESSES=any.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { launchChromium, SCENE, signIn, startDemo } from "./lib/demo-installation.mjs";
import { root, runMain, say, setUp } from "./lib/setup.mjs";

const OUT = join(root, ".look");
const STATES = ["data", "empty", "failing", "partly", "offline"];
const VIEWS = ["1440-light", "1440-dark", "390-light", "390-dark"];
const HEIGHTS = { 1440: 900, 390: 844 };
const SHEET_WIDTH = 1_500;
const SHEET_COLUMNS = { 1440: 2, 390: 6 };
const PAGES_PER_SHEET = { 1440: 6, 390: 12 };
const MAX_SHEET_FIGURE_HEIGHT = 1_500;
const SETTLE_MS = 400;
const IDLE_MS = 3_000;
/** Two more attempts of a read, 0.5 s and 1 s apart. */
const RETRIES_MS = 2_500;

const OPERATOR = {
  name: "Olive Keeper",
  email: "olive@keeper.example",
  password: "a quiet night in the tower",
};
/** Has a draft and a game, and no traffic. */
const BEGINNER = { name: "Ben Early", email: "ben@early.example", password: "a first lantern lit at dusk" };
/** Nobody listens there: the deliveries of the webhook show attempts. */
const WEBHOOK = { url: "http://127.0.0.1:9/diegetic", events: ["campaign.exhausted", "balance.low"] };
const BEGINNER_GAME = "early-lantern";

const click =
  (name, role = "button") =>
  async (page) => {
    await page.getByRole(role, { name }).first().click();
  };
/** On a phone the actions of a row stand behind its "More". */
const clickInRow = (name) => async (page) => {
  const more = page.locator("summary", { hasText: /^More about / }).first();
  await more.or(page.getByRole("button", { name })).first().waitFor();
  if (await more.isVisible()) await more.click();
  await click(name)(page);
};
const steps =
  (...all) =>
  async (page) => {
    for (const step of all) await step(page);
  };
const fill = (label, text) => (page) => page.getByLabel(label, { exact: true }).first().fill(text);
const inDialog = (name) => (page) => page.getByRole("dialog").getByRole("button", { name }).click();

/** Per page: its path, from the ids of the demo account, and what is done before the picture of the state with data. */
const PAGES = [
  { name: "sign-in", path: () => "/sign-in", isPublic: true },
  { name: "sign-in-empty-fields", path: () => "/sign-in", isPublic: true, prepare: click("Sign in") },
  { name: "sign-up", path: () => "/sign-up", isPublic: true },
  { name: "join", path: () => "/join#cut", isPublic: true },
  { name: "overview", path: () => "/" },
  { name: "campaigns", path: () => "/campaigns" },
  {
    name: "campaigns-chosen",
    path: () => "/campaigns",
    prepare: (page) => page.getByRole("checkbox").nth(1).click(),
  },
  { name: "campaign-new", path: () => "/campaigns/new" },
  { name: "pacing", path: ({ campaign }) => `/campaigns/${campaign}` },
  { name: "audience", path: ({ campaign }) => `/campaigns/${campaign}/audience` },
  { name: "lines", path: ({ campaign }) => `/campaigns/${campaign}/lines` },
  { name: "targeting", path: ({ campaign }) => `/campaigns/${campaign}/targeting` },
  { name: "simulator", path: ({ campaign }) => `/campaigns/${campaign}/simulator` },
  { name: "explain", path: ({ campaign }) => `/campaigns/${campaign}/explain` },
  {
    name: "explained",
    path: ({ campaign }) => `/campaigns/${campaign}/explain`,
    prepare: click("Explain"),
  },
  { name: "campaign-settings", path: ({ campaign }) => `/campaigns/${campaign}/settings` },
  {
    name: "campaign-pause",
    path: ({ campaign }) => `/campaigns/${campaign}`,
    prepare: click("Pause campaign"),
  },
  { name: "creative-new", path: ({ campaign }) => `/campaigns/${campaign}/creatives/new` },
  { name: "creative", path: ({ campaign, creative }) => `/campaigns/${campaign}/creatives/${creative}` },
  { name: "spend", path: () => "/spend" },
  { name: "money", path: () => "/money" },
  { name: "deposit", path: () => "/money", prepare: click("Deposit") },
  { name: "games", path: () => "/games" },
  { name: "health", path: ({ game }) => `/games/${game}` },
  { name: "reasons", path: ({ game }) => `/games/${game}/reasons` },
  { name: "words", path: ({ game }) => `/games/${game}/words` },
  { name: "advertisers", path: ({ game }) => `/games/${game}/advertisers` },
  { name: "game-settings", path: ({ game }) => `/games/${game}/settings` },
  { name: "match-tester", path: () => `/match-tester?${SCENE}` },
  {
    name: "match-tested",
    path: () => `/match-tester?${SCENE}`,
    prepare: steps(click("Ask for an ad"), (page) =>
      page.getByRole("button", { name: /^Record impression/ }).waitFor(),
    ),
  },
  { name: "earnings", path: () => "/earnings" },
  { name: "snippets", path: () => "/snippets" },
  { name: "keys", path: () => "/keys" },
  { name: "key-create", path: () => "/keys", prepare: click("Create key") },
  {
    name: "key-created",
    path: () => "/keys",
    prepare: steps(click("Create key"), fill("Label", "Game server EU"), inDialog("Create key"), (page) =>
      page.getByText("shown once").waitFor(),
    ),
  },
  { name: "key-rotate", path: () => "/keys", prepare: clickInRow(/^Rotate/) },
  { name: "key-revoke", path: () => "/keys", prepare: clickInRow(/^Revoke/) },
  { name: "webhooks", path: () => "/webhooks" },
  { name: "webhook-create", path: () => "/webhooks", prepare: click("Create webhook") },
  { name: "webhook", path: ({ webhook }) => `/webhooks/${webhook}` },
  { name: "delivery", path: ({ webhook }) => `/webhooks/${webhook}`, prepare: clickInRow(/^Details/) },
  { name: "members", path: () => "/members" },
  { name: "member-invite", path: () => "/members", prepare: click("Invite member") },
  { name: "account", path: () => "/account" },
  { name: "system", path: () => "/system", isForOperator: true },
  { name: "not-found", path: () => "/no-such-page" },
  { name: "no-campaign", path: () => "/campaigns/camp_missing" },
  { name: "no-game", path: () => "/games/no-such-game" },
  { name: "play", path: () => "/play", isPublic: true },
  { name: "reference", path: () => "/docs", isPublic: true },
  {
    name: "reference-operation",
    path: () => "/docs",
    isPublic: true,
    prepare: steps(click(/Find the best ad for a scene/), click("Try it out")),
  },
  {
    name: "playing",
    path: () => "/play",
    isPublic: true,
    prepare: steps(click("Begin the story"), click("Follow the light to the tavern"), (page) =>
      page.getByText(/^POST .*impressions$/).waitFor(),
    ),
  },
];

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    state: { type: "string", default: STATES.join() },
    view: { type: "string", default: VIEWS.join() },
    page: { type: "string" },
    at: { type: "string" },
  },
});

/** One session for each user and view: the limits hold for each session. */
const contexts = new Map();

await runMain(async () => {
  if (options.at === undefined) await setUp();
  const [email, password] = positionals;
  const stack =
    options.at === undefined ? await startForPictures() : { address: options.at, email, password };
  const browser = await launchChromium();
  try {
    await takeAll(browser, stack);
  } finally {
    await browser.close();
    await stack.stop?.();
  }
});

function startForPictures() {
  const limits = ["MANAGEMENT", "ANALYTICS", "EXPLAIN", "SIGN_IN"].map((name) => [
    `RATE_LIMIT_${name}`,
    "unlimited",
  ]);
  return startDemo({ ...Object.fromEntries(limits), WEBHOOK_ADDRESSES: "any" });
}

async function takeAll(browser, { address, email, password }) {
  const { origin } = new URL(address);
  const demo = { email, password };
  await withApi(browser, origin, undefined, (api) => signUp(api, OPERATOR));
  await withApi(browser, origin, undefined, (api) => signUp(api, BEGINNER));
  const idsOfDemo = await withApi(browser, origin, demo, prepareDemo);
  const idsOfBeginner = await withApi(browser, origin, BEGINNER, prepareBeginner);
  const names = options.page?.split(",");
  const wanted = PAGES.filter(({ name }) => names?.includes(name) ?? true);
  for (const state of options.state.split(",")) {
    for (const view of options.view.split(",")) {
      const shots = [];
      for (const page of wanted) {
        if (state !== "data" && page.prepare !== undefined) continue;
        // A page of one campaign or game can only be empty where there is one.
        const empty = page.path.length > 0 ? BEGINNER : OPERATOR;
        const user = page.isForOperator ? OPERATOR : state === "empty" ? empty : demo;
        const ids = user === BEGINNER ? idsOfBeginner : idsOfDemo;
        shots.push(await take(browser, { origin, page, state, view, user, ids }));
      }
      await writeSheets(browser, shots, `${state}-${view}`);
    }
  }
}

/** Works with the API in a session of the user. */
async function withApi(browser, origin, user, work) {
  const context = await browser.newContext();
  if (user !== undefined) await signIn(context, origin, user);
  try {
    return await work(async (method, path, data) => {
      const headers = { origin };
      const response = await context.request.fetch(`${origin}/api${path}`, { method, data, headers });
      if (!response.ok()) throw new Error(`${method} ${path}: ${await response.text()}`);
      return response.json();
    });
  } finally {
    await context.close();
  }
}

/** A new user, unless a former run has made it; the first one is the operator. */
async function signUp(api, user) {
  try {
    await api("POST", "/auth/sign-up", user);
  } catch {
    await api("POST", "/auth/sign-in", user);
  }
}

/** What the demo account does not have by itself: a webhook with deliveries. */
async function prepareDemo(api) {
  const [known] = await api("GET", "/webhooks");
  const webhook = known ?? (await api("POST", "/webhooks", WEBHOOK));
  if (known === undefined) await api("POST", `/webhooks/${webhook.id}/test`);
  const { campaigns } = await api("GET", "/analytics/campaigns");
  const { campaign_id: campaign } = campaigns.toSorted(
    (one, other) => other.impressions - one.impressions,
  )[0];
  const [{ id: creative }] = await api("GET", `/campaigns/${campaign}/creatives`);
  return { campaign, creative, webhook: webhook.id, game: "demo-game" };
}

async function prepareBeginner(api) {
  const [known] = await api("GET", "/webhooks");
  if (known === undefined) {
    await api("POST", "/register", { company_name: BEGINNER.name, contact_email: BEGINNER.email });
    await api("POST", "/campaigns", { name: "First campaign", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    await api("POST", `/placements/${BEGINNER_GAME}`, {
      creator_id: "studio",
      placement_types: ["narrative_hook"],
    });
  }
  const webhook = known ?? (await api("POST", "/webhooks", WEBHOOK));
  const [{ id: campaign }] = await api("GET", "/campaigns");
  return { campaign, creative: "crt_missing", webhook: webhook.id, game: BEGINNER_GAME };
}

async function contextOf(browser, { origin, view, user, isPublic }) {
  const key = `${view} ${isPublic ? "" : user.email}`;
  const known = contexts.get(key);
  if (known !== undefined) return known;
  const [width, colorScheme] = view.split("-");
  const context = await browser.newContext({
    viewport: { width: Number(width), height: HEIGHTS[width] },
    colorScheme,
    locale: "en-US",
    reducedMotion: "reduce",
  });
  if (!isPublic) await signIn(context, origin, user);
  contexts.set(key, context);
  return context;
}

async function take(browser, { origin, page: { name, path, prepare, isPublic }, state, view, user, ids }) {
  const context = await contextOf(browser, { origin, view, user, isPublic });
  const page = await context.newPage();
  page.setDefaultTimeout(8_000);
  const label = `${name} ${state} ${view}`;
  page.on("pageerror", (error) => say(`${label}: ${error}`));
  const fails = ["failing", "partly", "offline"].includes(state);
  if (fails) await page.route(state === "partly" ? isFigures : isOfThePage, (route) => refuse(route, state));
  await page.goto(`${origin}${path(ids)}`);
  // Pages that ask again every few seconds are never idle for long.
  await page.waitForLoadState("networkidle", { timeout: IDLE_MS }).catch(() => {});
  if (fails) await page.waitForTimeout(RETRIES_MS);
  if (state === "data") await prepare?.(page).catch((error) => say(`${label}: ${error.message}`));
  await page.waitForTimeout(SETTLE_MS);
  const excess = await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  if (excess > 0) say(`${label}: wider than the window by ${excess}`);
  mkdirSync(OUT, { recursive: true });
  const file = join(OUT, `${label.replaceAll(" ", "-")}.png`);
  await page.evaluate("scrollTo(0, 0)");
  // A full page would move an open dialog out of the picture.
  const hasDialog = (await page.getByRole("dialog").count()) > 0;
  await page.screenshot({ path: file, fullPage: !hasDialog });
  await page.close();
  return { file, label };
}

/** The session itself stays: without it no page can be shown at all. */
function isOfThePage({ pathname }) {
  return pathname.startsWith("/api/") && !/^\/api\/(session|auth\/sign)/.test(pathname);
}

/** What a page shows, without what it is about. */
function isFigures({ pathname }) {
  return /^\/api\/.*(analytics|traffic|stats|ledger|earnings|revenue|words|scenes)/.test(pathname);
}

function refuse(route, state) {
  if (state === "offline") return route.abort();
  return route.fulfill({
    status: 503,
    headers: { "Retry-After": "1" },
    contentType: "application/json",
    body: '{"detail":"Service temporarily unavailable; retry after 1 second."}',
  });
}

async function writeSheets(browser, shots, name) {
  const width = Number(name.split("-").at(1));
  const size = PAGES_PER_SHEET[width];
  for (let from = 0; from < shots.length; from += size) {
    const figures = shots.slice(from, from + size).map(({ file, label }) => {
      const source = `data:image/png;base64,${readFileSync(file).toString("base64")}`;
      return `<figure><figcaption>${label}</figcaption><div><img src="${source}"></div></figure>`;
    });
    const page = await browser.newPage({ viewport: { width: SHEET_WIDTH, height: 800 } });
    await page.setContent(`<style>
      body { margin: 8px; background: #888; font: 12px sans-serif; display: grid; gap: 8px; align-items: start;
        grid-template-columns: repeat(${SHEET_COLUMNS[width]}, 1fr) }
      figure { margin: 0 } figcaption { background: #fff } img { width: 100%; display: block }
      div { max-height: ${MAX_SHEET_FIGURE_HEIGHT}px; overflow: hidden }</style>${figures.join("")}`);
    const file = join(OUT, `sheet-${name}-${from / size + 1}.png`);
    await page.screenshot({ path: file, fullPage: true });
    await page.close();
    say(relative(root, file));
  }
}
