import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import {
  type Dashboard,
  expectSoon,
  type ObservedPage,
  seriousViolations,
  startDashboard,
} from "./browser.fixture.ts";

const PASSWORD = "a calm evening by the fire";

describe("an advertiser in the dashboard", () => {
  let dashboard: Dashboard;
  let view: ObservedPage;

  beforeAll(async () => {
    dashboard = await startDashboard();
    view = await dashboard.newPage();
  });
  afterAll(() => dashboard?.stop());

  it("comes from the address alone to a first active campaign", async () => {
    const { page, problems } = view;
    await page.goto(dashboard.origin);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Enter an e-mail address, such as name@example.com.").waitFor();
    await page.getByText("Fill in this field.").waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "Create an account" }).click();
    await page.getByRole("heading", { name: "Create an account" }).waitFor();
    await page.getByLabel("Password", { exact: true }).fill("short");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Use at least 10 characters.").waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByLabel("Your name").fill("Ada Hearth");
    await page.getByLabel("E-mail").fill("ada@hearthwell.example");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("Company or studio (optional)").fill("Hearthwell");
    await page.getByRole("button", { name: "Create account" }).click();

    await page.getByRole("heading", { name: "First steps" }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Register company" }).click();
    await page.getByRole("button", { name: "Deposit $50.00" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Winter in the taverns");
    await page.getByRole("button", { name: "Create campaign" }).click();
    await page.getByLabel("Line", { exact: true }).fill("The innkeeper pours you a Hearthwell ale.");
    await page.getByRole("button", { name: "Save creative" }).click();
    await page.getByRole("button", { name: "Activate campaign" }).click();

    await page.getByRole("heading", { name: "First steps" }).waitFor({ state: "detached" });
    await page.getByText("Winter in the taverns is active.").waitFor();
    await page.getByRole("link", { name: "Campaigns", exact: true }).click();
    const row = page.getByRole("row", { name: /Winter in the taverns/ });
    await row.getByText("Active", { exact: true }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("finds every question of a campaign answered on a page that everybody can use", async () => {
    const { page, problems } = view;
    await page.getByRole("link", { name: "Winter in the taverns" }).click();
    await page.getByRole("heading", { name: "Spend against the ideal line" }).waitFor();
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
    for (const [kind, city] of [["Country"], ["City", "Berlin"]] as const) {
      await page.getByRole("radiogroup", { name: "Kind of place" }).getByText(kind).click();
      await page.getByRole("combobox", { name: "Country" }).fill("Germany");
      await page.getByRole("option", { name: "Germany" }).click();
      if (city !== undefined) await page.getByRole("textbox", { name: "City" }).fill(city);
      await page.getByRole("button", { name: "Include place" }).click();
      await page
        .getByRole("button", { name: city === undefined ? "Remove Germany" : /Remove Berlin/ })
        .waitFor();
    }
    await page.getByText(/Berlin adds nothing/).waitFor();
  });

  it("sees the simulated scene, and why the campaign would not be served", async () => {
    const { page, problems } = view;
    await page.getByRole("link", { name: "How does it look?" }).click();
    await page.getByRole("img", { name: /A drawing of/ }).waitFor();
    await page.getByText("The innkeeper pours you a Hearthwell ale.").waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "Why not?" }).click();
    await page.getByRole("combobox", { name: "Game" }).fill("no-such-game");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("The scene could not be explained.").waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("changes the campaign, shows the consequence first, and rejects an invalid bid", async () => {
    const { page } = view;
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Bid per thousand impressions").fill("0.50");
    await page.getByText("A new bid counts from the next match").waitFor();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Enter a number from $1.00 to $100.00.").waitFor();
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
    expect(await seriousViolations(page)).toEqual([]);
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
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Pause campaign" }).click();
    await dialog.getByRole("button", { name: "Pause campaign" }).click();
    await page.getByRole("button", { name: "Activate campaign" }).waitFor();
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
    await page.getByRole("link", { name: "Settings" }).click();
    await expectSoon(() => name.inputValue(), "Winter in the taverns, again");
    await expectSoon(() => page.getByLabel("Daily cap (optional)").inputValue(), "9.00");
    expect(await sentBy(page, "Save changes")).toEqual({ name: "Winter in the taverns, again" });
    await page.getByRole("heading", { name: "Winter in the taverns, again" }).waitFor();
  });

  it("cannot save a campaign without a budget, and has nothing to save once it is back", async () => {
    const { page } = view;
    const budget = page.getByLabel("Budget");
    const stored = await budget.inputValue();
    await budget.fill("");
    expect(await sentBy(page, "Save changes")).toEqual({ budget_cents: null });
    await page.getByText(/^budget_cents must be/).waitFor();
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
    expect(await seriousViolations(page)).toEqual([]);
  });

  it("breaks the spend down, and finds the choice again in the address", async () => {
    const { page } = view;
    await page.getByRole("link", { name: "Spend", exact: true }).click();
    await page.getByLabel("Country").click();
    await page.waitForURL(/by=day-campaign-country/);
    await page.getByText("Not a coin has moved.").waitFor();
    expect(await seriousViolations(page)).toEqual([]);
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
    expect(await seriousViolations(page)).toEqual([]);
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

  it("is offered the words that games send, and may enter any other", async () => {
    const { page, problems } = await dashboard.newPage();
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
    const input = page.locator("input");
    await page
      .getByLabel(/^Only in games of these categories/)
      .and(input)
      .click();
    await page.getByRole("option", { name: "angling", exact: true }).click();
    const tags = page.getByLabel(/^Only in scenes with one of these tags/).and(input);
    await tags.click();
    await page.getByRole("option", { name: "boathouse", exact: true }).click();
    await tags.fill("heron");
    await tags.press("Enter");
    expect(await sentBy(page, "Save changes")).toEqual({
      target_categories: ["angling"],
      target_tags: ["boathouse", "heron"],
    });

    await page.getByRole("link", { name: "Where may it appear?" }).click();
    await page.getByRole("button", { name: "Block something" }).click();
    await page.getByLabel("Value", { exact: true }).and(input).click();
    await page.getByRole("option", { name: "boathouse", exact: true }).click();
    await page.getByRole("button", { name: "Add rule" }).click();
    await page.getByRole("button", { name: "Remove boathouse" }).waitFor();
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
    expect(await seriousViolations(page)).toEqual([]);

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
  await page.getByRole("button", { name: button }).click();
  return (await sent).postDataJSON();
}

/** Calls the API with the session of the page. */
function apiOf(page: Page, origin: string) {
  return async (path: string, data: object): Promise<{ id: string }> => {
    const response = await page.request.post(`${origin}/api${path}`, { data, headers: { origin } });
    expect({ path, isGood: response.ok() }).toEqual({ path, isGood: true });
    return (await response.json()) as { id: string };
  };
}
