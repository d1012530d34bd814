import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { verifyWebhook } from "@diegetic/client";
import { eventually } from "@diegetic/testing/eventually";
import { itInLongForm, rounds } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { apiOf, PASSWORD } from "./account.fixture.ts";
import {
  type Dashboard,
  expectAccessibleInPassing,
  expectSoon,
  faintDisabledTexts,
  type ObservedPage,
  openPage,
  startDashboard,
} from "./browser.fixture.ts";
import { describeForms } from "./forms.group.ts";

const SETUP_TOKEN = "what whoever started it knows";
/** The names of controls that change something; a viewer sees none of them. */
const CHANGING =
  /^(Activate|Add|Allow|Ask|Block|Create|Delete|Deposit|Duplicate|Edit|Exclude|Include|Invite|More|New|Pause|Register|Remove|Rename|Resolve|Revoke|Rotate|Save|Send|Turn|Withdraw|Write)\b/;
const GAME = "hearth-keep";

let dashboard: Dashboard;
let owner: ObservedPage;
let campaignId = "";
beforeAll(async () => {
  dashboard = await startDashboard({ SETUP_TOKEN, WEBHOOK_ADDRESSES: "any" });
  owner = await dashboard.newPage();
  campaignId = await signUpWithCampaign(owner.page, dashboard.origin);
});
afterAll(() => dashboard?.stop());

