import { readFile } from "node:fs/promises";
import { eventually } from "@diegetic/testing/eventually";
import { itInLongForm } from "@diegetic/testing/rounds";
import { beforeAll, expect, it } from "@jest/globals";
import { apiOf, PASSWORD, registerAdvertiser, sentBy } from "./account.fixture.ts";
import {
  type Dashboard,
  drawn,
  expectAccessibleInPassing,
  expectSoon,
  isFocused,
  type ObservedPage,
} from "./browser.fixture.ts";

/**
 * Tests of the pages of an advertiser.
 * @param running answers the dashboard once it has started
 */
export function describeAdvertiser(running: () => Dashboard): void {
  let dashboard: Dashboard;
  let view: ObservedPage;
  /** Of an advertiser who is registered already, and whose own game sends words. */
  let reader: ObservedPage;
  let post: ReturnType<typeof apiOf>;

  beforeAll(async () => {
    dashboard = running();
    view = await dashboard.newPage();
    reader = await dashboard.newPage();
    post = await registerAdvertiser(reader.page.request, dashboard.origin, "Cy Reed");
  });

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

  itInLongForm("finds the first steps whatever page was opened before", async () => {
    const { page, problems } = await dashboard.newPage();
    const sign = apiOf(page.request, dashboard.origin);
    await sign("/auth/sign-up", { name: "Dee Wharf", email: "dee@wharf.example", password: PASSWORD });
    const refused: string[] = [];
    page.on("response", (response) => {
      if (response.status() === 403) refused.push(new URL(response.url()).pathname);
    });
    await page.goto(`${dashboard.origin}/campaigns`);
    for (const title of ["Campaigns", "Spend", "Money"]) {
      await page.getByRole("link", { name: title, exact: true }).click();
      await page.getByRole("heading", { name: title, exact: true }).waitFor();
      await page.getByRole("link", { name: "Go to the first steps" }).waitFor();
    }
    await page.getByRole("link", { name: "Overview", exact: true }).click();
    await page.getByRole("button", { name: "Register company" }).click();
    await page.getByRole("button", { name: "Deposit $50.00" }).waitFor();
    await page.getByRole("link", { name: "Campaigns", exact: true }).click();
    await page.getByText("A campaign is a budget, a bid, and the lines that players read.").waitFor();
    expect({ refused, problems }).toEqual({ refused: [], problems: [] });
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
      await expectAccessibleInPassing(page);
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
      const country = page.getByRole("combobox", { name: "Country" });
      await country.fill("");
      await country.pressSequentially("ger");
      await page.getByRole("option", { name: "Germany" }).waitFor();
      await drawn(page);
      await country.press("m");
      await page.locator("[role=option][data-combobox-selected]", { hasText: "Germany" }).waitFor();
      await country.press("Enter");
      await expectSoon(() => country.inputValue(), "Germany");
      if (city !== undefined) await page.getByRole("textbox", { name: "City" }).fill(city);
      await page.getByRole("button", { name: "Include place" }).click();
      if (city === undefined) {
        await page.getByText(/players whose place is unknown no longer do/).waitFor();
        await page.getByRole("button", { name: "Show only there" }).click();
      }
      await page
        .getByRole("button", { name: city === undefined ? "Remove Germany" : /Remove Berlin/ })
        .waitFor();
      // The form empties after the list has the place: until then, another kind of place keeps its country.
      await expectSoon(() => country.inputValue(), "");
    }
    await page.getByText(/Berlin adds nothing/).waitFor();
  });

  itInLongForm("reads which circles add nothing to an included country", async () => {
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

  itInLongForm("opens a campaign to the whole world only after agreeing to it", async () => {
    const { page } = view;
    const dialog = page.getByRole("dialog");
    const remove = page.getByRole("button", { name: "Remove Berlin, Germany" });
    await page.getByRole("button", { name: "Remove Germany" }).click();
    await page.getByRole("button", { name: "Remove Germany" }).waitFor({ state: "detached" });
    await expectSoon(() => page.locator(":focus").textContent(), "Places");
    await remove.click();
    await dialog.getByText(/from now on the campaign is shown everywhere in the world/).waitFor();
    await expectAccessibleInPassing(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await remove.click();
    await dialog.waitFor();
    expect(await page.getByText("Berlin, Germany is removed.").count()).toBe(0);
    await dialog.getByRole("button", { name: "Remove and show everywhere" }).click();
    await remove.waitFor({ state: "detached" });
    await page.getByText("Berlin, Germany is removed.").waitFor();
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
    await page.getByText(/^This names no registered game/).waitFor();
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

  itInLongForm("puts an offered bid into the form, and saves it only on request", async () => {
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
    await expectSoon(() => page.locator(":focus").textContent(), "Activate campaign");
  });

  itInLongForm(
    "keeps an unsent change while a colleague changes something else, and reverts nothing",
    async () => {
      const { page } = view;
      const name = page.getByLabel("Name", { exact: true });
      await name.fill("Winter in the taverns, again");
      const campaign = `/campaigns/${new URL(page.url()).pathname.split("/")[2]}`;
      await apiOf(page.request, dashboard.origin)(campaign, { daily_cap_cents: 900 }, "PATCH");
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
    },
  );

  itInLongForm(
    "cannot save a campaign without a budget, and has nothing to save once it is back",
    async () => {
      const { page } = view;
      const budget = page.getByLabel("Budget");
      const stored = await budget.inputValue();
      await budget.fill("");
      await page.getByRole("button", { name: "Save changes" }).click();
      await page.getByText("Fill in this field.").waitFor();
      await expectSoon(() => isFocused(budget), true);
      await budget.fill(stored);
      await page.getByRole("button", { name: "Discard" }).waitFor({ state: "detached" });
      await expectSoon(() => page.getByRole("button", { name: "Save changes" }).isDisabled(), true);
    },
  );

  itInLongForm("says which unsaved change a colleague has overtaken", async () => {
    const { page } = view;
    const budget = page.getByLabel("Budget");
    await budget.fill("91,00");
    const campaign = `/campaigns/${new URL(page.url()).pathname.split("/")[2]}`;
    await apiOf(page.request, dashboard.origin)(campaign, { budget_cents: 9_200 }, "PATCH");
    // As on the way back to the page; what was read a moment ago is not read again.
    await eventually(async () => {
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      return page.getByText("Changed elsewhere meanwhile: Budget. Saving replaces that.").isVisible();
    });
    await page.getByRole("button", { name: "Discard" }).first().click();
    await expectSoon(() => budget.inputValue(), "92.00");
  });

  itInLongForm("names what a colleague has saved meanwhile before it is replaced", async () => {
    const { page } = view;
    const budget = page.getByLabel("Budget");
    const stored = await budget.inputValue();
    await budget.fill("91,00");
    const campaign = `/campaigns/${new URL(page.url()).pathname.split("/")[2]}`;
    const api = apiOf(page.request, dashboard.origin);
    await api(campaign, { budget_cents: 9_300 }, "PATCH");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Changed elsewhere meanwhile: Budget. Saving replaces that.").waitFor();
    expect(await api(campaign, undefined, "GET")).toMatchObject({ budget_cents: 9_300 });
    expect(await sentBy(page, "Save changes")).toEqual({ budget_cents: 9_100 });
    await page.getByText("Changed elsewhere meanwhile").waitFor({ state: "detached" });
    await budget.fill(stored);
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("button", { name: "Discard" }).waitFor({ state: "detached" });
  });

  itInLongForm("clears the product of a creative", async () => {
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

  itInLongForm("changes the company that developers see, from where the overview names it", async () => {
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

  itInLongForm("breaks the spend down, and finds the choice again in the address", async () => {
    const { page } = view;
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

  itInLongForm("loses nothing of a creative by leaving, and gets rid of it on purpose", async () => {
    const { page } = view;
    await page.getByRole("link", { name: "Campaigns", exact: true }).click();
    await page.getByRole("link", { name: "Winter in the taverns" }).click();
    await page.getByRole("link", { name: "Which line works?" }).click();
    await page.getByRole("link", { name: "Write a creative" }).click();
    const line = page.getByLabel("Line", { exact: true });
    await line.waitFor();
    const address = page.url();
    const write = () => page.goto(address);
    await line.fill("A courier asks for the Hearthwell inn.");
    await write();
    await expectSoon(() => line.inputValue(), "A courier asks for the Hearthwell inn.");
    await page.getByRole("button", { name: "Discard draft" }).click();
    await expectSoon(() => line.inputValue(), "");
    await write();
    await expectSoon(() => line.inputValue(), "");
  });

  itInLongForm("gets rid of the draft of a campaign on purpose, too", async () => {
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

  itInLongForm("hears that a deposit was made, whatever the page cannot read after it", async () => {
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
    await page.getByLabel("Amount").fill("1.005");
    await page.getByLabel("Amount").blur();
    await page.getByText("Write an amount such as 50.00 or 5,000.00.").waitFor();
    await page.getByLabel("Amount").fill("50,00");
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

  itInLongForm("comes back to the same page after a session has ended", async () => {
    const { page } = view;
    await page.context().clearCookies();
    await page.goto(`${dashboard.origin}/campaigns?q=winter`);
    await page.getByLabel("E-mail").fill("ada@hearthwell.example");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "Winter in the taverns" }).waitFor();
    await expectSoon(() => new URL(page.url()).search, "?q=winter");
  });

  it("deposits on the way where the balance does not pay for an activation", async () => {
    const { page, problems } = reader;
    const { id } = await post("/campaigns", { name: "Ink", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    const hook = {
      creative_type: "narrative_hook",
      brand_name: "Quill",
      narrative_hook: "A quill scratches.",
    };
    await post(`/campaigns/${id}/creatives`, hook);
    await page.goto(`${dashboard.origin}/campaigns/${id}`);
    // What it may still spend today is said of an active campaign alone.
    const today = page.locator("dl > div").filter({ hasText: "Spend today" }).locator("dd");
    await expectSoon(() => today.allTextContents(), ["$0.00", "yesterday $0.00"]);
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

  itInLongForm.each([
    ["en-US", "1,234.50", "1,234.50", "Deposit $1,234.50"],
    ["de-DE", "1.234,50", "1.234,50", "Deposit 1.234,50 $"],
    ["ar-EG", "1,234.50", "1,234.50", /^Deposit /],
  ])("writes an amount as people of the locale %s do", async (locale, typed, shown, button) => {
    const { page, problems } = await dashboard.newPage(locale);
    await registerAdvertiser(page.request, dashboard.origin, `Ledger ${locale}`);
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
    const { id } = await post("/campaigns", { name: "Reeds", budget_cents: 5_000, cpm_bid_cents: 1_000 });
    await post("/placements/marsh", { creator_id: "reed", placement_types: ["narrative_hook"] });
    const scene = { category: "angling", location: "boathouse" };
    await post("/match", { game_id: "marsh", user_id: "player", game_context: scene });
    // Words that were read once are cached: what the game sent has to be recorded before.
    const isRecorded = async () => {
      const traffic = await page.request.get(`${origin}/api/traffic`);
      return (await traffic.json()).games[0]?.requests === 1;
    };
    await eventually(isRecorded, { everyMs: 100 });

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
    const warnings = page.getByRole("status").filter({ hasText: "Worth knowing" }).getByRole("listitem");
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

  itInLongForm(
    "is warned of a daily cap below the price of one impression before it stops the campaign",
    async () => {
      const { page, problems } = reader;
      const warning =
        "The daily cap is below the price of one impression, $0.10: the campaign is not served.";
      await page.goto(`${dashboard.origin}/campaigns/new`);
      await page.getByLabel("Bid per thousand impressions").fill("100");
      await page.getByLabel("Daily cap (optional)").fill("0.09");
      await page.getByText(warning).waitFor();
      await page.getByLabel("Daily cap (optional)").fill("0.10");
      await page.getByText(warning).waitFor({ state: "detached" });
      await page.getByRole("link", { name: "Discard draft" }).click();

      const capped = { name: "Sedge", budget_cents: 5_000, cpm_bid_cents: 10_000, daily_cap_cents: 9 };
      const { id } = await post("/campaigns", capped);
      const hook = { creative_type: "narrative_hook", brand_name: "Sedge", narrative_hook: "Sedge sways." };
      await post(`/campaigns/${id}/creatives`, hook);
      await page.goto(`${dashboard.origin}/campaigns/${id}`);
      await page.getByRole("button", { name: "Activate campaign" }).click();
      const dialog = page.getByRole("dialog", { name: "Activate Sedge" });
      await dialog.getByText(warning).waitFor();
      await expectAccessibleInPassing(page);
      await dialog.getByRole("button", { name: "Activate campaign" }).click();
      await page
        .getByText("Active, not serving: the daily cap is below the price of one impression")
        .waitFor();
      expect(problems).toEqual([]);
    },
  );

  itInLongForm("activates and pauses chosen campaigns, and reads which one was refused and why", async () => {
    const { page, problems } = reader;
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
    // A colleague deletes it while the list is open.
    await post(`/creatives/${line.id}`, undefined, "DELETE");
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

  itInLongForm("duplicates a campaign with all its parts, or not at all", async () => {
    const { page, problems } = reader;
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
    const { results } = await post<{ results: { campaign: { id: string } }[] }>("/campaigns/bulk", {
      campaigns: [whole],
    });
    const id = results[0]?.campaign.id ?? "";
    const read = async (path: string) =>
      (await (await page.request.get(`${dashboard.origin}/api${path}`)).json()) as {
        [field: string]: unknown;
      }[];
    const names = async () =>
      (await read("/campaigns")).map(({ name }) => String(name)).filter((name) => name.startsWith("Quills"));
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
    await page.getByText("It is not known whether the campaign was duplicated.").waitFor();
    expect(await names()).toEqual(["Quills"]);
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
    expect((await names()).sort()).toEqual(["Quills", "Quills (copy)"]);
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
}

/** What a copy has in common with its original. */
function withoutOwn(answer: object): unknown {
  const own = ["id", "campaign_id", "name", "created_at", "updated_at"];
  return JSON.parse(JSON.stringify(answer, (key, value) => (own.includes(key) ? undefined : value)));
}
