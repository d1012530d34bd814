import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import {
  type Dashboard,
  expectAccessibleInPassing,
  expectSoon,
  faintDisabledTexts,
  type ObservedPage,
  startDashboard,
} from "./browser.fixture.ts";

const SETUP_TOKEN = "what whoever started it knows";
const PASSWORD = "a calm evening by the fire";
/** The names of controls that change something; a viewer sees none of them. */
const CHANGING =
  /^(Activate|Add|Allow|Ask|Block|Create|Delete|Deposit|Duplicate|Edit|Exclude|Include|Invite|More|New|Pause|Register|Remove|Rename|Resolve|Revoke|Rotate|Save|Send|Turn|Withdraw|Write)\b/;
const GAME = "hearth-keep";

describe("the members of an account", () => {
  let dashboard: Dashboard;
  let owner: ObservedPage;
  let invited: ObservedPage;
  /** Of Bo Quill, who has an account of his own and is a viewer of Hearthwell. */
  let twofold: ObservedPage;
  let campaignId = "";

  beforeAll(async () => {
    dashboard = await startDashboard({ SETUP_TOKEN });
    owner = await dashboard.newPage();
    invited = await dashboard.newPage();
    twofold = await dashboard.newPage();
    campaignId = await signUpWithCampaign(owner.page, dashboard.origin);
  });
  afterAll(() => dashboard?.stop());

  it("join by the link that an owner passes on, which works once", async () => {
    const { page, problems } = owner;
    await page.getByRole("link", { name: "Members", exact: true }).click();
    await page.getByRole("button", { name: "Invite member" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: "Role" }).click();
    await page.getByRole("option", { name: "Viewer" }).click();
    await dialog.getByLabel("For whom (optional)").fill("Vera");
    await expectAccessibleInPassing(page);
    await dialog.getByRole("button", { name: "Create invitation link" }).click();
    const link = await dialog.getByText(/\/join#/).textContent();
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("table", { name: "Open invitations" }).getByText("Vera").waitFor();

    await invited.page.goto(link ?? "");
    await invited.page.getByRole("heading", { name: "Join Hearthwell" }).waitFor();
    await expectAccessibleInPassing(invited.page);
    await invited.page.getByLabel("Your name").fill("Vera Quill");
    await invited.page.getByLabel("E-mail").fill("vera@hearthwell.example");
    await invited.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await invited.page.getByRole("button", { name: "Create user and join" }).click();
    await invited.page.getByRole("heading", { name: "Overview" }).waitFor();

    const late = await dashboard.newPage();
    await late.page.goto(link ?? "");
    await late.page.getByText("This invitation cannot be used.").waitFor();
    expect([...problems, ...invited.problems, ...late.problems]).toEqual([]);
  });

  it("look at everything as a viewer, and find nothing that changes it", async () => {
    const { page, problems } = invited;
    const game = { creator_id: "hearth", placement_types: ["narrative_hook"] };
    expect(await statusOf(owner.page, "POST", `/placements/${GAME}`, game)).toBe(201);
    const webhook = { url: "https://hooks.hearthwell.example/diegetic", events: ["campaign.exhausted"] };
    expect(await statusOf(owner.page, "POST", "/webhooks", webhook)).toBe(201);
    for (const [path, landmark] of pagesOf(campaignId)) {
      await page.goto(`${dashboard.origin}${path}`);
      await page.getByText(landmark).first().waitFor();
      const controls = [
        ...(await namesOf(page, "button")),
        ...(await namesOf(page, "link")),
        ...(await namesOf(page, "menuitem")),
      ];
      expect({ path, changing: controls.filter((name) => CHANGING.test(name)) }).toEqual({
        path,
        changing: [],
      });
    }
    await page.goto(`${dashboard.origin}/campaigns/${campaignId}/settings`);
    await expectSoon(() => page.getByLabel("Name", { exact: true }).isDisabled(), true);
    expect(await faintDisabledTexts(page)).toEqual([]);
    await expectAccessibleInPassing(page);
    expect(problems).toEqual([]);
  });

  it("are refused by the API as viewers, whatever a page would show", async () => {
    expect(await statusOf(invited.page, "PATCH", `/campaigns/${campaignId}`, { name: "Mine" })).toBe(403);
    expect(await statusOf(invited.page, "POST", `/campaigns/${campaignId}/activate`)).toBe(403);
    expect(await statusOf(invited.page, "POST", "/invitations", { role: "owner" })).toBe(403);
    expect(await statusOf(invited.page, "GET", `/campaigns/${campaignId}`)).toBe(200);
  });

  it("change campaigns as managers, but neither members nor keys", async () => {
    await owner.page.reload();
    await owner.page.getByRole("combobox", { name: "Role of Vera Quill" }).click();
    await owner.page.getByRole("option", { name: "Manager" }).click();
    await owner.page.getByText("Vera Quill is manager now.").waitFor();

    const { page, problems } = invited;
    await page.goto(`${dashboard.origin}/campaigns/${campaignId}/settings`);
    await page.getByLabel("Name", { exact: true }).fill("Autumn in the taverns");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("heading", { name: "Autumn in the taverns" }).waitFor();
    await page.getByRole("link", { name: "Members", exact: true }).click();
    await page.getByRole("row", { name: /Ada Hearth/ }).waitFor();
    await expectSoon(() => page.getByRole("button", { name: "Invite member" }).count(), 0);
    await expectSoon(() => page.getByRole("combobox", { name: /^Role of/ }).count(), 0);
    expect(await statusOf(page, "POST", "/invitations", { role: "viewer" })).toBe(403);
    expect(await statusOf(page, "POST", "/api-keys", { label: "mine", scopes: ["advertiser"] })).toBe(403);
    expect(problems).toEqual([]);
  });

  it("are offered to reload a page whose account another tab has switched", async () => {
    const { page, problems } = twofold;
    await page.goto(`${dashboard.origin}/sign-up`);
    await page.getByLabel("Your name").fill("Bo Quill");
    await page.getByLabel("E-mail").fill("bo@quill.example");
    await expectSoon(() => page.getByLabel("Setup token", { exact: true }).count(), 0);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    const token = await owner.page.evaluate(async () => {
      const init = { headers: { "Content-Type": "application/json" }, body: '{"role":"viewer"}' };
      const answer = await fetch("/api/invitations", { method: "POST", ...init });
      return ((await answer.json()) as { token: string }).token;
    });
    const otherTab = await page.context().newPage();
    await otherTab.goto(`${dashboard.origin}/join#${token}`);
    await otherTab.getByRole("button", { name: "Join as Bo Quill" }).click();
    await otherTab.getByRole("heading", { name: "Overview" }).waitFor();

    await page.getByRole("link", { name: "Campaigns", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Your account has changed" });
    await dialog.waitFor();
    await expectAccessibleInPassing(page);
    await dialog.getByRole("button", { name: "Reload the page" }).click();
    await page.getByRole("link", { name: "Autumn in the taverns" }).waitFor();
    await expectSoon(() => dialog.count(), 0);
    expect(problems).toEqual([]);
  });

  it("switch accounts by the menu, and find their theme again", async () => {
    const { page, problems } = twofold;
    const menu = page.getByRole("button", { name: /^Account menu:/ });
    const choose = async (name: string | RegExp) => {
      await menu.click();
      await page.getByRole("menuitem", { name }).click();
    };
    const campaign = page.getByRole("link", { name: "Autumn in the taverns" });
    await choose(/\(owner\)$/);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await menu.filter({ hasNotText: "Hearthwell" }).waitFor();
    await page.getByRole("link", { name: "Campaigns", exact: true }).click();
    await page.getByRole("heading", { name: "Campaigns", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Go to the first steps" }).waitFor();
    expect(await campaign.count()).toBe(0);
    await choose("Hearthwell (viewer)");
    await menu.filter({ hasText: "Hearthwell" }).waitFor();
    await page.getByRole("link", { name: "Campaigns", exact: true }).click();
    await campaign.waitFor();

    const scheme = () => page.evaluate("getComputedStyle(document.documentElement).colorScheme");
    expect(await scheme()).toBe("light");
    await choose("Dark theme");
    await expectSoon(scheme, "dark");
    await page.reload();
    await campaign.waitFor();
    expect(await scheme()).toBe("dark");
    await choose("Theme of the system");
    await expectSoon(scheme, "light");
    expect(problems).toEqual([]);
  });

  it("end a session of another browser, which is asked to sign in at its next action", async () => {
    const { page, problems } = twofold;
    const other = await dashboard.newPage();
    await signIn(other.page, `${dashboard.origin}/campaigns`, PASSWORD);
    const members = other.page.getByRole("link", { name: "Members", exact: true });
    await members.waitFor();
    await page.goto(`${dashboard.origin}/account`);
    const rows = page.getByRole("table", { name: "Sessions" }).getByRole("row");
    const own = rows.filter({ hasText: "This browser" });
    await own.waitFor();
    expect(await rows.count()).toBe(3);
    expect(await own.getByRole("button").count()).toBe(0);
    await expectAccessibleInPassing(page);
    await rows.getByRole("button", { name: /^End session in / }).click();
    await page.getByText("The session was ended.").waitFor();
    await expectSoon(() => rows.count(), 2);
    await own.waitFor();

    await members.click();
    await other.page.getByText(/^Your session has ended\./).waitFor();
    await expectAccessibleInPassing(other.page);
    expect([...problems, ...other.problems]).toEqual([]);
  });

  it("change their password, and sign in with the new one only", async () => {
    const { page, problems } = twofold;
    const current = page.getByLabel("Current password");
    const next = "a calmer evening by the fire";
    await current.fill("not this one");
    await page.getByLabel("New password").fill(next);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText(/^current_password /).waitFor();
    expect(await current.getAttribute("aria-invalid")).toBe("true");
    await expectAccessibleInPassing(page);
    await current.fill(PASSWORD);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText(/^The password was changed/).waitFor();

    await page.getByRole("button", { name: /^Account menu:/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(new URL(page.url()).search).toBe("");
    expect(await page.getByText(/^Your session has ended/).count()).toBe(0);
    await signIn(page, dashboard.origin, PASSWORD);
    await page.getByRole("alert").waitFor();
    await signIn(page, dashboard.origin, next);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("see a notice while their browser is offline, and what an installation nearby answers", async () => {
    const page = await owner.page.context().newPage();
    await page.goto(`${dashboard.origin}/members`);
    await page.getByRole("heading", { name: "Members", level: 1 }).waitFor();
    const notice = page.getByRole("status", { name: "Connection" }).getByText(/^You are offline/);
    expect(await notice.count()).toBe(0);
    await page.context().setOffline(true);
    await notice.waitFor();
    await expectAccessibleInPassing(page);
    await page.context().setOffline(false);
    await notice.waitFor({ state: "detached" });

    // The browser says that it has no connection, and still reaches this machine.
    await page.evaluate("dispatchEvent(new Event('offline'))");
    await notice.waitFor();
    await page.getByRole("link", { name: "API keys", exact: true }).click();
    await page.getByText("The door is locked, and no key has been cut.").waitFor();
    await notice.waitFor();
    await page.close();
  });

  it("lose access as soon as an owner removes them, and their keys with them", async () => {
    const { page } = owner;
    await page.getByRole("combobox", { name: "Role of Vera Quill" }).click();
    await page.getByRole("option", { name: "Owner" }).click();
    await page.getByText("Vera Quill is owner now.").waitFor();
    await page.getByRole("combobox", { name: "Role of Ada Hearth" }).click();
    await page.getByRole("option", { name: "Viewer" }).click();
    await page.getByRole("dialog", { name: "Give up your role as owner" }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await expectSoon(() => page.getByRole("combobox", { name: "Role of Ada Hearth" }).inputValue(), "Owner");
    await page.getByRole("link", { name: "Account settings", exact: true }).click();
    const row = await page.getByRole("row", { name: /This browser/ }).elementHandle();
    await page.getByRole("textbox", { name: "Name of the account" }).fill("Hearthwell & Quill");
    await page.getByRole("button", { name: "Rename account" }).click();
    await page.getByText(/^Hearthwell & Quill, as /).waitFor();
    expect(await row?.evaluate(({ isConnected }) => isConnected)).toBe(true);
    await page.getByRole("link", { name: "Members", exact: true }).click();
    const key = { label: "Vera's tool", scopes: ["advertiser"] };
    expect(await statusOf(invited.page, "POST", "/api-keys", key)).toBe(201);
    await page.getByRole("button", { name: "Remove Vera Quill" }).click();
    const dialog = page.getByRole("dialog");
    const revoke = dialog.getByRole("checkbox", { name: "Revoke the API keys that they made: Vera's tool" });
    await expectSoon(() => revoke.isChecked(), true);
    await expectAccessibleInPassing(page);
    await dialog.getByRole("button", { name: "Remove member" }).click();
    await page.getByRole("row", { name: /Vera Quill/ }).waitFor({ state: "detached" });
    expect(await statusOf(invited.page, "GET", `/campaigns/${campaignId}`)).not.toBe(200);
    expect(await statusOf(invited.page, "PATCH", `/campaigns/${campaignId}`, { name: "Mine" })).not.toBe(200);
    expect(await statusOf(page, "GET", `/campaigns/${campaignId}`)).toBe(200);
    await page.getByRole("link", { name: "API keys", exact: true }).click();
    await page.getByText("The door is locked, and no key has been cut.").waitFor();
  });
});

/** Signs in as Bo Quill, on the way to an address. */
async function signIn(page: Page, address: string, password: string): Promise<void> {
  await page.goto(address);
  await page.getByLabel("E-mail").fill("bo@quill.example");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Each page, and a text that says that it has loaded. */
function pagesOf(campaignId: string): [path: string, landmark: string | RegExp][] {
  return [
    ["/", "First steps"],
    ["/campaigns", "Winter in the taverns"],
    [`/campaigns/${campaignId}`, "Spend and where it leads"],
    [`/campaigns/${campaignId}/lines`, "Creatives"],
    [`/campaigns/${campaignId}/targeting`, "Blocklist"],
    [`/campaigns/${campaignId}/settings`, "Bid per thousand impressions"],
    ["/money", "+$50.00"],
    ["/members", "ada@hearthwell.example"],
    ["/account", "Developers see it when they decide which advertisers their games show."],
    ["/keys", "As a viewer you can look at keys only"],
    ["/campaigns/new", "Ask an owner or a manager"],
    [`/campaigns/${campaignId}/creatives/new`, "Ask an owner or a manager"],
    ["/spend", "One row for each"],
    [`/campaigns/${campaignId}/simulator`, "Try one of these"],
    [`/campaigns/${campaignId}/explain`, "Text of the scene"],
    ["/games", GAME],
    [`/games/${GAME}`, "Calls over time"],
    [`/games/${GAME}/reasons`, "No scene has asked yet."],
    [`/games/${GAME}/words`, "No word has been said yet."],
    [`/games/${GAME}/advertisers`, "Nobody has spoken here yet."],
    [`/games/${GAME}/settings`, "As a viewer you can look at settings only"],
    ["/match-tester", "As a viewer you cannot ask for ads"],
    ["/earnings", "Nobody has paid here yet."],
    ["/snippets", "Watch it arrive"],
    ["/webhooks", "hooks.hearthwell.example"],
  ];
}

/** The names of all controls of a kind at one moment, as the page goes on living. */
function namesOf(page: Page, role: "button" | "link" | "menuitem"): Promise<string[]> {
  return page
    .getByRole("main")
    .getByRole(role)
    .evaluateAll((found) => found.map((one) => one.getAttribute("aria-label") ?? one.textContent ?? ""));
}

/** The API's response to a request with the session of the page, sent as its own scripts would. */
function statusOf(page: Page, method: string, path: string, body?: object): Promise<number> {
  const request = {
    method,
    ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  };
  return page.evaluate(async ([address, init]) => (await fetch(address, init)).status, [
    `/api${path}`,
    request,
  ] as const);
}

/** An account with a deposit and a draft; answers the id of the campaign. */
async function signUpWithCampaign(page: Page, origin: string): Promise<string> {
  await page.goto(`${origin}/sign-up`);
  await page.getByLabel("Your name").fill("Ada Hearth");
  await page.getByLabel("E-mail").fill("ada@hearthwell.example");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Company or studio (optional)").fill("Hearthwell");
  await page.getByLabel("Setup token", { exact: true }).fill("guessed");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText(/^setup_token is wrong or missing/).waitFor();
  await page.getByLabel("Setup token", { exact: true }).fill(SETUP_TOKEN);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("button", { name: "Register company" }).click();
  await page.getByRole("button", { name: "Deposit $50.00" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Winter in the taverns");
  await page.getByRole("button", { name: "Create campaign" }).click();
  await page.getByLabel("Line", { exact: true }).fill("The innkeeper pours you a Hearthwell ale.");
  await page.getByRole("button", { name: "Save creative" }).click();
  await page.getByRole("button", { name: "Activate campaign" }).waitFor();
  await page.getByRole("link", { name: "Campaigns", exact: true }).click();
  await page.getByRole("link", { name: "Winter in the taverns" }).click();
  await page.waitForURL(/\/campaigns\/camp_/);
  return page.url().split("/").at(-1) ?? "";
}
