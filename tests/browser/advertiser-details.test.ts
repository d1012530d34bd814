import { describeInLongForm } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Locator, Route } from "playwright-core";
import { apiOf, PASSWORD, registerAdvertiser, sentBy } from "./account.fixture.ts";
import {
  type Dashboard,
  expectAccessibleInPassing,
  expectSoon,
  isFocused,
  seriousViolations,
  startDashboard,
} from "./browser.fixture.ts";

/** What advertiser.test.ts leaves out: each with an account of its own. */
describeInLongForm("an advertiser, in details of the dashboard,", () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.stop());

  it("moves a circle on the map by keys and by dragging, and saves it where it lies", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Orla Chart");
    const { id } = await post("/campaigns", { name: "Charts", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    await page.goto(`${dashboard.origin}/campaigns/${id}/targeting`);
    await page.getByRole("radiogroup", { name: "Kind of place" }).getByText("Circle").click();
    const handle = page.getByRole("slider", { name: /^Centre of the circle/ });
    const [latitude, longitude] = ["Latitude", "Longitude"].map((name) =>
      page.getByRole("textbox", { name }),
    ) as [Locator, Locator];
    const numbers = async () => [Number(await latitude.inputValue()), Number(await longitude.inputValue())];
    const values = () =>
      Promise.all(
        ["valuemin", "valuemax", "valuenow", "valuetext"].map((one) => handle.getAttribute(`aria-${one}`)),
      );
    await expectSoon(() => latitude.inputValue(), "");
    expect(await handle.count()).toBe(0);
    await page.getByRole("group", { name: /^A map of the included/ }).click();
    await expectSoon(async () => Math.abs(Number(await longitude.inputValue())) < 1, true);
    await latitude.fill("10");
    await longitude.fill("179");
    await page.getByRole("textbox", { name: "Radius in km" }).fill("200");
    await handle.focus();
    await page.keyboard.press("ArrowUp");
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowRight");
    await expectSoon(numbers, [11, -178]);
    await expectSoon(values, ["-90", "90", "11", "latitude 11, longitude -178"]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowLeft");
    await expectSoon(numbers, [10, -179]);

    const box = async () => {
      const { x = 0, y = 0, width = 0, height = 0 } = (await handle.boundingBox()) ?? {};
      return [Math.round(x + width / 2), Math.round(y + height / 2)] as const;
    };
    await longitude.fill("0");
    await expectSoon(numbers, [10, 0]);
    await handle.scrollIntoViewIfNeeded();
    const [x, y] = await box();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y + 30, { steps: 3 });
    await expectSoon(box, [x + 60, y + 30]);
    const [south, east] = (await numbers()) as [number, number];
    expect([south < 10, east > 0]).toEqual([true, true]);
    await expectSoon(values, ["-90", "90", String(south), `latitude ${south}, longitude ${east}`]);
    // The corners of the map are outside of the globe.
    const map = await page.getByRole("group", { name: /^A map of the included/ }).boundingBox();
    await page.mouse.move((map?.x ?? 0) + 1, (map?.y ?? 0) + 1, { steps: 3 });
    await expectSoon(async () => (await numbers())[1], -180);
    await page.mouse.move(x + 60, y + 30, { steps: 3 });
    await expectSoon(numbers, [south, east]);
    await page.mouse.up();
    await page.mouse.move(x, y);
    expect(await numbers()).toEqual([south, east]);
    await expectAccessibleInPassing(page);

    await page.getByRole("button", { name: "Include place" }).click();
    await page.getByRole("button", { name: `Remove 200 km around ${south}, ${east}` }).waitFor();
    const saved = await page.request.get(`${dashboard.origin}/api/campaigns/${id}/geo-targets`);
    expect(await saved.json()).toMatchObject([
      { target_type: "radius", lat: south, lng: east, radius_km: 200 },
    ]);
    // On a phone, where the dot is small, beside it too; on a part of the map, by the degrees of that part.
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole("radiogroup", { name: "Kind of place" }).getByText("Circle").click();
    await page.getByRole("group", { name: /^A map of the included/ }).click();
    const dragged = async () => {
      await handle.scrollIntoViewIfNeeded();
      const [, before] = await numbers();
      const [left = 0, top = 0] = await box();
      await page.mouse.move(left + 11, top);
      await page.mouse.down();
      await page.mouse.move(left + 41, top, { steps: 3 });
      await page.mouse.up();
      await expectSoon(async () => ((await box())[0] ?? 0) > left + 20, true);
      return ((await numbers())[1] ?? 0) - (before ?? 0);
    };
    const far = await dragged();
    await page.getByRole("button", { name: "Zoom to the circle" }).click();
    await page.getByRole("button", { name: "Show the whole world" }).waitFor();
    const near = await dragged();
    expect([far > 10, near > 0, near < far / 5]).toEqual([true, true, true]);
    expect(problems).toEqual([]);
  });

  it("lists every deposit, however many pages the answer has", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Dee Coin");
    for (const amount_cents of [1_100, 1_200, 1_300]) await post("/deposit", { amount_cents });
    const isDeposits = ({ pathname }: URL) => pathname.endsWith("/deposits");
    await page.route(isDeposits, (route) => {
      const address = new URL(route.request().url());
      address.searchParams.set("limit", "2");
      return route.continue({ url: String(address) });
    });
    await page.goto(`${dashboard.origin}/money`);
    const table = page.getByRole("table", { name: "Deposits" });
    for (const amount of ["$13.00", "$12.00", "$11.00"]) await table.getByText(amount).waitFor();
    expect(problems).toEqual([]);
  });

  it("makes one deposit when its answer was lost and it is sent again", async () => {
    const { page, problems } = await dashboard.newPage();
    await registerAdvertiser(page.request, dashboard.origin, "Lou Lost");
    await page.goto(`${dashboard.origin}/money`);
    const isDeposit = ({ pathname }: URL) => pathname.endsWith("/api/deposit");
    const dialog = page.getByRole("dialog", { name: "Deposit" });
    const deposit = async () => {
      await page.getByRole("button", { name: "Deposit", exact: true }).click();
      await dialog.getByRole("button", { name: "Deposit $50.00" }).click();
    };
    const amounts = async () => {
      const deposits = await page.request.get(`${dashboard.origin}/api/deposits`);
      return ((await deposits.json()) as { amount_cents: number }[]).map(({ amount_cents: cents }) => cents);
    };
    let lose: () => void = () => undefined;
    const isLost = new Promise<void>((resolve) => {
      lose = resolve;
    });
    await page.route(isDeposit, async (route) => {
      await route.fetch();
      await isLost;
      await route.abort();
    });
    await deposit();
    // The dialog stays open until what became of it can be said.
    await page.keyboard.press("Escape");
    lose();
    await dialog.getByText("The change may have been made: the page shows what is stored.").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("table", { name: "Deposits" }).getByText("$50.00").waitFor();
    await deposit();
    await dialog.getByText("The change may have been made: the page shows what is stored.").waitFor();
    await page.reload();
    await page.unroute(isDeposit);
    await deposit();
    await page.getByText(/^The \$50\.00 had arrived already: nothing was deposited twice\./).waitFor();
    await dialog.waitFor({ state: "detached" });
    expect(await amounts()).toEqual([5_000]);

    // Once answered, the same amount is another deposit.
    await deposit();
    await page.getByText(/^\$50\.00 deposited\./).waitFor();
    await dialog.waitFor({ state: "detached" });
    expect(await amounts()).toEqual([5_000, 5_000]);
    expect(problems).toEqual([]);
  });

  it("shows what is stored after a change that was refused, and after one without an answer", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Pat Stale");
    await post("/deposit", { amount_cents: 5_000 });
    const { id } = await post("/campaigns", { name: "Ink", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    await post(`/campaigns/${id}/creatives`, {
      creative_type: "narrative_hook",
      brand_name: "Quill",
      narrative_hook: "A quill scratches.",
    });
    await post(`/campaigns/${id}/activate`);
    await page.goto(`${dashboard.origin}/campaigns/${id}`);
    const pause = page.getByRole("button", { name: "Pause campaign" });
    const activate = page.getByRole("button", { name: "Activate campaign" });
    const pauseNow = async () => {
      await pause.click();
      await page.getByRole("dialog").getByRole("button", { name: "Pause campaign" }).click();
    };
    await pause.waitFor();
    await post(`/campaigns/${id}/pause`);
    await pauseNow();
    await page.getByText("Ink was not paused.", { exact: true }).waitFor();
    await activate.waitFor();

    await page.route(/\/activate$/, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await activate.click();
    await page.getByText("It is not known whether Ink was activated.", { exact: true }).waitFor();
    await pause.waitFor();

    await page.route(/\/pause$/, async (route) => {
      await route.fetch();
      await route.fulfill({ status: 503, json: { detail: "Stored; the match tier is not up to date." } });
    });
    await pauseNow();
    await page.getByText("It is not known whether Ink was paused.", { exact: true }).waitFor();
    await activate.waitFor();
    expect(problems).toEqual([]);
  });

  it("reads that the spend goes on only where it does", async () => {
    const { page, problems } = await dashboard.newPage();
    await registerAdvertiser(page.request, dashboard.origin, "Sy Row");
    const isSpend = ({ pathname }: URL) => pathname.endsWith("/analytics/spend");
    const rows = Array.from({ length: 500 }, (_, index) => ({
      date: "2026-01-01",
      campaign_id: `camp_${index}`,
      campaign_name: `Season ${index}`,
      impressions: 1,
      spent_millicents: 1_000,
    }));
    let next: string | undefined;
    await page.route(isSpend, async (route) => {
      const response = await route.fetch();
      const json = { ...(await response.json()), rows };
      const headers = { ...response.headers(), ...(next !== undefined && { link: next }) };
      await route.fulfill({ response, json, headers });
    });
    await page.goto(`${dashboard.origin}/spend`);
    await page.getByText("500 rows", { exact: true }).waitFor();
    expect(await page.getByText(/^The first 500 rows/).count()).toBe(0);
    next = '</api/analytics/spend?cursor=more>; rel="next"';
    await page.reload();
    await page.getByText(/^The first 500 rows/).waitFor();
    expect(problems).toEqual([]);
  });

  it("says nothing of a campaign that its balance decides while the balance is unknown", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Bea Lance");
    await post("/deposit", { amount_cents: 300 });
    const { id } = await post("/campaigns", { name: "Fog", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    const hook = { creative_type: "narrative_hook", brand_name: "Lance", narrative_hook: "Fog rolls in." };
    await post(`/campaigns/${id}/creatives`, hook);
    await post(`/campaigns/${id}/activate`);
    await page.route("**/api/profile", (route) =>
      route.fulfill({ status: 500, json: { detail: "Internal error." } }),
    );
    const rest = page.getByText(/^up to/);
    await page.goto(`${dashboard.origin}/campaigns/${id}`);
    await page.getByRole("button", { name: "Try again: Balance" }).first().waitFor();
    expect(await rest.count()).toBe(0);
    await page.unroute("**/api/profile");
    await page.getByRole("button", { name: "Try again: Balance" }).first().click();
    await rest.filter({ hasText: "up to $3.00 more" }).waitFor();
    await post(`/campaigns/${id}/pause`);
    expect(problems).toEqual([]);
  });

  it("sees every figure of an open campaign move with its first impression", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Mo Ving");
    await post("/deposit", { amount_cents: 300 });
    const { id } = await post("/campaigns", { name: "Tide", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    const hook = { creative_type: "narrative_hook", brand_name: "Ving", narrative_hook: "The tide turns." };
    const { id: creative } = await post(`/campaigns/${id}/creatives`, hook);
    await post(`/campaigns/${id}/activate`);
    const game = { game_id: "tide" };
    await post("/placements/tide", { creator_id: "ving", placement_types: ["narrative_hook"] });
    const unspent = page.getByText("Not a coin has been spent.");
    await page.clock.install();
    for (const [tab, before] of [
      ["", page.getByText("Nobody has read a line of it yet.")],
      ["/audience", page.getByRole("row", { name: /^Unknown place 1 / })],
      ["/lines", page.getByRole("row", { name: /^The tide turns\. 2 / })],
    ] as const) {
      await page.goto(`${dashboard.origin}/campaigns/${id}${tab}`);
      await before.waitFor();
      expect(await unspent.count()).toBe(tab === "" ? 1 : 0);
      await post("/match", { ...game, user_id: `of ${tab}`, game_context: {} });
      await post("/impressions", { ...game, campaign_id: id, creative_id: creative });
      await page.clock.runFor(31_000);
      await before.waitFor({ state: "detached" });
      await unspent.waitFor({ state: "detached" });
    }
    await page.goto(`${dashboard.origin}/campaigns/${id}/settings`);
    await page.getByText(/ the rest of the budget pays for 4,997 of them\.$/).waitFor();
    expect(problems).toEqual([]);
  });

  it("reads that a campaign has ended instead of how it paces", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Ed Past");
    const { id } = await post("/campaigns", {
      name: "Last summer",
      budget_cents: 5_000,
      cpm_bid_cents: 1_000,
      start_date: "2025-06-01",
      end_date: "2025-06-30",
    });
    await page.goto(`${dashboard.origin}/campaigns/${id}`);
    await page.getByText("Its last day was Jun 30, 2025 (UTC)").waitFor();
    expect(await page.getByText("No spend to project yet").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("empties the game of a scene to explain, and enters another", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Wy Not");
    const { id } = await post("/campaigns", { name: "Why", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    await post("/placements/fjord", { creator_id: "wy", placement_types: ["narrative_hook"] });
    await page.goto(`${dashboard.origin}/campaigns/${id}/explain`);
    const game = page.getByRole("combobox", { name: "Game" });
    await expectSoon(() => game.inputValue(), "fjord");
    await game.fill("");
    await expectSoon(() => new URL(page.url()).search, "?game=");
    await expectSoon(() => game.inputValue(), "");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("Fill in this field.").waitFor();
    await page.getByLabel("Location").fill("quay");
    await expectSoon(() => game.inputValue(), "");
    await game.fill("marina");
    await expectSoon(() => game.inputValue(), "marina");
    expect(problems).toEqual([]);
  });

  it("writes alternative lines, reads them in order and in every form, and finds the draft again", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Ali Lines");
    const { id } = await post("/campaigns", { name: "Kettles", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    const write = () => page.goto(`${dashboard.origin}/campaigns/${id}/creatives/new`);
    const alternative = (number: number) =>
      page.getByRole("textbox", { name: `Alternative line ${number}`, exact: true });
    const preview = page.getByRole("region", { name: "Preview" });
    const read = preview.getByRole("figure");
    const order = preview.getByRole("list").getByRole("button");
    const lines = ["The kettle sings.", "A cup waits.", "Embers glow."] as const;
    await write();
    await page.getByRole("textbox", { name: "Brand" }).fill("Kettlewell");
    await page.getByLabel("Line", { exact: true }).fill(lines[0]);
    for (const [index, line] of ["Steam rises.", lines[1], lines[2]].entries()) {
      await page.getByRole("button", { name: "Add a line" }).click();
      await alternative(index + 1).fill(line);
    }
    await page.getByRole("button", { name: "Remove alternative line 1" }).click();
    await expectSoon(() => order.allTextContents(), [...lines]);
    await read.getByText(lines[0]).waitFor();
    await order.nth(1).click();
    for (const [form, story] of [
      ["Letter", "My dear Tobias"],
      ["NPC chat", "Pell, courier"],
      ["Tavern", "Maren, innkeeper"],
    ] as const) {
      await preview.getByRole("radiogroup", { name: "Scene of the preview" }).getByText(form).click();
      await read.getByText(story).waitFor();
      await read.getByText(lines[1]).waitFor();
      await expectAccessibleInPassing(page);
    }
    expect(await read.getByText(lines[0]).count()).toBe(0);

    await page.goto(`${dashboard.origin}/money`);
    await write();
    await expectSoon(() => order.allTextContents(), [...lines]);
    await expectSoon(() => alternative(2).inputValue(), lines[2]);
    await page.getByRole("button", { name: "Save creative" }).click();
    await page.getByRole("link", { name: lines[0] }).waitFor();
    const saved = await page.request.get(`${dashboard.origin}/api/campaigns/${id}/creatives`);
    expect(await saved.json()).toMatchObject([
      { brand_name: "Kettlewell", narrative_hook: lines[0], alt_hooks: [lines[1], lines[2]] },
    ]);
    await page.getByRole("link", { name: lines[0] }).click();
    await expectSoon(() => order.allTextContents(), [...lines]);
    await write();
    await expectSoon(() => page.getByRole("textbox", { name: "Brand" }).inputValue(), "Kettlewell");
    expect(problems).toEqual([]);
  });

  it("simulates a scene of their own, whose drawing and score are those of the API", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Sim Stage");
    const { id } = await post("/campaigns", { name: "Ferries", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    const hook = { creative_type: "narrative_hook", brand_name: "Ferry", narrative_hook: "A ferry calls." };
    await post(`/campaigns/${id}/creatives`, hook);
    for (const [affinity_type, affinity_value, weight] of [
      ["mood", "tense", 1.5],
      ["lighting", "candlelight", 1],
      ["effects", "rain", 2],
    ] as const) {
      await post(`/campaigns/${id}/affinities`, { affinity_type, affinity_value, weight });
    }
    const scene = { mood: "tense", narrative_function: "Rain falls on the quiet harbour." };
    const drawing = (place: string) =>
      page.getByRole("img", {
        name: `A drawing of ${place}; light: candle; effects: rain; mood: tense`,
        exact: true,
      });
    const score = page.getByRole("region", { name: /^Score / });
    const parts = () => score.getByRole("listitem").allTextContents();
    await page.goto(`${dashboard.origin}/campaigns/${id}/simulator`);
    await drawing("an open landscape").waitFor();
    await expectSoon(parts, ["Mood0", "Lighting0", "Effects0"]);
    await page.getByRole("combobox", { name: "Mood" }).click();
    await page.getByRole("combobox", { name: "Mood" }).fill("te");
    await page.getByRole("option", { name: scene.mood }).click();
    const narrative = page.getByRole("textbox", { name: "What happens in the scene" });
    await narrative.fill(scene.narrative_function);
    await drawing("a scene at: harbour").waitFor();

    const simulated = (await post(`/campaigns/${id}/simulate`, scene)) as unknown as {
      biased_pipeline: object;
      affinity_scores: Record<string, number>;
      total_score: number;
    };
    expect(simulated.biased_pipeline).toEqual({ mood: "tense", lighting: "candlelight", effects: "rain" });
    const { mood, lighting, effects } = simulated.affinity_scores;
    expect([mood, Number(effects) > 0]).toEqual([1.5, true]);
    const shown = [`Mood${mood}`, `Lighting${lighting}`, `Effects${effects}`];
    await expectSoon(parts, shown);
    await page.getByRole("heading", { name: `Score ${simulated.total_score}` }).waitFor();
    await expectAccessibleInPassing(page);

    await page.reload();
    await drawing("a scene at: harbour").waitFor();
    await expectSoon(parts, shown);
    expect([
      await page.getByRole("combobox", { name: "Mood" }).inputValue(),
      await narrative.inputValue(),
    ]).toEqual([scene.mood, scene.narrative_function]);
    expect(problems).toEqual([]);
  });

  it("acts on chosen rows that are listed only, and begins a new order on the first page", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Bea Many");
    const campaigns = Array.from({ length: 102 }, (_, index) => ({
      name: `${index === 0 ? "Frost" : "Season"} ${index}`,
      budget_cents: 10_000 + index,
      cpm_bid_cents: 1_000,
    }));
    await post("/campaigns/bulk", { campaigns });
    await page.goto(`${dashboard.origin}/campaigns?page=2&sort=budget`);
    await page.getByRole("link", { name: "Season 100" }).waitFor();
    await page.getByRole("button", { name: "Campaign", exact: true }).click();
    await expectSoon(() => new URL(page.url()).search, "?sort=name");
    await page.getByRole("link", { name: "Frost 0" }).waitFor();

    const chosen = page.getByRole("region", { name: "Chosen rows" });
    await page.getByRole("checkbox", { name: "Choose Frost 0" }).check();
    await page.getByRole("checkbox", { name: "Choose Season 1", exact: true }).check();
    await chosen.getByText("2 chosen", { exact: true }).waitFor();
    await page.getByLabel("Search campaigns").fill("frost");
    await chosen.getByText("1 chosen, 1 more hidden by the search or filters", { exact: true }).waitFor();
    await chosen.getByRole("button", { name: "Duplicate 1" }).waitFor();
    await page.getByLabel("Search campaigns").fill("no such campaign");
    await chosen.getByText("0 chosen, 2 more hidden by the search or filters", { exact: true }).waitFor();
    expect(await chosen.getByRole("button").allTextContents()).toEqual(["Clear"]);
    await chosen.getByRole("button", { name: "Clear" }).click();
    await chosen.waitFor({ state: "detached" });

    await page.getByLabel("Search campaigns").fill("season");
    await page.getByText("101 of 102 rows", { exact: true }).waitFor();
    await page.getByRole("checkbox", { name: "Choose every row of this page" }).check();
    await chosen.getByText("100 chosen", { exact: true }).waitFor();
    await chosen.getByRole("button", { name: "Choose all 101 that match" }).click();
    await chosen.getByText("101 chosen, 1 of them on other pages", { exact: true }).waitFor();
    await chosen.getByRole("button", { name: "Duplicate 101" }).waitFor();
    expect(await chosen.getByRole("button", { name: /^Choose all/ }).count()).toBe(0);
    await expectAccessibleInPassing(page);
    await page.getByLabel("Search campaigns").fill("");
    await chosen.getByRole("button", { name: "Choose all 102", exact: true }).click();
    await chosen.getByText("102 chosen, 2 of them on other pages", { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  it("has the place of the balance from the start, and asks for it only where there is one", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = apiOf(page.request, dashboard.origin);
    await post("/auth/sign-up", { name: "Dev Only", email: "dev@only.example", password: PASSWORD });
    let asked = 0;
    page.on("request", (request) => {
      if (new URL(request.url()).pathname.endsWith("/api/profile")) asked += 1;
    });
    await page.clock.install();
    const balance = page.getByRole("link", { name: /^Balance/ });
    await page.goto(`${dashboard.origin}/games`);
    await balance.getByText("none yet").waitFor();
    const first = asked;
    await page.clock.runFor(120_000);
    // Requests come in order: after this one, none of before is under way.
    await page.evaluate("fetch('/api/games').then(() => 0, () => 0)");
    expect(asked).toBe(first);

    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("button", { name: "Register company" }).click();
    await balance.getByText("$0.00").waitFor();
    await post("/deposit", { amount_cents: 4_200 });
    await page.clock.runFor(31_000);
    await balance.getByText("$42.00").waitFor();

    const isProfile = ({ pathname }: URL) => pathname.endsWith("/api/profile");
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(isProfile, async (route) => {
      await isReleased;
      await route.continue();
    });
    await page.goto(`${dashboard.origin}/games`);
    const foot = async () => (await balance.boundingBox())?.y;
    await balance.waitFor();
    const before = await foot();
    release();
    await balance.getByText("$42.00").waitFor();
    expect(await foot()).toBe(before);
    expect(problems).toEqual([]);
  });

  it("begins with the newest scene without an ad, and says when an explanation is of a former scene", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Sceny Queue");
    const { id } = await post("/campaigns", { name: "Why", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    await post("/placements/sluice", { creator_id: "queue", placement_types: ["narrative_hook"] });
    const sceneAt = (location: string, at: string) => ({
      game_id: "sluice",
      at,
      reason: "no_eligible_campaign",
      country_code: null,
      game_context: { location },
    });
    const scenes = [
      sceneAt("quay", "2026-11-02T10:00:00.000Z"),
      sceneAt("quay", "2026-11-02T09:00:00.000Z"),
      sceneAt("lock", "2026-11-01T10:00:00.000Z"),
    ];
    const isScenes = ({ pathname }: URL) => pathname.endsWith("/no-match-scenes");
    await page.route(isScenes, (route) => route.fulfill({ json: scenes }));
    await page.goto(`${dashboard.origin}/campaigns/${id}/explain`);
    const place = page.getByLabel("Location");
    const picker = page.getByRole("combobox", { name: /^A recent scene/ });
    await page.getByText("The newest one is filled in below.").waitFor();
    expect([await place.inputValue(), await picker.inputValue()]).toEqual([
      "quay",
      expect.stringContaining("sluice: quay"),
    ]);
    const change = page.getByText("The scene was changed since");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("from a bid of $10.00").waitFor();
    // What fails comes first, with where it is changed; what passes is folded.
    await page
      .getByText(/^They are “Status”, “Types of creative that the game takes”, and “Balance”\.$/)
      .waitFor();
    const failing = page.getByRole("region", { name: "Explanation" }).getByRole("listitem");
    await failing.getByRole("link", { name: "Write a creative" }).waitFor();
    expect(await failing.getByRole("img", { name: "Passed" }).count()).toBe(0);
    await page.getByText("a rule fails before the bid counts").waitFor();
    await expectAccessibleInPassing(page);
    expect(await change.count()).toBe(0);
    await place.fill("harbour");
    await change.waitFor();
    await expectSoon(() => picker.inputValue(), "");
    await picker.click();
    await page.getByRole("option", { name: /sluice: quay/ }).waitFor();
    await page.getByRole("option", { name: /sluice: lock/ }).click();
    await expectSoon(() => place.inputValue(), "lock");
    await expectSoon(async () => (await picker.inputValue()).startsWith("sluice: lock"), true);
    expect(problems).toEqual([]);
  });

  it("stops long work with many campaigns, and ends it by leaving", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Stu Stop");
    const campaigns = Array.from({ length: 3 }, (_, index) => ({
      name: `Season ${index}`,
      budget_cents: 10_000,
      cpm_bid_cents: 1_000,
    }));
    await post("/campaigns/bulk", { campaigns });
    // The first copy of a run; the others meet the rate limit, if they are sent before the run is stopped.
    let isFirst = true;
    let copies = 0;
    const isCopy = ({ pathname }: URL) => pathname.endsWith("/api/campaigns/bulk");
    await page.route(isCopy, (route) => {
      if (isFirst) {
        isFirst = false;
        copies += 1;
        return route.continue();
      }
      return route.fulfill({
        status: 429,
        headers: { "Retry-After": "60" },
        json: { detail: "Too many requests." },
      });
    });
    await page.goto(`${dashboard.origin}/campaigns`);
    const chooseAll = page.getByRole("checkbox", { name: "Choose every row of this page" });
    const progress = page.getByRole("status", { name: "Progress" });
    const duplicate = async (rows: number) => {
      isFirst = true;
      await chooseAll.check();
      await page.getByRole("button", { name: `Duplicate ${rows}` }).click();
      await progress.getByText(`2 of ${rows}`).waitFor();
    };
    await duplicate(3);
    // What is chosen may be hidden while the work goes on.
    await page.getByLabel("Search campaigns").fill("no such campaign");
    await progress.getByRole("button", { name: "Stop" }).click();
    await page.getByText("1 of 3 campaigns duplicated. Stopped: the other 2 are as they were.").waitFor();
    await progress.getByText("2 of 3").waitFor({ state: "detached" });
    await page.getByLabel("Search campaigns").fill("");
    await page.getByText("4 rows", { exact: true }).waitFor();

    await duplicate(4);
    const asked = page.waitForEvent("dialog");
    await page.evaluate("setTimeout(() => location.reload())");
    const question = await asked;
    expect(question.type()).toBe("beforeunload");
    await question.dismiss();
    await page.getByRole("link", { name: "Money", exact: true }).click();
    await page.getByText("1 of 4 campaigns duplicated. Stopped: the other 3 are as they were.").waitFor();
    expect(copies).toBe(2);
    // Nothing is under way any more.
    await page.reload();
    expect(problems).toEqual([]);
  });

  it("keeps what was typed into a copy when the original is opened again", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Ora Ginal");
    const { id } = await post("/campaigns", { name: "Original", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    const name = page.getByLabel("Name", { exact: true });
    await page.goto(`${dashboard.origin}/campaigns/${id}/settings`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Duplicate campaign" }).click();
    await expectSoon(() => name.inputValue(), "Original (copy)");
    await name.fill("Second edition");
    await page.goBack();
    await page.getByRole("heading", { name: "Original", exact: true }).waitFor();
    await expectSoon(() => name.inputValue(), "Original");
    await expectSoon(() => page.getByRole("button", { name: "Save changes" }).isDisabled(), true);
    await page.goForward();
    await page.getByRole("heading", { name: "Original (copy)" }).waitFor();
    await expectSoon(() => name.inputValue(), "Second edition");
    expect(problems).toEqual([]);
  });

  it("reads dates with an offset and a time as what they are in UTC, and saves other fields", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Zoe Zone");
    const dates = { start_date: "2036-12-02T01:00:00+05:00", end_date: "2036-12-01" };
    const { id } = await post("/campaigns", {
      name: "Dusk",
      budget_cents: 5_000,
      cpm_bid_cents: 1_000,
      ...dates,
    });
    await page.goto(`${dashboard.origin}/campaigns/${id}/settings`);
    const first = page.getByLabel("First day (optional)");
    const last = page.getByLabel("Last day (optional)");
    await expectSoon(
      async () => [await first.inputValue(), await last.inputValue()],
      ["2036-12-01", "2036-12-01"],
    );
    await page.getByText(/^Serving starts at Dec 1, 2036.*8:00\sPM UTC\./).waitFor();
    await page.getByText("In UTC, until the end of the day.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Late dusk");
    expect(await sentBy(page, "Save changes")).toEqual({ name: "Late dusk" });
    await page.getByRole("heading", { name: "Late dusk" }).waitFor();

    await last.fill("2036-11-30");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("The last day must not be before the first.").waitFor();
    expect(problems).toEqual([]);
  });

  it("saves no campaign with a date that is not whole or does not exist", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Dot Day");
    const plan = { name: "Leap", budget_cents: 5_000, cpm_bid_cents: 1_000 };
    const { id } = await post("/campaigns", { ...plan, start_date: "2036-12-01", end_date: "2036-12-31" });
    const sentence = page.getByText("Enter a whole date that exists, or clear the field.");
    const last = page.getByLabel("Last day (optional)");
    const save = page.getByRole("button", { name: "Save changes" });
    await page.goto(`${dashboard.origin}/campaigns/${id}/settings`);
    await last.focus();
    await page.keyboard.type("02");
    await save.click();
    await sentence.waitFor();
    expect(await page.getByLabel("First day (optional)").inputValue()).toBe("2036-12-01");
    const stored = async () =>
      (await page.request.get(`${dashboard.origin}/api/campaigns/${id}`)).json() as Promise<unknown>;
    expect(await stored()).toMatchObject({ end_date: "2036-12-31" });

    await page.getByRole("button", { name: "Discard" }).click();
    await expectSoon(() => last.inputValue(), "2036-12-31");
    expect(await sentence.count()).toBe(0);
    await last.fill("");
    expect(await sentBy(page, "Save changes")).toEqual({ end_date: null });
    await page.getByText("Saved. Every match from now on follows the change.").waitFor();
    await expectSoon(() => save.isDisabled(), true);
    // From an empty field to another that cannot be read, without a change that the browser tells of.
    await last.focus();
    await page.keyboard.type("02302037");
    await page.keyboard.press("Enter");
    await sentence.waitFor();
    expect(await page.evaluate("document.querySelectorAll('[type=date]:invalid').length")).toBe(1);
    await page.getByRole("button", { name: "Discard" }).click();
    await expectSoon(() => page.evaluate("document.querySelectorAll('[type=date]:invalid').length"), 0);
    expect(await stored()).toMatchObject({ end_date: null });
    expect(problems).toEqual([]);
  });

  it("finds an unsent place, affinity and blocklist rule again, each of its kind", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Una Sent");
    const { id } = await post("/campaigns", { name: "Quay", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    await page.goto(`${dashboard.origin}/campaigns/${id}/targeting`);
    const latitude = page.getByLabel("Latitude");
    const kinds = page.getByRole("combobox", { name: "Kind" });
    const word = page.getByRole("combobox", { name: "Word" });
    const choose = async (kind: Locator, name: string) => {
      await kind.click();
      await page.getByRole("option", { name, exact: true }).click();
    };
    await page.getByText("Circle", { exact: true }).click();
    await latitude.fill("12.5");
    // What was sent last decides the kind that the next one begins with.
    await choose(kinds.first(), "Lighting");
    await word.fill("candlelight");
    await page.getByRole("button", { name: "Add affinity" }).click();
    await page.getByRole("button", { name: "Remove candlelight" }).waitFor();
    await word.fill("lantern");
    await page.getByRole("button", { name: "Block something" }).click();
    await choose(kinds.last(), "Theme");
    await page.getByRole("combobox", { name: "Value", exact: true }).fill("war");
    await page.reload();
    await expectSoon(
      async () => [
        await latitude.inputValue(),
        await page.getByLabel("Radius in km").inputValue(),
        await kinds.first().inputValue(),
        await word.inputValue(),
        await kinds.last().inputValue(),
        await page.getByRole("combobox", { name: "Value", exact: true }).inputValue(),
      ],
      ["12.5", "300", "Lighting", "lantern", "Theme", "war"],
    );
    expect(problems).toEqual([]);
  });

  it("changes the weight of an affinity, and lists no place, word or rule twice", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Wes Weight");
    const { id } = await post("/campaigns", { name: "Scales", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    for (const affinity_value of ["Tavern", "harbour"]) {
      await post(`/campaigns/${id}/affinities`, { affinity_type: "location", affinity_value });
    }
    await post(`/campaigns/${id}/blocklist`, { rule_type: "keyword", value: "Storm" });
    const list = () => post<object[]>(`/campaigns/${id}/affinities`, undefined, "GET");
    const stored = await list();
    await page.goto(`${dashboard.origin}/campaigns/${id}/targeting`);
    const affinities = page.getByRole("table", { name: "Affinities" });
    const word = page.getByRole("combobox", { name: "Word" });
    const weight = page.getByRole("slider", { name: "Weight" });
    const change = page.getByRole("button", { name: "Change weight", exact: true });

    await affinities.getByRole("button", { name: "Change weight Tavern" }).click();
    await expectSoon(() => isFocused(weight), true);
    // With the same weight, there is nothing to change.
    await change.click();
    await expectSoon(() => isFocused(weight), true);
    await weight.press("ArrowRight");
    await change.click();
    await page.getByText("Tavern has the weight 1.1.").waitFor();
    await affinities.getByRole("row", { name: /^Tavern 1\.1 / }).waitFor();
    await expectSoon(() => word.inputValue(), "");
    expect(await list()).toEqual([
      stored[1],
      expect.objectContaining({ affinity_value: "Tavern", weight: 1.1 }),
    ]);
    // By typing the word, too.
    await word.fill(" TAVERN");
    await change.waitFor();
    await weight.press("ArrowRight");
    await weight.press("ArrowRight");
    // Removed, and not added again: the form keeps what is missing.
    const isAffinities = /\/affinities$/;
    await page.route(isAffinities, (route) =>
      route.request().method() === "POST"
        ? route.fulfill({ status: 422, json: { detail: "weight must be lower." } })
        : route.continue(),
    );
    await change.click();
    await page.getByText(/^Tavern was removed, but not added/).waitFor();
    await page.unroute(isAffinities);
    await page.getByRole("button", { name: "Add affinity", exact: true }).click();
    await affinities.getByRole("row", { name: /TAVERN 1\.2 / }).waitFor();

    await page.getByRole("combobox", { name: "Value", exact: true }).fill("STORM ");
    await page.getByRole("button", { name: "Add rule" }).click();
    await page.getByText("It is in the list already.").waitFor();

    await page.getByRole("radiogroup", { name: "Kind of place" }).getByText("State").click();
    await page.getByRole("combobox", { name: "Country" }).fill("Germany");
    await page.getByRole("option", { name: "Germany", exact: true }).click();
    const code = page.getByLabel("State or province code");
    await code.fill("Bavaria");
    await page.getByText(/^Most games send a code/).waitFor();
    await code.fill("by");
    await page.getByRole("button", { name: "Include place" }).click();
    await page
      .getByRole("table", { name: "Places" })
      .getByRole("row", { name: /^by, Germany/ })
      .waitFor();
    expect(problems).toEqual([]);
  });

  it("reads the full time of a moment by keyboard", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Mo Ment");
    await post("/deposit", { amount_cents: 1_000 });
    await page.goto(`${dashboard.origin}/money`);
    const moment = page.getByRole("table", { name: "Deposits" }).getByRole("time");
    await page.getByRole("button", { name: "Amount", exact: true }).focus();
    await page.keyboard.press("Tab");
    await expectSoon(() => isFocused(moment), true);
    await page
      .getByRole("tooltip")
      .filter({ hasText: /20\d\d.*:\d\d/ })
      .waitFor();
    await expectAccessibleInPassing(page);
    expect(problems).toEqual([]);
  });

  it("finds one of more than 500 campaigns, and again by its address", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Ida Search");
    await post("/campaigns", { name: "Winter in the taverns", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    const campaigns = Array.from({ length: 500 }, (_, index) => ({
      name: `${index < 100 ? "Frost" : "Season"} ${String(index).padStart(3, "0")}`,
      budget_cents: 10_000 + index,
      cpm_bid_cents: 1_000,
    }));
    await post("/campaigns/bulk", { campaigns });
    await page.goto(`${dashboard.origin}/campaigns`);
    await page.getByText("501 rows").waitFor();
    await expectSoon(() => page.getByRole("row").count(), 101);
    await page.getByRole("button", { name: "Page 6" }).click();
    await page.getByRole("link", { name: "Winter in the taverns" }).waitFor();
    await expectSoon(() => page.getByRole("row").count(), 2);
    await page.getByLabel("Search campaigns").fill("frost");
    await page.getByText("100 of 501 rows").waitFor();
    await page.getByRole("button", { name: "Budget", exact: true }).click();
    await page.getByRole("row").nth(1).getByText("Frost 099").waitFor();
    await page.reload();
    await page.getByRole("row").nth(1).getByText("Frost 099").waitFor();
    await expectSoon(() => new URL(page.url()).search, "?q=frost&sort=-budget");
    await expectAccessibleInPassing(page);

    await page.goto(`${dashboard.origin}/campaigns?q=frost&filter=status%3Dactive&sort=-budget`);
    await page.getByText("Nothing matches the search and filters.").waitFor();
    await page.getByRole("button", { name: "Show everything" }).click();
    await page.getByText("501 rows", { exact: true }).waitFor();
    await expectSoon(() => new URL(page.url()).search, "?sort=-budget");
    expect(problems).toEqual([]);
  });

  it("reads every amount whole, at any width", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Bea Purse");
    await post("/deposit", { amount_cents: 1_000 });
    await page.route(
      ({ pathname }) => pathname.endsWith("/api/ledger"),
      async (route) => {
        const response = await route.fetch();
        const ledger = await response.json();
        const totals = {
          ...ledger.totals,
          balance_cents: 1_234_567.85,
          held_cents: 12.5,
          spent_cents: 2_345_678.915,
          deposits_cents: 12_000_000_000,
        };
        await route.fulfill({ response, json: { ...ledger, totals } });
      },
    );
    await page.goto(`${dashboard.origin}/money`);
    await page.getByText("$23,456.78915").waitFor();
    const cut = `[...document.querySelector("main dl").children].flatMap((figure) => {
      const value = figure.querySelector("dd");
      const range = document.createRange();
      range.selectNodeContents(value);
      const text = range.getBoundingClientRect();
      const own = figure.getBoundingClientRect();
      const all = figure.parentElement.getBoundingClientRect();
      const isWhole = text.left >= own.left && text.right <= Math.min(own.right, all.right);
      return isWhole ? [] : [value.textContent];
    })`;
    for (const width of [320, 390, 820, 1_000, 1_280]) {
      await page.setViewportSize({ width, height: 800 });
      await expectSoon(() => page.evaluate<string[]>(cut), []);
    }
    expect(problems).toEqual([]);
  });

  it("prints a statement without the navigation, in the light theme", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Paul Print");
    await post("/deposit", { amount_cents: 1_000 });
    await page.goto(`${dashboard.origin}/money`);
    await page.getByRole("table", { name: "Statement" }).getByText("$10.00").first().waitFor();
    const textColour = "getComputedStyle(document.body).color";
    const light = await page.evaluate<string>(textColour);
    await page.emulateMedia({ colorScheme: "dark" });
    await expectSoon(async () => (await page.evaluate<string>(textColour)) !== light, true);
    const dark = await page.evaluate<string>(textColour);
    await page.evaluate(`addEventListener("beforeprint", () => { globalThis.printed = ${textColour}; })`);
    await page.pdf({ format: "A4" });
    expect([await page.evaluate("printed"), await page.evaluate(textColour)]).toEqual([light, dark]);

    await page.emulateMedia({ media: "print" });
    for (const width of [718, 794]) {
      await page.setViewportSize({ width, height: 1_000 });
      expect(await page.getByRole("navigation", { name: "Main" }).isVisible()).toBe(false);
      expect(await page.getByText("Skip to the content").isVisible()).toBe(false);
      expect(await page.getByRole("button", { name: "Deposit", exact: true }).isVisible()).toBe(false);
      expect(await page.getByRole("button", { name: "Navigation" }).isVisible()).toBe(false);
      expect(await page.getByRole("heading", { name: "Money" }).isVisible()).toBe(true);
      expect(
        await page.evaluate(
          "['paddingLeft', 'paddingTop'].map((side) => getComputedStyle(document.querySelector('main'))[side])",
        ),
      ).toEqual(["0px", "0px"]);
    }
    const amounts = page.locator('td[data-align="right"]');
    expect(await amounts.evaluateAll((cells) => cells.map((cell) => `${cell.clientHeight}`))).toEqual(
      Array(await amounts.count()).fill(`${await amounts.first().evaluate((cell) => cell.clientHeight)}`),
    );
    expect(problems).toEqual([]);
  });

  it("reads the option that the keyboard has come to, light and dark", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Kay Board");
    await post("/deposit", { amount_cents: 1_000 });
    await page.goto(`${dashboard.origin}/money`);
    await page.getByRole("combobox", { name: "Period of the statement" }).press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.locator("[data-combobox-selected]").waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("marks a simulated scene until that of the changed mood and text is there", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await registerAdvertiser(page.request, dashboard.origin, "Stan Still");
    const { id } = await post("/campaigns", { name: "Ferries", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    const hook = { creative_type: "narrative_hook", brand_name: "Ferry", narrative_hook: "A ferry calls." };
    await post(`/campaigns/${id}/creatives`, hook);
    await page.goto(`${dashboard.origin}/campaigns/${id}/simulator`);
    await page.getByRole("heading", { name: "Score 0" }).waitFor();
    const examples = page.getByText("Try one of these").locator("..").getByRole("button");
    await examples.first().waitFor();
    await page.setViewportSize({ width: 320, height: 800 });
    const cutOff = () =>
      examples
        .locator(".mantine-Button-label")
        .evaluateAll((labels) =>
          labels.flatMap(({ scrollWidth, clientWidth, textContent }) =>
            scrollWidth > clientWidth ? [textContent] : [],
          ),
        );
    await expectSoon(cutOff, []);
    const isMarked = () => page.locator("main [aria-busy=true]").count();
    expect(await isMarked()).toBe(0);
    const held: Route[] = [];
    await page.route("**/simulate", (route) => void held.push(route));
    await page.getByRole("textbox", { name: "What happens in the scene" }).fill("Rain falls.");
    // At once, before it is asked for.
    await expectSoon(isMarked, 1);
    expect(held.length).toBe(0);
    await expectSoon(() => held.length, 1);
    expect(await isMarked()).toBe(1);
    await held[0]?.continue();
    await expectSoon(isMarked, 0);
    expect(problems).toEqual([]);
  });
});
