import { newId } from "@diegetic/contracts";
import { eventually } from "@diegetic/testing/eventually";
import { itInLongForm, rounds } from "@diegetic/testing/rounds";
import { beforeAll, expect, it } from "@jest/globals";
import type { Locator, Route } from "playwright-core";
import { apiOf, PASSWORD, registerAdvertiser } from "./account.fixture.ts";
import { type Dashboard, drawn, expectSoon, type ObservedPage } from "./browser.fixture.ts";

const GAME = "brine-keep";
const SIGN_IN = { email: "fay@brine.example", password: PASSWORD };

/** As Safari does. */
const LIMIT_CHANGES_OF_ADDRESS = `{
  const replaceState = history.replaceState.bind(history);
  let changes = 0;
  history.replaceState = (...change) => {
    changes += 1;
    if (changes > 100) throw new DOMException("100 times per 30 seconds", "SecurityError");
    replaceState(...change);
  };
}`;

/** As somebody pastes a text into a field. */
const PASTE = `(field, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text", text);
  field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}`;

const PLACEHOLDER_COLOURS = `[...document.querySelectorAll("[role=dialog] input[placeholder]")].map(
  (field) => getComputedStyle(field, "::placeholder").color,
)`;

/**
 * Tests of forms of any area.
 * @param running answers the dashboard once it has started
 */