describe("the webhooks of an account", () => {
  let server: Server;
  let url: string;
  const received: { signature: string; body: string }[] = [];

  beforeAll(async () => {
    server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
    server.on("request", async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      received.push({ signature: String(request.headers["diegetic-signature"]), body });
      response.end("heard");
    });
  });
  afterAll(() => {
    server?.close();
  });

  it("are created, tried, delivered again, rotated and deleted", async () => {
    const { page, problems } = owner;
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.getByText("Nobody listens at the door yet.").waitFor();
    await expectAccessibleInPassing(page);
    await page.getByRole("button", { name: "Create webhook" }).first().click();
    const dialog = page.getByRole("dialog");
    const address = dialog.getByLabel("Address");
    await address.fill("https://studio.example/unsent");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Create webhook" }).first().click();
    await expectSoon(() => address.inputValue(), "https://studio.example/unsent");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Create webhook" }).first().click();
    await expectSoon(() => address.inputValue(), "");
    await address.fill(url);
    await dialog.getByRole("checkbox", { name: "Balance low" }).click();
    await dialog.getByLabel("Balance below (optional)").fill("25.00");
    await expectAccessibleInPassing(page);
    await dialog.getByRole("button", { name: "Create webhook" }).click();
    const shown = dialog.getByLabel("secret", { exact: true });
    const secret = (await shown.textContent()) ?? "";
    expect(secret).toMatch(/^whsec_/);
    await dialog.getByRole("button", { name: "I have stored it" }).click();

    await page.getByRole("link", { name: url }).click();
    await page.getByRole("button", { name: "Send test event" }).click();
    await page.getByRole("row", { name: /webhook\.test.*Delivered/ }).waitFor();
    await page.getByRole("button", { name: "Send again: webhook.test" }).click();
    await eventually(() => received.length === 2);
    const events = await Promise.all(received.map((request) => verifyWebhook({ ...request, secret })));
    expect(events[0]?.type).toBe("webhook.test");
    expect(events[1]).toEqual(events[0]);
    await page.getByText(/2 attempts: answered 200/).waitFor();
    await page.getByRole("button", { name: "Details of webhook.test" }).click();
    await expectSoon(() => dialog.getByRole("row", { name: /^Answered 200 .* heard$/ }).count(), 2);
    const body = await dialog.getByText(/^{\s+"id": "evt_/).textContent();
    expect(JSON.parse(body ?? "")).toEqual(JSON.parse(received[0]?.body ?? ""));
    await expectAccessibleInPassing(page);
    await page.goBack();
    await dialog.waitFor({ state: "detached" });

    await page.getByRole("main").getByRole("link", { name: "Webhooks" }).click();
    await page.getByRole("button", { name: `Edit ${url}` }).click();
    await dialog.getByRole("switch", { name: "Active" }).click();
    await expectAccessibleInPassing(page);
    const [request] = await Promise.all([
      page.waitForRequest((sent) => sent.method() === "PATCH"),
      dialog.getByRole("button", { name: "Save changes" }).click(),
    ]);
    expect(request.postDataJSON()).toEqual({ is_active: false });
    await page.getByRole("row", { name: /Inactive/ }).waitFor();
    let letAnswer: () => void = () => undefined;
    const mayAnswer = new Promise<void>((resolve) => {
      letAnswer = resolve;
    });
    await page.route("**/rotate-secret", async (route) => {
      await mayAnswer;
      await route.continue();
    });
    await page.getByRole("button", { name: `Rotate secret of ${url}` }).click();
    await dialog.getByRole("button", { name: "Rotate secret" }).click();
    // The secret is in the answer: nothing closes the dialog before.
    await page.keyboard.press("Escape");
    letAnswer();
    await shown.waitFor();
    expect(await shown.textContent()).not.toBe(secret);
    await page.goBack();
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();

    await page.getByRole("button", { name: `Delete ${url}` }).click();
    await dialog.getByRole("button", { name: "Delete webhook" }).waitFor();
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: `Delete ${url}` }).click();
    await dialog.getByRole("button", { name: "Delete webhook" }).click();
    await page.getByText("Nobody listens at the door yet.").waitFor();
    expect(problems).toEqual([]);
  });

  itInLongForm("ignore an invalid threshold whose event is no longer chosen", async () => {
    const { page, problems } = owner;
    const dialog = page.getByRole("dialog");
    const low = dialog.getByRole("checkbox", { name: "Balance low" });
    const threshold = dialog.getByLabel("Balance below (optional)");
    const unseen = dialog.getByRole("checkbox", { name: "Many unseen matches" });
    const percent = dialog.getByLabel("Unseen matches, percent (optional)");
    await page.getByRole("button", { name: "Create webhook" }).first().click();
    await dialog.getByLabel("Address").fill(url);
    await dialog.getByRole("checkbox", { name: "Earnings complete" }).click();
    await low.click();
    await threshold.fill("0");
    await unseen.click();
    await percent.fill("0");
    await low.click();
    await unseen.click();
    await dialog.getByRole("button", { name: "Create webhook" }).click();
    await dialog.getByLabel("secret", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "I have stored it" }).click();

    await page.getByRole("button", { name: `Edit ${url}` }).click();
    await low.click();
    await threshold.fill("0");
    await low.click();
    await low.click();
    await expectSoon(() => threshold.inputValue(), "100.00");
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("row", { name: /Balance low/ }).waitFor();
    await page.getByRole("button", { name: `Delete ${url}` }).click();
    await dialog.getByRole("button", { name: "Delete webhook" }).click();
    await page.getByText("Nobody listens at the door yet.").waitFor();
    expect(problems).toEqual([]);
  });

  itInLongForm("say that a webhook could not be read, although its deliveries could", async () => {
    const { page, problems } = owner;
    const post = apiOf(page.request, dashboard.origin);
    const webhook = { url: "https://unread.example/events", events: ["campaign.exhausted"] };
    const { id } = await post("/webhooks", webhook);
    const isWebhook = ({ pathname }: URL) => pathname.endsWith(`/api/webhooks/${id}`);
    await page.route(isWebhook, (route) =>
      route.fulfill({
        status: 503,
        headers: { "Retry-After": "1" },
        json: { detail: "Service unavailable." },
      }),
    );
    await page.goto(`${dashboard.origin}/webhooks/${id}`);
    await page.getByText("No raven has flown yet.").waitFor();
    const again = page.getByRole("button", { name: "Try again: Address" });
    await again.waitFor();
    const test = page.getByRole("button", { name: "Send test event" });
    expect(await test.count()).toBe(0);
    await expectAccessibleInPassing(page);
    await page.unroute(isWebhook);
    await again.click();
    await page.getByText(webhook.url).waitFor();
    await test.waitFor();
    await post(`/webhooks/${id}`, undefined, "DELETE");
    expect(problems).toEqual([]);
  });
});

