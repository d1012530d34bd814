import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import {
  type Dashboard,
  expectAccessibleInPassing,
  expectSoon,
  isFocused,
  type ObservedPage,
  seriousViolations,
  startDashboard,
} from "./browser.fixture.ts";

const PASSWORD = "a calm evening by the fire";

describe("an advertiser in the dashboard", () => {
  let dashboard: Dashboard;
  let view: ObservedPage;
  /** Of an advertiser whose own game sends words. */
  let reader: ObservedPage;

  beforeAll(async () => {
    dashboard = await startDashboard();
    view = await dashboard.newPage();
    reader = await dashboard.newPage();
  });
  afterAll(() => dashboard?.stop());

  /** A page of a new account that is registered as an advertiser. */
  const advertiser = async (page: Page, name: string) => {
    const post = apiOf(page, dashboard.origin);
    const email = `${name.toLowerCase().replace(" ", "@")}.example`;
    await post("/auth/sign-up", { name, email, password: PASSWORD });
    await post("/register", { company_name: name, contact_email: email });
    return post;
  };

  it("comes from the address alone to a first active campaign", async () => {
    const { page, problems } = view;
    await page.goto(dashboard.origin);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Enter an e-mail address, such as name@example.com.").waitFor();
    await page.getByText("Fill in this field.").waitFor();
    await expectAccessibleInPassing(page);
    await page.getByRole("link", { name: "Create an account" }).click();
    await page.getByRole("heading", { name: "Create an account" }).waitFor();
    await page.getByLabel("Password", { exact: true }).fill("short");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Use at least 10 characters.").waitFor();
    await expectAccessibleInPassing(page);
    await page.getByLabel("Your name").fill("Ada Hearth");
    await page.getByLabel("E-mail").fill("ada@hearthwell.example");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("Company or studio (optional)").fill("Hearthwell");
    await page.getByRole("button", { name: "Create account" }).click();

    await page.getByRole("heading", { name: "First steps" }).waitFor();
    await expectAccessibleInPassing(page);
    await page.getByRole("button", { name: "Register company" }).click();
    // A screen reader follows from step to step.
    await expectSoon(() => isFocused(page.getByText("Deposit money", { exact: true })), true);
    await page.getByRole("button", { name: "Deposit $50.00" }).click();
    await expectSoon(() => isFocused(page.getByText("Set a budget and a bid", { exact: true })), true);
    await page.getByLabel("Name", { exact: true }).fill("Winter in the taverns");
    const bid = page.getByLabel("Bid per thousand impressions");
    await bid.fill("0.5");
    await page.getByText("From $1.00 to $100.00.", { exact: true }).waitFor();
    await bid.fill("10");
    await page.getByText(/^From \$1\.00 to \$100\.00\. One impression costs \$0\.01;/).waitFor();
    await page.getByLabel("Budget").fill("80");
    await page.getByText(/Your balance pays for \$50\.00 of it\.$/).waitFor();
    await page.getByRole("button", { name: "Create campaign" }).click();
    await page.getByRole("link", { name: "Set a budget and a bid" }).waitFor();
    await page.getByRole("button", { name: "Save creative" }).click();
    await page.getByText("Write the line first.").waitFor();
    await page.getByLabel("Line", { exact: true }).fill("Ale. ".repeat(50));
    await page.getByText(/^Long: 250 characters\./).waitFor();
    await page.getByLabel("Line", { exact: true }).fill("The innkeeper pours you a Hearthwell ale.");
    await page.getByRole("button", { name: "Save creative" }).click();
    // Pressed twice by habit: once is done, and nothing is refused.
    await page.getByRole("button", { name: "Activate campaign" }).dblclick();

    // Shown for a few seconds only.
    await page.getByText("Winter in the taverns is active.").waitFor();
    await page.getByRole("heading", { name: "First steps" }).waitFor({ state: "detached" });
    expect(await page.getByText("was not activated").count()).toBe(0);
    await page.getByRole("link", { name: "Campaigns", exact: true }).click();
    const row = page.getByRole("row", { name: /Winter in the taverns/ });
    await row.getByText("Active", { exact: true }).waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV of Campaigns" }).click();
    const [header, cells] = (await readFile(await (await saved).path(), "utf8")).split("\r\n");
    expect(header).toMatch(/Of budget spent \(%\).*,Campaign id$/);
    expect(cells).toMatch(/,camp_\w+$/);
    await expectAccessibleInPassing(page);
    expect(problems).toEqual([]);
  });

  it("finds every question of a campaign answered on a page that everybody can use", async () => {
    const { page, problems } = view;
    await page.getByRole("link", { name: "Winter in the taverns" }).click();
    await page.getByRole("heading", { name: "Spend and where it leads" }).waitFor();
    for (const [question, answer] of [
      ["Who sees it?", "Countries"],
      ["Which line works?", "Creatives"],
      ["Where may it appear?", "Places"],
    ] as const) {
      await page.getByRole("link", { name: question }).click();
      await page.getByRole("heading", { name: answer, exact: true }).waitFor();
      expect({ question, violations: await seriousViolations(page) }).toEqual({ question, violations: [] });
    }
    expect(problems).toEqual([]);
  });

  it("is warned of a place that adds nothing", async () => {
    const { page } = view;
    await page.getByRole("button", { name: "Include place" }).click();
    await page.getByText("Choose a country.").waitFor();
    await expectSoon(() => isFocused(page.getByRole("combobox", { name: "Country" })), true);
    for (const [kind, city] of [["Country"], ["City", "Berlin"]] as const) {
      await page.getByRole("radiogroup", { name: "Kind of place" }).getByText(kind).click();
      await page.getByRole("combobox", { name: "Country" }).fill("Germany");
      await page.getByRole("option", { name: "Germany" }).click();
      if (city !== undefined) await page.getByRole("textbox", { name: "City" }).fill(city);
      await page.getByRole("button", { name: "Include place" }).click();
      if (city === undefined) {
        await page.getByText(/players whose place is unknown no longer do/).waitFor();
        await page.getByRole("button", { name: "Show only there" }).click();
      }
      await page
        .getByRole("button", { name: city === undefined ? "Remove Germany" : /Remove Berlin/ })
        .waitFor();
    }
    await page.getByText(/Berlin adds nothing/).waitFor();
  });

  it("reads which circles add nothing to an included country", async () => {
    const { page } = view;
    await page.getByRole("radiogroup", { name: "Kind of place" }).getByText("Circle").click();
    for (const [latitude, sentence] of [
      ["50.5", /^The circle of 50 km around 50\.5, 10 adds nothing: Germany is already included\./],
      ["43.5", /^The circle of 50 km around 43\.5, 10 adds what lies outside of Germany\./],
    ] as const) {
      await page.getByRole("textbox", { name: "Latitude" }).fill(latitude);
      await page.getByRole("textbox", { name: "Longitude" }).fill("10");
      await page.getByRole("textbox", { name: "Radius in km" }).fill("50");
      await page.getByRole("button", { name: "Include place" }).click();
      await page.getByText(sentence).waitFor();
      await page.getByRole("button", { name: `Remove 50 km around ${latitude}, 10` }).click();
      await page.getByText(sentence).waitFor({ state: "detached" });
    }
  });

  it("opens a campaign to the whole world only after agreeing to it", async () => {
    const { page } = view;
    const dialog = page.getByRole("dialog");
    const remove = page.getByRole("button", { name: "Remove Berlin, Germany" });
    await page.getByRole("button", { name: "Remove Germany" }).click();
    await page.getByRole("button", { name: "Remove Germany" }).waitFor({ state: "detached" });
    await remove.click();
    await dialog.getByText(/from now on the campaign is shown everywhere in the world/).waitFor();
    await expectAccessibleInPassing(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await remove.click();
    await dialog.getByRole("button", { name: "Remove and show everywhere" }).click();
    await remove.waitFor({ state: "detached" });
  });

  it("sees the simulated scene, and why the campaign would not be served", async () => {
    const { page, problems } = view;
    await page.getByRole("link", { name: "How does it look?" }).click();
    await page.getByRole("img", { name: /A drawing of/ }).waitFor();
    await page.getByText("The innkeeper pours you a Hearthwell ale.").waitFor();
    await expectAccessibleInPassing(page);
    await page.getByRole("link", { name: "Why not?" }).click();
    await page.getByRole("combobox", { name: "Game" }).fill("no-such-game");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText(/^game_id names no registered game/).waitFor();
    await expectAccessibleInPassing(page);
    expect(problems).toEqual([]);
  });

  it("changes the campaign, shows the consequence first, and rejects an invalid bid", async () => {
    const { page } = view;
    await page.getByRole("link", { name: "Settings", exact: true }).click();
    await page.getByLabel("Bid per thousand impressions").fill("0.50");
    await page.getByText("A new bid counts from the next match").waitFor();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Enter a number from $1.00 to $100.00.").waitFor();
    await expectSoon(() => isFocused(page.getByLabel("Bid per thousand impressions")), true);
    expect(await page.getByText("A new bid counts from the next match").count()).toBe(0);
    await page.getByLabel("Bid per thousand impressions").fill("12");
    const [, , id] = new URL(page.url()).pathname.split("/");
    const renamed = await page.evaluate(async (path) => {
      const init = { method: "PATCH", headers: { "Content-Type": "application/json" } };
      return (await fetch(path, { ...init, body: '{"name":"Winter in the taverns, renamed"}' })).status;
    }, `/api/campaigns/${id}`);
    expect(renamed).toBe(200);
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Saved. Every match from now on follows the change.").waitFor();
    await page.getByRole("heading", { name: "Winter in the taverns, renamed" }).waitFor();
    await expectAccessibleInPassing(page);
  });

  it("puts an offered bid into the form, and saves it only on request", async () => {
    const { page } = view;
    const bid = page.getByLabel("Bid per thousand impressions");
    await page.goto(`${page.url()}?bid=1450`);
    await page.getByRole("button", { name: "Discard" }).waitFor();
    await expectSoon(() => bid.inputValue(), "14.50");
    await expectSoon(() => new URL(page.url()).search, "");
    await page.getByRole("button", { name: "Discard" }).click();
    await expectSoon(() => bid.inputValue(), "12.00");
  });

  it("pauses only after agreeing to what that does", async () => {
    const { page } = view;
    await page.getByRole("button", { name: "Pause campaign" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Pausing stops serving at once.").waitFor();
    await dialog.getByText("No money is held for matched ads that may still be seen.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Pause campaign" }).click();
    await dialog.getByRole("button", { name: "Pause campaign" }).click();
    await page.getByRole("button", { name: "Activate campaign" }).waitFor();
    await page.getByText("Paused: by your account", { exact: true }).waitFor();
  });

  it("keeps an unsent change while a colleague changes something else, and reverts nothing", async () => {
    const { page } = view;
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("Winter in the taverns, again");
    const { origin } = dashboard;
    const campaign = `${origin}/api/campaigns/${new URL(page.url()).pathname.split("/")[2]}`;
    const capped = await page.request.patch(campaign, {
      data: { daily_cap_cents: 900 },
      headers: { origin },
    });
    expect(capped.status()).toBe(200);
    await page.getByRole("button", { name: "Activate campaign" }).click();
    await page.getByRole("button", { name: "Pause campaign" }).waitFor();
    await page.getByRole("link", { name: "Where may it appear?" }).click();
    await page.getByRole("heading", { name: "Places", exact: true }).waitFor();
    await page.getByRole("link", { name: "Change both filters" }).click();
    await expectSoon(() => name.inputValue(), "Winter in the taverns, again");
    await expectSoon(() => page.getByLabel("Daily cap (optional)").inputValue(), "9.00");
    await page.getByText("Not saved: Name.").waitFor();
    await expectAccessibleInPassing(page);
    expect(await sentBy(page, "Save")).toEqual({ name: "Winter in the taverns, again" });
    await page.getByText("Not saved: Name.").waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Winter in the taverns, again" }).waitFor();
  });

  it("cannot save a campaign without a budget, and has nothing to save once it is back", async () => {
    const { page } = view;
    const budget = page.getByLabel("Budget");
    const stored = await budget.inputValue();
    await budget.fill("");
    expect(await sentBy(page, "Save changes")).toEqual({ budget_cents: null });
    await page.getByText(/^budget_cents must be/).waitFor();
    await expectSoon(() => isFocused(budget), true);
    await budget.fill(stored);
    await page.getByRole("button", { name: "Discard" }).waitFor({ state: "detached" });
    await expectSoon(() => page.getByRole("button", { name: "Save changes" }).isDisabled(), true);
  });

  it("clears the product of a creative", async () => {
    const { page } = view;
    const product = page.getByLabel("Product (optional)");
    await page.getByRole("link", { name: "Which line works?" }).click();
    await page.getByRole("link", { name: "The innkeeper pours you a Hearthwell ale." }).click();
    await product.fill("Dark No. 7");
    expect(await sentBy(page, "Save changes")).toEqual({ product_name: "Dark No. 7" });
    await product.fill("");
    expect(await sentBy(page, "Save changes")).toEqual({ product_name: null });
    await page.getByRole("button", { name: "Discard changes" }).waitFor({ state: "detached" });
    await page.reload();
    await product.waitFor();
    await expectSoon(() => product.inputValue(), "");
  });

  it("reads the money as a statement", async () => {
    const { page } = view;
    await page.getByRole("link", { name: "Money", exact: true }).click();
    await page.getByRole("row", { name: /\+\$50\.00/ }).waitFor();
    await expectAccessibleInPassing(page);
  });

  it("changes the company that developers see, from where the overview names it", async () => {
    const { page } = view;
    await page.getByRole("link", { name: "Overview", exact: true }).click();
    await page.getByRole("link", { name: "Hearthwell", exact: true }).click();
    const company = page.getByRole("region", { name: "Company" });
    await company.getByLabel("Company").fill("");
    await company.getByRole("button", { name: "Save company" }).click();
    await company.getByText("Fill in this field.").waitFor();
    await company.getByLabel("Company").fill("Hearthwell Inns");
    await company.getByLabel("Website (optional)").fill("hearthwell.example");
    await expectAccessibleInPassing(page);
    expect(await sentBy(page, "Save company")).toEqual({
      company_name: "Hearthwell Inns",
      website: "https://hearthwell.example",
    });
    await page.getByText("The company was changed.").waitFor();
    await expectSoon(() => company.getByRole("button", { name: "Save company" }).isDisabled(), true);
  });

  it("breaks the spend down, and finds the choice again in the address", async () => {
    const { page } = view;
    await page.getByRole("link", { name: "Spend", exact: true }).click();
    await page.goto(`${dashboard.origin}/spend?period=abc&by=zzz&campaign=camp_none`);
    await page.getByText("Not a coin has moved.").waitFor();
    expect(await page.getByRole("radio", { name: "30 days" }).isChecked()).toBe(true);
    // What means nothing does not stay there.
    await expectSoon(() => new URL(page.url()).search, "");
    await page.getByLabel("Country").click();
    await page.waitForURL(/by=day-campaign-country/);
    await page.getByText("Not a coin has moved.").waitFor();
    await expectAccessibleInPassing(page);
  });

  it("loses nothing of a creative by leaving, and gets rid of it on purpose", async () => {
    const { page } = view;
    const write = async () => {
      await page.goto(`${dashboard.origin}/campaigns`);
      await page.getByRole("link", { name: "Winter in the taverns" }).click();
      await page.getByRole("link", { name: "Which line works?" }).click();
      await page.getByRole("link", { name: "Write a creative" }).click();
    };
    const line = page.getByLabel("Line", { exact: true });
    await write();
    await line.fill("A courier asks for the Hearthwell inn.");
    await write();
    await expectSoon(() => line.inputValue(), "A courier asks for the Hearthwell inn.");
    await page.getByRole("button", { name: "Discard draft" }).click();
    await expectSoon(() => line.inputValue(), "");
    await write();
    await expectSoon(() => line.inputValue(), "");
  });

  it("gets rid of the draft of a campaign on purpose, too", async () => {
    const { page } = view;
    const begin = async () => {
      await page.goto(`${dashboard.origin}/campaigns`);
      await page.getByRole("link", { name: "New campaign" }).click();
      await page.getByRole("button", { name: "Create campaign" }).waitFor();
    };
    const name = page.getByLabel("Name", { exact: true });
    await begin();
    await name.fill("Spring in the taverns");
    await begin();
    await expectSoon(() => name.inputValue(), "Spring in the taverns");
    await page.getByRole("link", { name: "Discard draft" }).click();
    await page.getByRole("heading", { name: "Campaigns", level: 1 }).waitFor();
    await begin();
    await expectSoon(() => name.inputValue(), "");
  });

  it("hears that a deposit was made, whatever the page cannot read after it", async () => {
    const { page } = view;
    await page.goto(`${dashboard.origin}/money`);
    await page.getByRole("heading", { name: "Deposits" }).waitFor();
    await page.getByRole("button", { name: "Deposit", exact: true }).click();
    const isDeposits = ({ pathname }: URL) => pathname.endsWith("/api/deposits");
    await page.getByLabel("Amount").fill("-5");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Deposit/ })
      .click();
    await page.getByText(/^Enter a number from \$/).waitFor();
    await page.getByLabel("Amount").fill("50");
    // Never answered.
    await page.route(isDeposits, () => undefined);
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Deposit \$/ })
      .click();
    await page.getByText(/^\$50\.00 deposited\./).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.unroute(isDeposits);
  });

  it("comes back to the same page after a session has ended", async () => {
    const { page } = view;
    await page.goto(`${dashboard.origin}/campaigns?q=winter`);
    await page.getByRole("link", { name: "Winter in the taverns" }).waitFor();
    await page.context().clearCookies();
    await page.reload();
    await page.getByLabel("E-mail").fill("ada@hearthwell.example");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "Winter in the taverns" }).waitFor();
    await expectSoon(() => new URL(page.url()).search, "?q=winter");
  });

  it("deposits on the way where the balance does not pay for an activation", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = apiOf(page, dashboard.origin);
    await post("/auth/sign-up", { name: "Bo Quill", email: "bo@quill.example", password: PASSWORD });
    await post("/register", { company_name: "Quill & Sons", contact_email: "bo@quill.example" });
    const { id } = await post("/campaigns", { name: "Ink", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    const hook = {
      creative_type: "narrative_hook",
      brand_name: "Quill",
      narrative_hook: "A quill scratches.",
    };
    await post(`/campaigns/${id}/creatives`, hook);
    await page.goto(`${dashboard.origin}/campaigns/${id}`);
    await page.getByRole("button", { name: "Activate campaign" }).click();
    const dialog = page.getByRole("dialog", { name: "Deposit to activate Ink" });
    await dialog.getByText("The balance of $0.00 does not pay for an impression.").waitFor();
    await expectAccessibleInPassing(page);
    await dialog.getByRole("button", { name: "Deposit $50.00" }).click();
    await page.getByRole("button", { name: "Pause campaign" }).waitFor();

    await page.getByRole("link", { name: "Which line works?" }).click();
    await page.getByRole("link", { name: "A quill scratches." }).click();
    await page.getByRole("button", { name: "Delete creative" }).click();
    await page.getByText("This is its only one. Write another first, or pause the campaign.").waitFor();
    await page.getByRole("button", { name: "Write another creative" }).click();
    await page.getByRole("heading", { name: "New creative" }).waitFor();
    expect(problems).toEqual([]);
  });

  it.each([
    ["en-US", "1,234.50", "1,234.50", "Deposit $1,234.50"],
    ["de-DE", "1.234,50", "1.234,50", "Deposit 1.234,50 $"],
    ["ar-EG", "1,234.50", "1,234.50", /^Deposit /],
  ])("writes an amount as people of the locale %s do", async (locale, typed, shown, button) => {
    const { page, problems } = await dashboard.newPage(locale);
    const post = apiOf(page, dashboard.origin);
    const email = `${locale.toLowerCase()}@ledger.example`;
    await post("/auth/sign-up", { name: "Lou Ledger", email, password: PASSWORD });
    await post("/register", { company_name: "Ledger", contact_email: email });
    await page.goto(`${dashboard.origin}/money`);
    await page.getByRole("button", { name: "Deposit", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Deposit" });
    const amount = dialog.getByLabel("Amount");
    await amount.fill("");
    await amount.pressSequentially(typed);
    await amount.blur();
    await expectSoon(() => amount.inputValue(), shown);
    await dialog.getByRole("button", { name: button }).click();
    const balance = async () => {
      const profile = await page.request.get(`${dashboard.origin}/api/profile`);
      return ((await profile.json()) as { balance_cents: number }).balance_cents;
    };
    await expectSoon(balance, 123_450);
    expect(problems).toEqual([]);
  });

  it("is offered the words that games send, and may enter any other", async () => {
    const { page, problems } = reader;
    const { origin } = dashboard;
    const post = apiOf(page, origin);
    await post("/auth/sign-up", { name: "Cy Reed", email: "cy@reed.example", password: PASSWORD });
    await post("/register", { company_name: "Reed", contact_email: "cy@reed.example" });
    const { id } = await post("/campaigns", { name: "Reeds", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    await post("/placements/marsh", { creator_id: "reed", placement_types: ["narrative_hook"] });
    const scene = { category: "angling", location: "boathouse" };
    const match = { game_id: "marsh", user_id: "player", game_context: scene };
    expect((await page.request.post(`${origin}/api/match`, { data: match, headers: { origin } })).ok()).toBe(
      true,
    );
    // Words that were read once are cached: what the game sent has to be recorded before.
    await expectSoon(async () => {
      const traffic = await page.request.get(`${origin}/api/traffic`);
      const { games } = await traffic.json();
      return games.map((game: { game_id: string; requests: number }) => [game.game_id, game.requests]);
    }, [["marsh", 1]]);

    await page.goto(`${origin}/campaigns/${id}/settings`);
    await page.getByRole("combobox", { name: /^Only in scenes of these categories/ }).click();
    await page.getByRole("option", { name: "angling", exact: true }).click();
    // A list that is still closing takes the focus back, and with it the next list.
    await expectSoon(() => page.getByRole("option").count(), 0);
    const tags = page.getByRole("combobox", { name: /^Only in scenes with one of these tags/ });
    // The focus alone opens no list over what stands below.
    await tags.focus();
    expect(await page.getByRole("option").count()).toBe(0);
    await tags.press("ArrowDown");
    await page.getByRole("option", { name: "boathouse", exact: true }).click();
    await tags.fill("heron");
    await tags.press("Enter");
    expect(await sentBy(page, "Save changes")).toEqual({
      target_categories: ["angling"],
      target_tags: ["boathouse", "heron"],
    });

    await page.getByRole("link", { name: "Where may it appear?" }).click();
    await page.getByRole("button", { name: "Block something" }).click();
    await page.getByRole("combobox", { name: "Value", exact: true }).click();
    await page.getByRole("option", { name: "boathouse", exact: true }).click();
    await page.getByRole("button", { name: "Add rule" }).click();
    await page.getByRole("button", { name: "Remove boathouse" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("adds affinities, and is warned of one that no game sends and of those that every scene receives", async () => {
    const { page, problems } = reader;
    const id = new URL(page.url()).pathname.split("/")[2];
    const kind = page.getByRole("combobox", { name: "Kind" }).first();
    const word = page.getByRole("combobox", { name: "Word" });
    const warnings = page.getByRole("alert").filter({ hasText: "Worth knowing" }).getByRole("listitem");
    // The blocklist has a row with the same word.
    const added = page.getByRole("table", { name: "Affinities" });
    const add = async (value: string) => {
      await word.fill(value);
      await page.getByRole("button", { name: "Add affinity" }).click();
      await added.getByRole("button", { name: `Remove ${value}` }).waitFor();
    };
    const everywhere = (values: string) =>
      `Games receive ${values} with every match of the campaign, also in scenes that have nothing of it.`;
    await page.getByRole("button", { name: "Add affinity" }).click();
    await expectSoon(() => word.getAttribute("aria-invalid"), "true");
    await page.getByRole("slider", { name: "Weight" }).press("ArrowRight");
    await add("boathouse");
    await warnings.filter({ hasText: everywhere("location: boathouse") }).waitFor();
    expect(await warnings.filter({ hasText: /^No game is known/ }).count()).toBe(0);
    await add("windmill");
    await warnings.filter({ hasText: /^No game is known to send the location windmill: / }).waitFor();
    await kind.click();
    await page.getByRole("option", { name: "Lighting" }).click();
    await add("candlelight");
    await warnings.filter({ hasText: everywhere("lighting: candlelight, location: boathouse") }).waitFor();
    await warnings.filter({ hasText: /^Lighting, effects and camera lift the rank only where/ }).waitFor();
    await expectAccessibleInPassing(page);
    const saved = await page.request.get(`${dashboard.origin}/api/campaigns/${id}/affinities`);
    expect(await saved.json()).toMatchObject([
      { affinity_type: "location", affinity_value: "boathouse", weight: 1.1 },
      { affinity_type: "location", affinity_value: "windmill", weight: 1 },
      { affinity_type: "lighting", affinity_value: "candlelight", weight: 1 },
    ]);
    await page.getByRole("button", { name: "Remove windmill" }).dblclick();
    await warnings.filter({ hasText: "windmill" }).waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("moves a circle on the map by keys and by dragging, and saves it where it lies", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await advertiser(page, "Orla Chart");
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
    const post = await advertiser(page, "Dee Coin");
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

  it("reads that the spend goes on only where it does", async () => {
    const { page, problems } = await dashboard.newPage();
    await advertiser(page, "Sy Row");
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

  it("reads that a campaign has ended instead of how it paces", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await advertiser(page, "Ed Past");
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
    const post = await advertiser(page, "Wy Not");
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
    const post = await advertiser(page, "Ali Lines");
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
    expect(problems).toEqual([]);
  });

  it("simulates a scene of their own, whose drawing and score are those of the API", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await advertiser(page, "Sim Stage");
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

  it("activates and pauses chosen campaigns, and reads which one was refused and why", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await advertiser(page, "Max Many");
    await post("/deposit", { amount_cents: 1_000 });
    const creatives = [
      { creative_type: "narrative_hook", brand_name: "Many", narrative_hook: "A drum rolls." },
    ];
    const common = { budget_cents: 5_000, cpm_bid_cents: 1_000 };
    await post("/campaigns/bulk", {
      campaigns: [
        { ...common, name: "Drums", creatives },
        { ...common, name: "Flutes", creatives },
        { ...common, name: "Unwritten" },
      ],
    });
    const harps = await post("/campaigns", { ...common, name: "Harps" });
    const line = await post(`/campaigns/${harps.id}/creatives`, creatives[0] as object);
    await page.goto(`${dashboard.origin}/campaigns`);
    const chosen = page.getByRole("region", { name: "Chosen rows" });
    const rowOf = (name: string) => page.getByRole("row", { name: new RegExp(name) });
    const choose = async (...names: string[]) => {
      for (const name of names) await page.getByRole("checkbox", { name: `Choose ${name}` }).check();
    };
    await choose("Drums", "Flutes", "Harps", "Unwritten");
    const { origin } = dashboard;
    // A colleague deletes it while the list is open.
    await page.request.delete(`${origin}/api/creatives/${line.id}`, { headers: { origin } });
    await chosen.getByText("1 campaign without a creative cannot be activated.").waitFor();
    await expectAccessibleInPassing(page);
    await chosen.getByRole("button", { name: "Activate 3" }).click();
    const start = page.getByRole("dialog", { name: "Activate 3 campaigns" });
    await start.getByText("Together they may spend $150.00, the rest of their budgets.").waitFor();
    await expectAccessibleInPassing(page);
    await start.getByRole("button", { name: "Activate campaigns" }).click();
    await page.getByText("2 campaigns activated.").waitFor();
    const refusal = page.getByRole("alert").filter({ hasText: "1 campaign could not be activated." });
    await refusal.getByText(/^Harps: .*creative/).waitFor();
    for (const name of ["Drums", "Flutes"]) await rowOf(name).getByText("Active", { exact: true }).waitFor();
    for (const name of ["Harps", "Unwritten"]) {
      await rowOf(name).getByText("Draft", { exact: true }).waitFor();
    }
    // Those that were refused or left out stay chosen for another try.
    await chosen.getByText("2 chosen", { exact: true }).waitFor();
    await chosen.getByRole("button", { name: "Clear" }).click();

    await choose("Drums", "Flutes", "Unwritten");
    await chosen.getByRole("button", { name: "Pause 2" }).click();
    const dialog = page.getByRole("dialog", { name: "Pause 2 campaigns" });
    await dialog.getByText("Pausing stops serving at once.").waitFor();
    await dialog.getByRole("button", { name: "Pause campaigns" }).click();
    await page.getByText("2 campaigns paused.").waitFor();
    for (const name of ["Drums", "Flutes"]) await rowOf(name).getByText("Paused", { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  it("acts on chosen rows that are listed only, and begins a new order on the first page", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await advertiser(page, "Bea Many");
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
    const post = apiOf(page, dashboard.origin);
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
    const post = await advertiser(page, "Sceny Queue");
    const { id } = await post("/campaigns", { name: "Why", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    await post("/placements/sluice", { creator_id: "queue", placement_types: ["narrative_hook"] });
    const sceneAt = (location: string, at: string) => ({
      game_id: "sluice",
      at,
      reason: "no_eligible_campaign",
      country_code: null,
      game_context: { location },
    });
    const scenes = [sceneAt("quay", "2026-11-02T10:00:00.000Z"), sceneAt("lock", "2026-11-01T10:00:00.000Z")];
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
    await page.getByRole("option", { name: /sluice: lock/ }).click();
    await expectSoon(() => place.inputValue(), "lock");
    await expectSoon(async () => (await picker.inputValue()).startsWith("sluice: lock"), true);
    expect(problems).toEqual([]);
  });

  it("stops long work with many campaigns, and ends it by leaving", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await advertiser(page, "Stu Stop");
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
    await page.getByText("1 campaign duplicated. Stopped: the other 2 are as they were.").waitFor();
    await progress.getByText("2 of 3").waitFor({ state: "detached" });
    await page.getByLabel("Search campaigns").fill("");
    await page.getByText("4 rows", { exact: true }).waitFor();

    await duplicate(4);
    await page.getByRole("link", { name: "Money", exact: true }).click();
    await page.getByText("1 campaign duplicated. Stopped: the other 3 are as they were.").waitFor();
    expect(copies).toBe(2);
    expect(problems).toEqual([]);
  });

  it("duplicates a campaign with all its parts, or not at all", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await advertiser(page, "Cora Copy");
    const hook = (narrative_hook: string) => ({
      creative_type: "narrative_hook",
      brand_name: "Quill",
      narrative_hook,
      alt_hooks: ["A pen scratches."],
    });
    const whole = {
      name: "Quills",
      budget_cents: 5_000,
      cpm_bid_cents: 1_000,
      daily_cap_cents: 900,
      end_date: "2027-06-30",
      target_tags: ["tavern"],
      creatives: [hook("A quill scratches."), hook("Ink dries.")],
      geo_targets: [
        { target_type: "country", country_code: "DE" },
        { target_type: "radius", lat: 50, lng: 10, radius_km: 30, include: false },
      ],
      blocklist: [{ rule_type: "keyword", value: "storm" }],
      affinities: [
        { affinity_type: "mood", affinity_value: "calm", weight: 1.5 },
        { affinity_type: "location", affinity_value: "tavern", weight: 1.5 },
      ],
    };
    const answer = await post("/campaigns/bulk", { campaigns: [whole] });
    const { results } = answer as unknown as { results: { campaign: { id: string } }[] };
    const id = results[0]?.campaign.id ?? "";
    const read = async (path: string) =>
      (await (await page.request.get(`${dashboard.origin}/api${path}`)).json()) as {
        [field: string]: unknown;
      }[];
    await page.goto(`${dashboard.origin}/campaigns/${id}`);
    const duplicate = async () => {
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("menuitem", { name: "Duplicate campaign" }).click();
    };
    // One part that is refused on its way leaves nothing behind.
    const isPart = ({ pathname }: URL) => /\/(campaigns\/bulk|creatives)$/.test(pathname);
    const refusal = { status: 503, json: { detail: "Service temporarily unavailable." } };
    await page.route(isPart, (route) =>
      route.request().method() === "POST" ? route.fulfill(refusal) : route.continue(),
    );
    await duplicate();
    await page.getByText("The campaign was not duplicated.").waitFor();
    expect((await read("/campaigns")).map(({ name }) => name)).toEqual(["Quills"]);
    await page.unroute(isPart);

    // An answer that is lost has made a copy: duplicating again opens that one.
    await page.route(isPart, async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      await route.fetch();
      await route.abort();
    });
    await duplicate();
    await page.getByText("The server cannot be reached.").waitFor();
    await page.unroute(isPart);

    await duplicate();
    await page.getByRole("heading", { name: "Quills (copy)" }).waitFor();
    expect((await read("/campaigns")).map(({ name }) => name).sort()).toEqual(["Quills", "Quills (copy)"]);
    const copy = new URL(page.url()).pathname.split("/")[2] ?? "";
    expect(copy).not.toBe(id);
    for (const part of ["", "/creatives", "/geo-targets", "/blocklist", "/affinities"]) {
      const [original, copied] = await Promise.all([
        read(`/campaigns/${id}${part}`),
        read(`/campaigns/${copy}${part}`),
      ]);
      expect(withoutOwn(copied)).toEqual(withoutOwn(original));
    }
    expect(problems).toEqual([]);
  });

  it("keeps what was typed into a copy when the original is opened again", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await advertiser(page, "Ora Ginal");
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

  it("reads the full time of a moment by keyboard", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = await advertiser(page, "Mo Ment");
    await post("/deposit", { amount_cents: 1_000 });
    await page.goto(`${dashboard.origin}/money`);
    const moment = page.getByRole("table", { name: "Deposits" }).getByRole("time");
    await page.getByRole("button", { name: "When", exact: true }).focus();
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
    const { page, problems } = view;
    const campaigns = Array.from({ length: 500 }, (_, index) => ({
      name: `${index < 100 ? "Frost" : "Season"} ${String(index).padStart(3, "0")}`,
      budget_cents: 10_000 + index,
      cpm_bid_cents: 1_000,
    }));
    await apiOf(page, dashboard.origin)("/campaigns/bulk", { campaigns });
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
});

/** The body of the PATCH that a button sends. */
async function sentBy(page: Page, button: string): Promise<unknown> {
  const sent = page.waitForRequest((request) => request.method() === "PATCH");
  await page.getByRole("button", { name: button, exact: true }).click();
  return (await sent).postDataJSON();
}

/** What a copy has in common with its original. */
function withoutOwn(answer: object): unknown {
  const own = ["id", "campaign_id", "name", "created_at", "updated_at"];
  return JSON.parse(JSON.stringify(answer, (key, value) => (own.includes(key) ? undefined : value)));
}

/** Calls the API with the session of the page. */
function apiOf(page: Page, origin: string) {
  return async (path: string, data: object): Promise<{ id: string }> => {
    const response = await page.request.post(`${origin}/api${path}`, { data, headers: { origin } });
    expect({ path, isGood: response.ok() }).toEqual({ path, isGood: true });
    return (await response.json()) as { id: string };
  };
}