export function describeForms(running: () => Dashboard): void {
  let dashboard: Dashboard;
  let view: ObservedPage;
  let change: ReturnType<typeof apiOf>;
  let campaignId = "";

  beforeAll(async () => {
    dashboard = running();
    view = await dashboard.newPage();
    change = await registerAdvertiser(view.page.request, dashboard.origin, "Fay Brine");
    const campaign = { name: "Brine", budget_cents: 5_000, cpm_bid_cents: 1_000 };
    ({ id: campaignId } = await change("/campaigns", campaign));
    const hook = { creative_type: "narrative_hook", brand_name: "Brine", narrative_hook: "Salt in the air." };
    await change(`/campaigns/${campaignId}/creatives`, hook);
    await change(`/placements/${GAME}`, { creator_id: "fay", placement_types: ["narrative_hook"] });
  });

  const read = async (path: string) =>
    (await view.page.request.get(`${dashboard.origin}/api${path}`)).json() as Promise<unknown>;
  /** Types as a person does: the page draws after each key. */
  const type = async (field: Locator, text: string) => {
    await field.fill("");
    for (const key of text) {
      await field.pressSequentially(key);
      await drawn(field.page());
    }
  };

  itInLongForm("takes decimals key by key, and stores them as they were typed", async () => {
    const { page, problems } = view;
    await page.goto(`${dashboard.origin}/campaigns/${campaignId}/targeting`);
    await page.getByRole("radiogroup", { name: "Kind of place" }).getByText("Circle").click();
    await type(page.getByRole("textbox", { name: "Latitude" }), "52.05");
    await type(page.getByRole("textbox", { name: "Longitude" }), "-0.5");
    await type(page.getByRole("textbox", { name: "Radius in km" }), "13.40");
    await page.getByRole("button", { name: "Include place" }).click();
    await page.getByRole("button", { name: "Remove 13.4 km around 52.05, -0.5" }).waitFor();
    expect(await read(`/campaigns/${campaignId}/geo-targets`)).toMatchObject([
      { lat: 52.05, lng: -0.5, radius_km: 13.4 },
    ]);

    await page.goto(`${dashboard.origin}/games/${GAME}/settings`);
    const share = page.getByLabel("Your share");
    for (const [typed, stored] of [
      ["66.67", 66.67],
      ["0.5", 0.5],
    ] as const) {
      await type(share, typed);
      await page.getByRole("button", { name: "Save settings" }).click();
      await expectSoon(
        () => read(`/placements/${GAME}`),
        expect.objectContaining({ revenue_share_pct: stored }),
      );
      await expectSoon(() => share.inputValue(), `${stored} %`);
    }
    expect(problems).toEqual([]);
  });

  itInLongForm("reads a pasted number with a comma, or says that it cannot", async () => {
    const { page, problems } = view;
    await page.goto(`${dashboard.origin}/games/${GAME}/settings`);
    const paste = async (label: string, text: string) => {
      await page.getByLabel(label).focus();
      await page.evaluate(`(${PASTE})(document.activeElement, ${JSON.stringify(text)})`);
    };
    await paste("Your share", "7,5");
    await expectSoon(() => page.getByLabel("Your share").inputValue(), "7.5 %");
    const ads = await page.getByLabel("Ads per session").inputValue();
    await paste("Ads per session", "10.000");
    await page.getByText("“10.000” is not sure to be one number: type it.").waitFor();
    expect(await page.getByLabel("Ads per session").inputValue()).toBe(ads);
    // What was not sent is named when the page is opened again.
    await page.reload();
    const notice = page.getByRole("note", { name: "Not saved: Your share." });
    await notice.getByRole("button", { name: "Discard" }).click();
    await notice.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  itInLongForm("names no change as unsent that was stored although its answer was lost", async () => {
    const { page, problems } = view;
    const settings = `/placements/${GAME}`;
    const share = page.getByRole("textbox", { name: "Your share" });
    await page.goto(`${dashboard.origin}/games/${GAME}/settings`);
    await page.route(`**/api${settings}`, async (route) => {
      if (route.request().method() === "PATCH") await route.fetch();
      else await route.continue();
    });
    await type(share, "12.5");
    await page.getByRole("button", { name: "Save settings" }).click();
    await expectSoon(() => read(settings), expect.objectContaining({ revenue_share_pct: 12.5 }));
    await page.unroute(`**/api${settings}`);
    await page.reload();
    await type(share, "13");
    await page.getByRole("button", { name: "Discard" }).waitFor();
    expect(await page.getByText(/^Not saved:/).count()).toBe(0);
    await page.getByRole("button", { name: "Discard" }).click();
    expect(problems).toEqual([]);
  });

  it("refuses a number out of its bounds with a sentence, and stores no other one", async () => {
    const { page, problems } = view;
    const settings = `/placements/${GAME}`;
    const before = await read(settings);
    await page.goto(`${dashboard.origin}/games/${GAME}/settings`);
    for (const [label, number, sentence] of [
      ["Your share", "150", "Enter a number from 0 to 100."],
      ["Ads per session", "100", "Enter a number from 1 to 50."],
    ] as const) {
      const field = page.getByLabel(label);
      await type(field, number);
      await page.getByRole("button", { name: "Save settings" }).click();
      await page.getByText(sentence, { exact: true }).waitFor();
      expect(await field.inputValue()).toContain(number);
      await page.getByRole("button", { name: "Discard" }).click();
    }
    expect(await read(settings)).toEqual(before);

    await page.goto(`${dashboard.origin}/keys`);
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await expectSoon(() => dialog.getByLabel("Label").getAttribute("aria-invalid"), "true");
    // An example in a field with a problem does not look like what was typed.
    const colours = await page.evaluate<string[]>(PLACEHOLDER_COLOURS);
    expect([colours.length, new Set(colours).size]).toEqual([2, 1]);
    await dialog.getByLabel("Label").fill("None");
    await type(dialog.getByLabel("Limit (optional)"), "0");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await expectSoon(() => dialog.getByLabel("Limit (optional)").getAttribute("aria-invalid"), "true");
    expect(await read("/api-keys")).toEqual([]);
    expect(problems).toEqual([]);
  });

  itInLongForm("keeps what is typed where the browser limits how often the address changes", async () => {
    const { page, problems } = view;
    const text = "Rain falls on the quiet harbour. ".repeat(5).slice(0, 150);
    const fields = [
      [`/campaigns/${campaignId}/simulator`, "What happens in the scene"],
      ["/campaigns", "Search campaigns"],
      ["/match-tester", "Location"],
    ] as const;
    for (const [path, label] of fields.slice(0, rounds(1, 3))) {
      await page.goto(`${dashboard.origin}${path}`);
      const field = page.getByRole("textbox", { name: label });
      await field.waitFor();
      await page.evaluate(LIMIT_CHANGES_OF_ADDRESS);
      await field.pressSequentially(text);
      await expectSoon(() => field.inputValue(), text);
      await expectSoon(() => [...new URL(page.url()).searchParams.values()].includes(text), true);
      await page.reload();
      await expectSoon(() => field.inputValue(), text);
      await field.fill("");
      await expectSoon(() => [...new URL(page.url()).searchParams.values()].includes(text), false);
    }
    expect(problems).toEqual([]);
  });

  itInLongForm("is drawn in the theme's background before its script has started", async () => {
    const { page } = await dashboard.newPage();
    await page.route("**/assets/*.js", () => undefined);
    for (const [colorScheme, expected] of [
      ["light", "rgb(250, 248, 244)"],
      ["dark", "rgb(20, 21, 26)"],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`${dashboard.origin}/sign-in`, { waitUntil: "commit" });
      await expectSoon(() => page.evaluate("getComputedStyle(document.body).backgroundColor"), expected);
    }
    await page.close();
  });

  itInLongForm(
    "says that the server cannot be reached where an answer breaks off or is another's, or is late",
    async () => {
      const { page, problems } = await dashboard.newPage();
      await apiOf(page.request, dashboard.origin)("/auth/sign-in", SIGN_IN);
      const members = page.getByText("Members could not be loaded.");
      const lost = page.getByText("The server cannot be reached. Check the connection, then try again.");
      for (const answer of [
        { contentType: "application/json", body: '[{"name": "Fay' },
        { contentType: "text/html", body: "<p>Welcome to our network: sign in.</p>" },
      ]) {
        await page.route("**/api/members", (route) => route.fulfill({ status: 200, ...answer }));
        await page.goto(`${dashboard.origin}/members`);
        await members.waitFor();
        await lost.waitFor();
        await page.unroute("**/api/members");
        await page.getByRole("button", { name: "Try again" }).click();
        await page.getByRole("row", { name: /Fay Brine/ }).waitFor();
      }
      await page.goto(`${dashboard.origin}/spend`);
      const html = { contentType: "text/html", body: "<p>Sign in.</p>" };
      await page.route("**/api/analytics/spend?**", (route) =>
        route.request().headers().accept === "text/csv" ? route.fulfill(html) : route.continue(),
      );
      await page.getByRole("button", { name: "CSV of all rows" }).click();
      await page.getByText("The spend could not be downloaded.").waitFor();
      await lost.waitFor();

      // Half a minute, sooner.
      await page.addInitScript(`{
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      AbortSignal.timeout = (ms) => timeout(ms / 10);
    }`);
      let asked = 0;
      await page.route("**/api/members", () => {
        asked += 1;
      });
      await page.goto(`${dashboard.origin}/members`);
      await members.waitFor();
      await page.getByText("The server has not answered in time. Try again.").waitFor();
      expect(asked).toBe(1);

      // A page whose script was not loaded yet.
      await page.context().setOffline(true);
      await page.getByRole("link", { name: "Webhooks", exact: true }).click();
      await page
        .getByText("A part of this page could not be loaded. Check the connection, then reload the page.")
        .waitFor();
      expect(problems).toEqual([]);
    },
  );

  it("is sent, and a secret copied, on a page by plain http from another machine", async () => {
    const { page, problems } = await dashboard.newPage();
    await page.goto(dashboard.insecureOrigin);
    expect(await page.evaluate("isSecureContext")).toBe(false);
    await page.getByLabel("E-mail").fill(SIGN_IN.email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "API keys", exact: true }).click();
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Label").fill("Game server");
    await dialog.getByRole("button", { name: "Create key" }).click();
    const shown = dialog.getByLabel("API key", { exact: true });
    const copy = dialog.getByRole("button", { name: "Copy API key" });
    await Promise.all([dialog.getByRole("button", { name: "Copied" }).waitFor(), copy.click()]);
    const selected = () => page.evaluate("String(getSelection())");
    expect(await selected()).toBe(await shown.textContent());

    // Some browsers copy by no means.
    await page.evaluate("getSelection().removeAllRanges(); document.execCommand = () => false");
    await copy.click();
    await page.getByText("The text is selected: copy it by hand.").waitFor();
    expect(await selected()).toBe(await shown.textContent());
    expect(problems).toEqual([]);
  });

  /** Signs up a user by the API, in a browser of its own. */
  const signUp = async (name: string, invitationToken?: string) => {
    const opened = await dashboard.newPage();
    const email = `${name.toLowerCase().replace(" ", "@")}.example`;
    const invitation = invitationToken !== undefined && { invitation_token: invitationToken };
    const post = apiOf(opened.page.request, dashboard.origin);
    await post("/auth/sign-up", { name, email, password: PASSWORD, ...invitation });
    return { ...opened, post, email };
  };

  itInLongForm("says of members what was done, whatever else was done or cannot be read", async () => {
    const { page, problems, post } = await signUp("Gil Salt");
    for (const name of ["Hal Reef", "Ida Reef"]) {
      const { token } = await post<{ token: string }>("/invitations", { role: "owner" });
      await (await signUp(name, token)).page.close();
    }
    await page.goto(`${dashboard.origin}/members`);
    const remove = page.getByRole("button", { name: "Remove Hal Reef" });
    const held: Route[] = [];
    await page.route("**/api/members/*", (route) => void held.push(route));
    await remove.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Remove member" }).click();
    await expectSoon(() => held.length, 1);
    await expectSoon(() => remove.isDisabled(), true);
    const id = new URL(held[0]?.request().url() ?? "").pathname.split("/").at(-1);
    await post(`/members/${id}`, undefined, "DELETE");
    await held[0]?.continue();
    await page.getByRole("row", { name: /Hal Reef/ }).waitFor({ state: "detached" });
    expect(await page.getByText("Nobody was removed.").count()).toBe(0);
    await page.unroute("**/api/members/*");

    const unavailable = { status: 503, json: { detail: "Service temporarily unavailable." } };
    await page.route("**/api/session", (route) => route.fulfill(unavailable));
    await page.getByRole("combobox", { name: "Role of Gil Salt" }).click();
    await page.getByRole("option", { name: "Viewer" }).click();
    await dialog.getByRole("button", { name: "Become viewer" }).click();
    await page.getByText("Gil Salt is viewer now.").waitFor();
    await page.getByText("This page is out of date. Reload it.").waitFor();
    expect(await page.getByText("The role was not changed.").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  itInLongForm("keeps the token of an invitation out of addresses on the way to a user", async () => {
    const { token } = await change<{ token: string }>("/invitations", { role: "viewer" });
    const { page, problems, email } = await signUp("Jo Tide");
    await page.context().clearCookies();
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    await page.goto(`${dashboard.origin}/join#${token}`);
    await page.getByRole("link", { name: "Sign in to accept" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(new URL(page.url()).search).toBe("");
    await page.reload();
    await page.getByRole("link", { name: "Create an account" }).click();
    await page.getByRole("button", { name: "Create account and join" }).waitFor();
    await page.getByRole("link", { name: "Sign in to accept" }).click();
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Join as Jo Tide" }).waitFor();
    // The hash of an address is not sent.
    expect(sent.filter((address) => address.replace(/#.*/, "").includes(token))).toEqual([]);
    expect(problems).toEqual([]);
  });

  itInLongForm("offers an invitation again after the session could not be read", async () => {
    const { token } = await change<{ token: string }>("/invitations", { role: "viewer" });
    const { page, problems } = await dashboard.newPage();
    const unavailable = { status: 503, json: { detail: "Service temporarily unavailable." } };
    await page.route("**/api/session", (route) => route.fulfill(unavailable));
    await page.goto(`${dashboard.origin}/join#${token}`);
    await page.getByText("Your session could not be loaded.").waitFor();
    await page.unroute("**/api/session");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "Create account and join" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("keeps what is typed for one account out of another one", async () => {
    const { post } = await signUp("Lea Reef");
    const { token } = await post<{ token: string }>("/invitations", { role: "manager" });
    const { page, problems } = await signUp("Mia Reef");
    const menu = page.getByRole("button", { name: /^Account menu:/ });
    await page.goto(`${dashboard.origin}/join#${token}`);
    await page.getByRole("button", { name: "Join as Mia Reef" }).click();
    const company = page.getByLabel("Company", { exact: true });
    await menu.filter({ hasText: "Lea Reef" }).waitFor();
    await company.fill("Lanterns of the reef");
    await menu.click();
    await page.getByRole("menuitem", { name: "Mia Reef (owner)" }).click();
    await menu.filter({ hasNotText: "Lea Reef" }).waitFor();
    await company.waitFor();
    expect(await company.inputValue()).not.toBe("Lanterns of the reef");
    await menu.click();
    await page.getByRole("menuitem", { name: "Lea Reef (manager)" }).click();
    await menu.filter({ hasText: "Lea Reef" }).waitFor();
    await expectSoon(() => company.inputValue(), "Lanterns of the reef");
    expect(problems).toEqual([]);
  });

  itInLongForm("allows two advertisers at once, and undoes neither", async () => {
    const { page, problems } = view;
    const blocked = [newId("adv"), newId("adv")];
    await change(`/placements/${GAME}`, { blocked_advertisers: blocked }, "PATCH");
    await page.goto(`${dashboard.origin}/games/${GAME}/advertisers`);
    let release: () => void = () => undefined;
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(`**/api/placements/${GAME}`, async (route) => {
      if (route.request().method() === "PATCH") await isReleased;
      await route.continue();
    });
    for (const id of blocked) await page.getByRole("button", { name: `Allow ${id}` }).click();
    await drawn(page);
    release();
    await expectSoon(() => read(`/placements/${GAME}`), expect.objectContaining({ blocked_advertisers: [] }));
    await page.unroute(`**/api/placements/${GAME}`);
    expect(problems).toEqual([]);
  });

  itInLongForm(
    "says nothing untrue of a user and a session where the answer to their change is lost",
    async () => {
      const { token } = await change<{ token: string }>("/invitations", { role: "viewer" });
      const { page, problems } = await signUp("Ned Drift");
      const loseAnswerTo = (path: string) => {
        let isLost = false;
        return page.route(`**/api${path}`, async (route) => {
          if (isLost || route.request().method() === "GET") return route.continue();
          isLost = true;
          await route.fetch();
          return route.abort();
        });
      };
      const menu = page.getByRole("button", { name: /^Account menu:/ });
      await loseAnswerTo("/invitations/accept");
      await page.goto(`${dashboard.origin}/join#${token}`);
      await page.getByRole("button", { name: "Join as Ned Drift" }).click();
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      await menu.filter({ hasText: "Fay Brine" }).waitFor();

      await loseAnswerTo("/session");
      await menu.click();
      await page.getByRole("menuitem", { name: "Ned Drift (owner)" }).click();
      await menu.filter({ hasText: "Ned Drift" }).waitFor();
      expect(await page.getByText("The account was not switched.").count()).toBe(0);

      const changed = "a stormy evening by the fire";
      await loseAnswerTo("/auth/change-password");
      await page.goto(`${dashboard.origin}/account`);
      await page.getByLabel("Current password").fill(PASSWORD);
      await page.getByLabel("New password").fill(changed);
      await page.getByRole("button", { name: "Change password" }).click();
      const open = page.getByText(/^The password may have been changed although no answer came/);
      await open.waitFor();
      await page.getByLabel("Current password").fill(changed);
      await page.getByRole("button", { name: "Change password" }).click();
      await page.getByText(/^The password was changed/).waitFor();
      expect(await open.count()).toBe(0);

      await loseAnswerTo("/auth/sign-out");
      await menu.click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();

      await loseAnswerTo("/auth/sign-up");
      await page.goto(`${dashboard.origin}/sign-up`);
      await page.getByLabel("Your name").fill("Oda Drift");
      await page.getByLabel("E-mail").fill("oda@drift.example");
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      const create = page.getByRole("button", { name: "Create account" });
      await create.click();
      const made = page.getByText(
        /^No answer came, .* oda@drift.example belongs to a user already, it was: sign in/,
      );
      await made.waitFor();
      await create.click();
      await page.getByText(/^This belongs to a user already/).waitFor();
      expect(await made.count()).toBe(1);
      expect(problems).toEqual([]);
    },
  );

  itInLongForm("keeps the form of a sign-up and of a sign-in until the first page is loaded", async () => {
    const { page, problems } = await dashboard.newPage();
    const submit = async (path: string, name: string) => {
      await page.goto(`${dashboard.origin}${path}`);
      const button = page.getByRole("button", { name, exact: true });
      await page.getByLabel("E-mail").fill("lou@shore.example");
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      if (path === "/sign-up") await page.getByLabel("Your name").fill("Lou Shore");
      let isHeld = false;
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route("**/assets/*.js", async (route) => {
        isHeld = true;
        await released;
        await route.continue();
      });
      await button.click();
      await eventually(() => isHeld);
      await drawn(page);
      expect(await button.count()).toBe(1);
      expect(await button.getAttribute("data-loading")).toBe("true");
      release();
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      await page.unroute("**/assets/*.js");
    };
    await submit("/sign-up", "Create account");
    await page.context().clearCookies();
    // With no file kept from the page before.
    const session = await page.context().newCDPSession(page);
    await session.send("Network.clearBrowserCache");
    await submit("/sign-in", "Sign in");
    expect(problems).toEqual([]);
  });

  itInLongForm(
    "says what is wrong with a sign-up although its field is not there, and that it cannot be read",
    async () => {
      const { page, problems } = await dashboard.newPage();
      const unavailable = { status: 503, json: { detail: "Service temporarily unavailable." } };
      await page.route("**/api/auth/sign-up", (route) => route.fulfill(unavailable));
      await page.goto(`${dashboard.origin}/sign-up`);
      await page.getByText("It could not be read who may create an account.").waitFor();
      await page.unroute("**/api/auth/sign-up");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByLabel("Your name").fill("Kit Shore");
      await page.getByLabel("E-mail").fill("kit@shore.example");
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      const refusal = { status: 403, json: { detail: "setup_token is wrong or missing" } };
      await page.route("**/api/auth/sign-up", (route) => route.fulfill(refusal));
      await page.getByRole("button", { name: "Create account" }).click();
      await page.getByRole("alert").getByText("setup_token is wrong or missing").waitFor();
      expect(problems).toEqual([]);
    },
  );

  it("is left for the sign-in page with the reason, also on the first page", async () => {
    const { page, problems, post } = await signUp("Lou Spray");
    await page.goto(dashboard.origin);
    const register = page.getByRole("button", { name: "Register company" });
    await register.waitFor();
    await post("/auth/sign-out");
    await register.click();
    await page.getByText("Your session has ended.", { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("");
    expect(problems).toEqual([]);
  });

  itInLongForm("finds an invitation again that was unsent when the session ended", async () => {
    const { page, problems, post, email } = await signUp("Ned Wave");
    await page.goto(`${dashboard.origin}/members`);
    await page.getByRole("button", { name: "Invite member" }).click();
    const dialog = page.getByRole("dialog");
    const note = dialog.getByLabel("For whom (optional)");
    const role = dialog.getByRole("combobox", { name: "Role" });
    await role.click();
    await page.getByRole("option", { name: "Manager" }).click();
    await note.fill("for Ola");
    await post("/auth/sign-out");
    await dialog.getByRole("button", { name: "Create invitation link" }).click();
    await page.getByText("Your session has ended.").waitFor();
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Invite member" }).click();
    await expectSoon(() => note.inputValue(), "for Ola");
    expect(await role.inputValue()).toBe("Manager");
    await dialog.getByText("What was written before was not sent. Cancel discards it.").waitFor();
    await dialog.getByRole("button", { name: "Create invitation link" }).click();
    await dialog.getByLabel("invitation link", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("row", { name: /Manager.*for Ola|for Ola.*Manager/ }).waitFor();
    await page.getByRole("button", { name: "Invite member" }).click();
    await expectSoon(() => note.inputValue(), "");
    expect(problems).toEqual([]);
  });

  itInLongForm(
    "cannot be changed by a viewer, not even its slider, and keeps no draft for them",
    async () => {
      const { token } = await change<{ token: string }>("/invitations", { role: "viewer" });
      const { page, problems } = await signUp("Max Foam", token);
      await page.goto(`${dashboard.origin}/campaigns/${campaignId}/settings`);
      const priority = page.getByText(/^Priority: \d/);
      const before = await priority.textContent();
      // The thumb is hidden, its track is not.
      const track = page.locator('[role="slider"][aria-label="Priority"]').locator("..");
      await track.click({ position: { x: 20, y: 4 } });
      await drawn(page);
      expect(await priority.textContent()).toBe(before);
      expect(
        await page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('diegetic-draft'))"),
      ).toEqual([]);
      expect(problems).toEqual([]);
    },
  );
}