describe("the members of an account", () => {
  let invited: ObservedPage;
  /** Of Bo Quill, who has an account of his own and is a viewer of Hearthwell. */
  let twofold: ObservedPage;

  beforeAll(async () => {
    invited = await dashboard.newPage();
    twofold = await dashboard.newPage();
  });

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
    await expectSoon(() => page.locator(":focus").textContent(), "Copy invitation link");
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("table", { name: "Open invitations" }).getByText("Vera").waitFor();

    const reads: number[] = [];
    invited.page.on("response", (response) => {
      if (response.url().endsWith("/auth/invitation")) reads.push(response.status());
    });
    await invited.page.goto(link ?? "");
    await invited.page.getByRole("heading", { name: "Join Hearthwell" }).waitFor();
    await expectAccessibleInPassing(invited.page);
    await invited.page.getByLabel("Your name").fill("Vera Quill");
    await invited.page.getByLabel("E-mail").fill("vera@hearthwell.example");
    await invited.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await invited.page.getByRole("button", { name: "Create account and join" }).click();
    await invited.page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(reads).toEqual([200]);

    await twofold.page.goto(link ?? "");
    await twofold.page.getByText("This invitation cannot be used.").waitFor();
    expect([...problems, ...invited.problems, ...twofold.problems]).toEqual([]);
  });

  it("look at everything as a viewer, and find nothing that changes it", async () => {
    const { page, problems } = invited;
    await openPage(page, `${dashboard.origin}/webhooks`);
    await page.getByText("Owners and managers of the account can create one.").waitFor();
    // Forgets the empty list, which stays fresh for a while.
    await page.goto(dashboard.origin);
    const game = { creator_id: "hearth", placement_types: ["narrative_hook"] };
    expect(await statusOf(owner.page, "POST", `/placements/${GAME}`, game)).toBe(201);
    const webhook = { url: "https://hooks.hearthwell.example/diegetic", events: ["campaign.exhausted"] };
    expect(await statusOf(owner.page, "POST", "/webhooks", webhook)).toBe(201);
    for (const [path, landmark] of pagesOf(campaignId).slice(0, rounds(14, 25))) {
      await openPage(page, `${dashboard.origin}${path}`);
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

  itInLongForm("are offered to reload a page whose account another tab has switched", async () => {
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

  itInLongForm("switch accounts by the menu, and find their theme again", async () => {
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
    await choose("System theme");
    await expectSoon(scheme, "light");
    expect(problems).toEqual([]);
  });

  itInLongForm("end a session of another browser, which is asked to sign in at its next action", async () => {
    const { page, problems } = twofold;
    const other = await dashboard.newPage();
    await other.page.goto(`${dashboard.origin}/campaigns`);
    await signIn(other.page, PASSWORD);
    const members = other.page.getByRole("link", { name: "Members", exact: true });
    await members.waitFor();
    await page.goto(`${dashboard.origin}/account`);
    const rows = page.getByRole("table", { name: "Sessions" }).getByRole("row");
    const own = rows.filter({ hasText: "This browser" });
    await own.waitFor();
    expect(await rows.count()).toBe(3);
    expect(await own.getByRole("button").count()).toBe(0);
    const endOthers = page.getByRole("button", { name: "End other sessions" });
    await endOthers.waitFor();
    await expectAccessibleInPassing(page);
    await rows.getByRole("button", { name: /^End session in / }).click();
    await page.getByText("The session was ended.").waitFor();
    await expectSoon(() => rows.count(), 2);
    await own.waitFor();
    expect(await endOthers.count()).toBe(0);

    await members.click();
    await other.page.getByText(/^Your session has ended\./).waitFor();
    await expectAccessibleInPassing(other.page);
    expect([...problems, ...other.problems]).toEqual([]);
  });

  itInLongForm("change their password, and sign in with the new one only", async () => {
    const { page, problems } = twofold;
    await openPage(page, `${dashboard.origin}/account`);
    const current = page.getByLabel("Current password");
    const next = "a calmer evening by the fire";
    await current.fill("not this one");
    const { user } = await (await page.request.get(`${dashboard.origin}/api/session`)).json();
    await page.getByLabel("New password").fill(user.email);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText(/^Use another one than your e-mail address/).waitFor();
    await page.getByLabel("New password").fill(next);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText(/^This is wrong: send the password/).waitFor();
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
    await signIn(page, PASSWORD);
    await page.getByRole("alert").waitFor();
    await signIn(page, next);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(problems).toEqual([]);
  });

  itInLongForm(
    "see a notice while their browser is offline, and what an installation nearby answers",
    async () => {
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

      // A page that was not opened before comes with the connection.
      const isPart = /\/webhooks-[^/]+\.js$/;
      await page.route(isPart, (route) => route.abort());
      await page.getByRole("link", { name: "Webhooks", exact: true }).click();
      await page.getByText("This page could not be shown.").waitFor();
      await page.unroute(isPart);
      await page.evaluate("dispatchEvent(new Event('online'))");
      await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
      await page.close();
    },
  );

  it("lose access as soon as an owner removes them, and their keys with them", async () => {
    const { page } = owner;
    await page.getByRole("combobox", { name: "Role of Vera Quill" }).click();
    await page.getByRole("option", { name: "Owner" }).click();
    await page
      .getByRole("dialog", { name: "Make Vera Quill an owner" })
      .getByRole("button", { name: "Make owner" })
      .click();
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

describe("an account of one's own", () => {
  itInLongForm("says that the creators of its keys could not be read", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = apiOf(page.request, dashboard.origin);
    await post("/auth/sign-up", { name: "Key Smith", email: "key@smith.example", password: PASSWORD });
    await post("/api-keys", { label: "Forge", scopes: ["serving"] });
    const unavailable = { status: 503, json: { detail: "Service temporarily unavailable." } };
    await page.route("**/api/members", (route) => route.fulfill(unavailable));
    await page.goto(`${dashboard.origin}/keys`);
    const again = page.getByRole("button", { name: "Try again: Created by" });
    await again.waitFor();
    await page.unroute("**/api/members");
    await again.click();
    await page.getByRole("row", { name: /Forge.*Key Smith/ }).waitFor();
    expect(problems).toEqual([]);
  });

  itInLongForm("keeps names and addresses of any length within its pages", async () => {
    const { page, problems } = await dashboard.newPage();
    const post = apiOf(page.request, dashboard.origin);
    const email = "maximiliane.schwarzenberger315@wolkenspielstudios.example";
    const long = "Wolkenspiel".repeat(20).slice(0, 200);
    await post("/auth/sign-up", { name: long, email, password: PASSWORD });
    await post("/register", { company_name: long, contact_email: email });
    await post("/campaigns", { name: long, budget_cents: 5_000, cpm_bid_cents: 1_000 });
    await post("/api-keys", { label: long, scopes: ["serving"] });
    const webhook = { url: `https://studio.example/${long}`, events: ["campaign.exhausted"] };
    const { id } = await post("/webhooks", webhook);
    const paths = ["/", "/campaigns", "/keys", "/webhooks", `/webhooks/${id}`, "/members", "/account"];
    const outside = `(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return scrollWidth - clientWidth;
    })()`;
    const found: unknown[] = [];
    for (const width of [320, 820, 1_280]) {
      await page.setViewportSize({ width, height: 800 });
      for (const path of paths) {
        await page.goto(`${dashboard.origin}${path}`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" });
        const by = await page.evaluate<number>(outside);
        if (by > 0) found.push([width, path, by]);
      }
    }
    expect(found).toEqual([]);

    await page.setViewportSize({ width: 320, height: 800 });
    await page.goto(`${dashboard.origin}/members`);
    await page.getByText("More", { exact: false }).first().click();
    const address = page.getByText(email, { exact: true });
    await address.waitFor();
    const value = address.locator("xpath=ancestor::dd[1]");
    expect(await value.evaluate((cell) => cell.scrollWidth - cell.clientWidth)).toBe(0);
    const { x = 0, width: shown = 0 } = (await address.boundingBox()) ?? {};
    expect([x > 0, x + shown < 320]).toEqual([true, true]);

    await page.setViewportSize({ width: 1_280, height: 800 });
    const pushedOut = (box: Locator) =>
      box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    for (const [path, table] of [
      ["keys", "API keys"],
      ["members", "Members"],
    ]) {
      await page.goto(`${dashboard.origin}/${path}`);
      const rows = page.getByRole("table", { name: table });
      await rows.getByText(long).first().waitFor();
      expect([path, await pushedOut(rows.locator(".."))]).toEqual([path, 0]);
    }
    const icon = page.getByRole("button", { name: /^Account menu/ }).locator("svg");
    expect((await icon.boundingBox())?.width).toBe(16);
    await owner.page.setViewportSize({ width: 1_280, height: 800 });
    await owner.page.goto(`${dashboard.origin}/system`);
    const accounts = owner.page.getByRole("table", { name: "Accounts" });
    await accounts.getByText(long).first().waitFor();
    expect(await pushedOut(accounts.locator(".."))).toBe(0);
    expect([...problems, ...owner.problems]).toEqual([]);
  });
});

describe("a form of the dashboard", () => describeForms(() => dashboard));

/** Signs in as Bo Quill. */
async function signIn(page: Page, password: string): Promise<void> {
  await page.getByLabel("E-mail").fill("bo@quill.example");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Pages, each with a text that says that it has loaded: first those on which members change something. */
function pagesOf(campaignId: string): [path: string, landmark: string | RegExp][] {
  return [
    ["/campaigns", "Winter in the taverns"],
    [`/campaigns/${campaignId}`, "Spend and where it leads"],
    [`/campaigns/${campaignId}/targeting`, "Blocklist"],
    [`/campaigns/${campaignId}/settings`, "Bid per thousand impressions"],
    [`/campaigns/${campaignId}/lines`, "Creatives"],
    ["/money", "+$50.00"],
    ["/members", "ada@hearthwell.example"],
    ["/keys", "As a viewer you can look at keys only"],
    ["/webhooks", "hooks.hearthwell.example"],
    ["/games", GAME],
    [`/games/${GAME}/advertisers`, "Nobody has spoken here yet."],
    [`/games/${GAME}/settings`, "As a viewer you can look at settings only"],
    ["/match-tester", "As a viewer you cannot ask for ads"],
    ["/account", "Developers see it when they decide which advertisers their games show."],
    ["/", "First steps"],
    ["/campaigns/new", "Ask an owner or a manager"],
    [`/campaigns/${campaignId}/creatives/new`, "Ask an owner or a manager"],
    [`/campaigns/${campaignId}/simulator`, "Try one of these"],
    [`/campaigns/${campaignId}/explain`, "Text of the scene"],
    ["/spend", "One row for each"],
    [`/games/${GAME}`, "Calls over time"],
    [`/games/${GAME}/reasons`, "No scene has asked yet."],
    [`/games/${GAME}/words`, "No word has been said yet."],
    ["/earnings", "Nobody has paid here yet."],
    ["/snippets", "Watch it arrive"],
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
  await page.getByText(/^This is wrong or missing/).waitFor();
  await page.getByLabel("Setup token", { exact: true }).fill(SETUP_TOKEN);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  const post = apiOf(page.request, origin);
  await post("/register", { company_name: "Hearthwell", contact_email: "ada@hearthwell.example" });
  await post("/deposit", { amount_cents: 5_000 });
  const campaign = { name: "Winter in the taverns", budget_cents: 5_000, cpm_bid_cents: 1_000 };
  const { id } = await post("/campaigns", campaign);
  const line = { brand_name: "Hearthwell", narrative_hook: "The innkeeper pours you a Hearthwell ale." };
  await post(`/campaigns/${id}/creatives`, { creative_type: "narrative_hook", ...line });
  return id;
}
