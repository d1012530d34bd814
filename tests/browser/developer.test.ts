import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { newId } from "@diegetic/contracts";
import { apiClient, startCampaign } from "@diegetic/testing/api";
import { repeatedly, retryAfterMs } from "@diegetic/testing/documented";
import { eventually } from "@diegetic/testing/eventually";
import { isLongForm, itInLongForm } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { type Locator, request } from "playwright-core";
import {
  CLIENTS,
  csharpSources,
  DOTNET_MISSING,
  findInstallingPython,
  hasDotnet,
  hasMono,
  MONO_MISSING,
  PIP_MISSING,
  PYTHON_MISSING,
  python,
} from "../clients/languages.ts";
import { apiOf } from "./account.fixture.ts";
import { describeAdvertiser } from "./advertiser.group.ts";
import {
  type Dashboard,
  expectAccessibleInPassing,
  expectSoon,
  isFocused,
  type ObservedPage,
  startDashboard,
} from "./browser.fixture.ts";

const TIMEOUT_MS = 300_000;
const PASSWORD = "a lantern in the rain";
const LINE = "The kettle sings of Emberroast.";
const GAME = "rainy-keep";
const TAKEN_GAME = "sunny-keep";
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Types and submits before the page can draw in between, as on a slow machine. */
async function typeAndSubmitAtOnce(field: Locator, text: string): Promise<void> {
  await field.focus();
  await field.page().evaluate(`{
    document.execCommand("selectAll");
    document.execCommand("insertText", false, ${JSON.stringify(text)});
    document.activeElement.form.requestSubmit();
  }`);
}

/** Whether the middle of a control can be seen and pressed without scrolling. */
function isUncovered(control: Locator): Promise<boolean> {
  return control.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return element.contains(element.ownerDocument.elementFromPoint(x + width / 2, y + height / 2));
  });
}

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
}, 240_000);
afterAll(() => dashboard?.stop(), TIMEOUT_MS);

describe("a developer in the dashboard", () => {
  let view: ObservedPage;
  const home = mkdtempSync(join(tmpdir(), "diegetic-snippets-"));
  /** The folder of the game that the install lines name. */
  const directory = join(home, "my-game");

  const open = async (name: string) => {
    await view.page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name, exact: true })
      .click();
    await view.page.getByRole("heading", { name, level: 1 }).waitFor();
  };
  const match = (key: string) =>
    repeatedly(
      () =>
        fetch(`${dashboard.origin}/api/match`, {
          method: "POST",
          headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
          body: JSON.stringify({ game_id: GAME, user_id: "walker", game_context: {} }),
        }),
      ({ status, headers }) => retryAfterMs(status, headers.get("Retry-After")),
    );
  /** Another account, with a campaign and a game. The first to sign up is the operator, and not this one. */
  const startAdvertiser = async () => {
    const session = await request.newContext();
    const post = apiOf(session, dashboard.origin);
    await post("/auth/sign-up", { name: "Ada", email: "ada@emberroast.example", password: PASSWORD });
    const { key } = await post<{ key: string }>("/api-keys", {
      label: "ads",
      scopes: ["advertiser", "developer"],
    });
    await session.dispose();
    const advertiser = apiClient(dashboard.stack.describe().baseUrl, key);
    await startCampaign(advertiser, { depositCents: 5_000, budgetCents: 5_000, cpmBidCents: 1_000 });
    const placement = { creator_id: "sunny", placement_types: ["narrative_hook"] };
    await advertiser.expect(201, "POST", `/placements/${TAKEN_GAME}`, placement);
  };
  /** What another tab of the account does to the game while the page is open. */
  const changePlacement = async (data: object) => {
    await apiOf(view.page.request, dashboard.origin)(`/placements/${GAME}`, data, "PATCH");
  };
  const withDatabase = async (use: (database: pg.Client) => Promise<unknown>) => {
    const database = new pg.Client({ connectionString: dashboard.stack.describe().databaseUrl });
    await database.connect();
    await use(database).finally(() => database.end());
  };
  /** The body that saving the settings of a game sends, once it is answered. */
  const savedWith = async (method: string): Promise<unknown> => {
    const { page } = view;
    const [answer] = await Promise.all([
      page.waitForResponse(
        (response) =>
          response.url().endsWith(`/placements/${GAME}`) && response.request().method() === method,
      ),
      page.getByRole("button", { name: "Save settings" }).click(),
    ]);
    expect(answer.ok()).toBe(true);
    await expectSoon(() => page.getByRole("button", { name: "Save settings" }).isDisabled(), true);
    return answer.request().postDataJSON();
  };
  const readPlacement = async () =>
    (await view.page.request.get(`${dashboard.origin}/api/placements/${GAME}`)).json();
  /** What a button puts on the clipboard. */
  const copied = async (button: string) => {
    const { page } = view;
    // Another button may still say so.
    await page.evaluate("navigator.clipboard.writeText('')");
    // The button says so for a moment only.
    await Promise.all([
      page.getByRole("button", { name: "Copied" }).or(page.getByText("Copied")).first().waitFor(),
      page.getByRole("button", { name: button, exact: true }).click(),
    ]);
    return eventually(async () => String(await page.evaluate("navigator.clipboard.readText()")) || undefined);
  };

  beforeAll(async () => {
    view = await dashboard.newPage();
    await view.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it(
    "comes from the address alone to a first match and a billed impression",
    async () => {
      const { page, problems } = view;
      await page.goto(dashboard.origin);
      await page.getByRole("link", { name: "Create an account" }).click();
      await page
        .getByRole("radiogroup", { name: "I want to" })
        .getByText("Show ads in my game", { exact: true })
        .click();
      await page.getByLabel("Your name").fill("Mira Vale");
      await page.getByLabel("E-mail").fill("mira@vale.example");
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await page.getByRole("button", { name: "Create account" }).click();

      await page.getByRole("heading", { name: "Match tester" }).waitFor();
      await startAdvertiser();
      expect(await page.getByLabel("Game ID").inputValue()).toMatch(/^mira-vale-game-[0-9a-z]{6}$/);
      expect(await page.getByLabel("Location").inputValue()).toBe("tavern");
      const more = page.getByRole("button", { name: "More fields" });
      await more.click();
      await page.getByRole("button", { name: "Fewer fields", expanded: true }).click();
      await expectSoon(() => isFocused(more), true);
      await expectAccessibleInPassing(page);
      await typeAndSubmitAtOnce(page.getByLabel("Game ID"), " ");
      await page.getByText("Fill in this field.").waitFor();
      await typeAndSubmitAtOnce(page.getByLabel("Game ID"), TAKEN_GAME);
      await page.getByText("Another account has a game of this ID. Choose another.").waitFor();
      await page.getByLabel("Game ID").fill(` ${GAME} `);
      await page.getByText("And then the innkeeper said …").waitFor();
      const catchingUp = { detail: "The match tier is not up to date: try again." };
      const notYet = { status: 503, headers: { "Retry-After": "1" }, json: catchingUp };
      await page.route("**/api/match", (route) => route.fulfill(notYet), { times: 2 });
      await page.getByRole("button", { name: "Add game and ask for an ad" }).click();
      await page.getByText(LINE).first().waitFor();
      await expectAccessibleInPassing(page);
      await page.route("**/api/impressions", (route) => route.fulfill(notYet), { times: 1 });
      await page.getByRole("button", { name: /^Record impression and charge .+ \$0\.01$/ }).click();
      await page.getByText("The impression is recorded").waitFor();

      await page.goto(`${dashboard.origin}/games/${GAME}`);
      await page.getByText("Working", { exact: true }).first().waitFor();
      expect(await page.getByText("Sample data").count()).toBe(0);
      await expectAccessibleInPassing(page);
      await open("Earnings");
      await page.getByRole("row", { name: /Emberroast/ }).waitFor();
      await page.getByText(/the operator of the installation pays out\.$/).waitFor();
      await page.getByRole("radiogroup", { name: "Period" }).getByText("This month", { exact: true }).click();
      await page.getByRole("combobox", { name: "Advertiser" }).click();
      await page.getByRole("option", { name: "Emberroast" }).click();
      await page.getByText("Paid by Emberroast.", { exact: true }).waitFor();
      const { searchParams } = new URL(page.url());
      expect([searchParams.get("period"), searchParams.get("advertiser")]).toEqual([
        "month",
        expect.stringMatching(/^adv_/),
      ]);
      const saving = page.waitForEvent("download");
      await page.getByRole("button", { name: "CSV by day and game" }).click();
      const csv = readFileSync(await (await saving).path(), "utf8").split("\r\n");
      expect(csv).toEqual([
        "date,game_id,impressions,earned_usd",
        `${new Date().toISOString().slice(0, 10)},${GAME},1,0.007`,
        "",
      ]);
      await page.reload();
      await page.getByText("Paid by Emberroast.", { exact: true }).waitFor();
      expect(await page.getByRole("combobox", { name: "Advertiser" }).inputValue()).toBe("Emberroast");
      await expectAccessibleInPassing(page);
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "adds another game, which shows sample data until its first call",
    async () => {
      const { page, problems } = view;
      // The page of the games shows it in a later test: it is counted a moment later.
      const refused = { headers: { origin: dashboard.origin }, data: { game_id: GAME } };
      await eventually(async () => {
        const answer = await page.request.post(`${dashboard.origin}/api/match`, refused);
        return answer.status() === 400;
      });
      await open("Games");
      await page.getByRole("button", { name: "Add game" }).first().click();
      const add = page.getByRole("dialog").getByRole("button", { name: "Add game" });
      // Its settings would be set back.
      await page.getByLabel("Game ID").fill(GAME);
      await add.click();
      await page.getByText("Your account has this game already.").waitFor();
      await page.getByLabel("Game ID").fill("Tidal Mill!");
      await page.getByRole("button", { name: "Use tidal-mill" }).click();
      await expectSoon(() => isFocused(page.getByLabel("Game ID")), true);
      await add.click();
      await page.getByRole("heading", { name: "tidal-mill", level: 1 }).waitFor();
      await page.getByText("Waiting for a first call").first().waitFor();
      await page.getByText("Sample data").waitFor();
      expect(await page.getByRole("button", { name: "CSV" }).count()).toBe(0);
      await expectAccessibleInPassing(page);
      await page.getByRole("link", { name: "Test a scene" }).first().click();
      const ask = page.getByRole("button", { name: "Ask for an ad" });
      await ask.press("Enter");
      await page
        .getByRole("button", { name: "Show the answer as JSON" })
        .or(page.getByText(/^No ad:/))
        .waitFor();
      await expectSoon(() => isFocused(ask), true);

      await open("Overview");
      await page.getByRole("cell", { name: "tidal-mill" }).waitFor();
      await page.getByRole("link", { name: "Advertise in games" }).waitFor();
      await page.getByRole("link", { name: "See its state and its accounts" }).click();
      await page.getByRole("heading", { name: "System", level: 1 }).waitFor();
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "creates, uses, rotates and revokes a key",
    async () => {
      const { page, problems } = view;
      await open("API keys");
      await page.getByRole("button", { name: "Create key" }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Create key" }).click();
      await dialog.getByText("Fill in this field.").waitFor();
      await dialog.getByLabel("Label").fill("Game server");
      await dialog.getByRole("button", { name: "Create key" }).click();
      const first = await copied("Copy API key");
      expect(first).toMatch(/^igk_/);
      await page.keyboard.press("Escape");
      await expectAccessibleInPassing(page);
      await dialog.getByRole("button", { name: "I have stored it" }).click();
      const rows = page.getByRole("row", { name: /Game server/ });
      await rows.getByText("Not used yet").waitFor();
      expect((await match(first)).status).toBe(200);

      await page.getByRole("button", { name: "Rotate Game server" }).click();
      await dialog.getByLabel("None: the old key ends at once").check();
      await dialog.getByRole("button", { name: "Rotate key" }).click();
      const second = await copied("Copy API key");
      await dialog.getByRole("button", { name: "I have stored it" }).click();
      expect((await match(first)).status).toBe(401);
      expect((await match(second)).status).toBe(200);
      await expectAccessibleInPassing(page);

      await page.getByRole("button", { name: "Rotate Game server" }).click();
      await dialog.getByLabel("One day").check();
      await dialog.getByRole("button", { name: "Rotate key" }).click();
      const third = await copied("Copy API key");
      await dialog.getByRole("button", { name: "I have stored it" }).click();
      expect((await match(second)).status).toBe(200);
      expect((await match(third)).status).toBe(200);
      const replaced = rows.filter({ hasText: "Replaced, ends in 1 day" });
      await expectSoon(() => Promise.all([rows.count(), replaced.count()]), [2, 1]);

      await replaced.getByRole("button", { name: "Revoke Game server" }).click();
      await dialog.getByText("The very next request with this key is refused with 401.").waitFor();
      await dialog.getByRole("button", { name: "Revoke key" }).click();
      await replaced.waitFor({ state: "detached" });
      expect((await match(second)).status).toBe(401);
      expect((await match(third)).status).toBe(200);
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  itInLongForm(
    "explains to a viewer why they cannot change keys or ask for ads",
    async () => {
      const { origin } = dashboard;
      const invite = apiOf(view.page.request, origin)<{ token: string }>;
      const { token } = await invite("/invitations", { role: "viewer" });
      const { page, problems } = await dashboard.newPage();
      const guest = { name: "Guest", email: "guest@vale.example", password: PASSWORD };
      await apiOf(page.request, origin)("/auth/sign-up", { ...guest, invitation_token: token });
      await page.goto(`${origin}/keys`);
      await page.getByText("As a viewer you can look at keys only").waitFor();
      expect(await page.getByRole("button", { name: "Create key" }).count()).toBe(0);
      await page.goto(`${origin}/match-tester`);
      await page.getByText("As a viewer you cannot ask for ads").waitFor();
      await page.goto(`${origin}/games`);
      await expectSoon(() => page.getByRole("switch", { name: `Ads in ${GAME}` }).isDisabled(), true);
      await expectAccessibleInPassing(page);
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  describe("with a snippet", () => {
    const run = async (command: string, environment: Record<string, string> = {}, cwd = directory) => {
      const options = { cwd, env: { ...process.env, ...environment } };
      const { stdout, stderr } = await promisify(execFile)("bash", ["--norc", "-c", command], options);
      return `${stdout}${stderr}`;
    };
    /** Under load a match can miss the client's budget: the game then goes on without an ad, and so may the next run. */
    const untilBilled = async (command: string, environment?: Record<string, string>) => {
      let output = "";
      await eventually(
        async () => {
          output = await run(command, environment);
          return output.includes("impression_recorded") || output.includes('"impression_id"');
        },
        { timeoutMs: 180_000 },
      ).catch((error: Error) => Promise.reject(new Error(`${error.message}\n${output}`)));
      expect(output).toContain(LINE);
    };
    const choose = async (language: string) => {
      await view.page
        .getByRole("radiogroup", { name: "Language" })
        .getByText(language, { exact: true })
        .click();
    };
    /** A folder of Diegetic with one client in it: a build writes beside the sources. */
    const copyOfClient = (name: string) => {
      const folder = join(home, "diegetic");
      cpSync(join(CLIENTS, name), join(folder, "clients", name), { recursive: true });
      return folder;
    };
    const save = async (file: string) => writeFileSync(join(directory, file), await copied(`Copy ${file}`));

    it(
      "gets a serving key, and a billed impression with curl",
      async () => {
        const { page, problems } = view;
        mkdirSync(directory);
        await open("Snippets");
        await page.getByRole("button", { name: "Create serving key" }).click();
        await page.getByText("This serving key is shown once").waitFor();
        await expectAccessibleInPassing(page);
        await save("first-ad.sh");
        await untilBilled(await copied("Copy Run"));
        expect(problems).toEqual([]);
      },
      TIMEOUT_MS,
    );

    itInLongForm(
      "gets a billed impression with TypeScript",
      async () => {
        await choose("TypeScript");
        await run(await copied("Copy Install"), { DIEGETIC: ROOT, npm_config_offline: "true" });
        await save("first-ad.js");
        await untilBilled(await copied("Copy Run"));
      },
      TIMEOUT_MS,
    );

    if (python === undefined) {
      it.skip(`is not tried with Python: ${PYTHON_MISSING}`, () => undefined);
    } else {
      it(
        "gets a billed impression with Python",
        async () => {
          await choose("Python");
          await save("first_ad.py");
          const command = (await copied("Copy Run")).replace("python3 ", `${python} -B `);
          await untilBilled(command, { PYTHONPATH: `${CLIENTS}python/src` });
        },
        TIMEOUT_MS,
      );
    }

    // Asks the package registry.
    const installing = isLongForm ? findInstallingPython() : undefined;
    if (installing === undefined) {
      it.skip(`is not installed with pip: ${isLongForm ? PIP_MISSING : "only in the long form"}`, () =>
        undefined);
    } else {
      it(
        "gets a billed impression with Python after its install line, in an empty environment",
        async () => {
          await choose("Python");
          const environment = join(home, "environment");
          await run(`${installing} -m venv ${environment}`);
          const settings = {
            PATH: `${environment}/bin:${process.env.PATH}`,
            DIEGETIC: copyOfClient("python"),
            // Where packages come from a folder, pip asks an unreachable registry first, six times for each package.
            PIP_RETRIES: "1",
          };
          await run(await copied("Copy Install"), settings);
          await save("first_ad.py");
          await untilBilled(await copied("Copy Run"), settings);
        },
        TIMEOUT_MS,
      );
    }

    if (!hasDotnet) {
      it.skip(`is not installed with dotnet: ${DOTNET_MISSING}`, () => undefined);
    } else {
      itInLongForm(
        "gets a billed impression with C# after its install line, in an empty folder",
        async () => {
          await choose("C#");
          const folder = join(home, "dotnet-game");
          mkdirSync(folder);
          await run(await copied("Copy Install"), { DIEGETIC: copyOfClient("csharp") }, folder);
          writeFileSync(join(folder, "Program.cs"), await copied("Copy Program.cs"));
          await untilBilled(`cd ${folder} && ${await copied("Copy Run")}`);
        },
        TIMEOUT_MS,
      );
    }

    if (!hasMono) {
      it.skip(`is not tried with C#: ${MONO_MISSING}`, () => undefined);
    } else {
      itInLongForm(
        "gets a billed impression with C#",
        async () => {
          await choose("C#");
          await save("Program.cs");
          const sources = csharpSources("Runtime").join(" ");
          await run(`mcs -langversion:7.2 -r:System.Net.Http.dll -out:program.exe Program.cs ${sources}`);
          // Mono compiles during the first request, which has a time limit. Without the right to raise priorities, nice only warns.
          await untilBilled((await copied("Copy Run")).replace("dotnet run", "nice -n -10 mono program.exe"));
        },
        TIMEOUT_MS,
      );
    }
  });

  it(
    "blocks an advertiser by its name, and finds out why there is no ad",
    async () => {
      const { page, problems } = view;
      await open("Games");
      await page.getByRole("row", { name: /^POST \/match 400 1 (just now|\d+ \w+ ago) / }).waitFor();
      await page.getByRole("link", { name: GAME }).click();
      await page.getByRole("link", { name: "Who is shown?" }).click();
      const block = page.getByRole("button", { name: "Block Emberroast" });
      await block.waitFor();
      const blockedMeanwhile = newId("adv");
      await changePlacement({ blocked_advertisers: [blockedMeanwhile] });
      await block.click();
      await page.getByRole("dialog").getByRole("button", { name: "Block advertiser" }).click();
      await page.getByRole("button", { name: "Allow Emberroast" }).waitFor();
      await page.getByRole("button", { name: `Allow ${blockedMeanwhile}` }).click();
      await expectSoon(() => page.getByText("Blocked, and never seen here").count(), 0);
      await expectAccessibleInPassing(page);

      await page.getByRole("link", { name: "Test a scene" }).click();
      await page.getByLabel("Location").fill("harbour");
      await page.getByRole("button", { name: "Ask for an ad" }).click();
      await page.getByText("No ad: no campaign fits").waitFor();
      await page.getByText(/It blocks 1 advertiser\./).waitFor();
      await page.getByRole("link", { name: "See which words fit" }).click();
      await page.getByRole("cell", { name: "tavern", exact: true }).waitFor();
      await expectAccessibleInPassing(page);
      // A game asks for the same scene again and again.
      await page.route("**/no-match-scenes", async (route) => {
        const response = await route.fetch();
        const scenes = (await response.json()) as object[];
        await route.fulfill({ response, json: scenes.flatMap((one) => [one, one]) });
      });
      await page.getByRole("link", { name: "Why no ad?" }).click();
      const scene = page.getByRole("link", { name: /^Test this scene: Harbour/ });
      await scene.waitFor();
      await page.unroute("**/no-match-scenes");
      await expectAccessibleInPassing(page);
      await scene.click();
      await page.waitForURL(/location=harbour/);
      await expectSoon(() => page.getByLabel("Location").inputValue(), "harbour");

      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  itInLongForm(
    "is led to what is wrong with a scene, and reads that an answer is of a former scene",
    async () => {
      const { page, problems } = view;
      const moods = page.getByLabel("Moods", { exact: true }).and(page.locator("input"));
      const ask = page.getByRole("button", { name: "Ask for an ad" });
      await moods.fill("calm".repeat(100));
      await moods.press("Enter");
      await ask.click();
      await expectSoon(() => moods.getAttribute("aria-invalid"), "true");
      await page.getByText("Use at most 200 characters; this has 400.").waitFor();
      await moods.press("Backspace");
      await ask.click();
      await page.getByText("No ad: no campaign fits").waitFor();
      expect(await page.getByText("You have changed the scene since").count()).toBe(0);
      await page.getByLabel("Location").fill("pier");
      await page.getByText("You have changed the scene since").waitFor();
      await expectAccessibleInPassing(page);
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  itInLongForm(
    "is asked to sign in when the session has ended before a scene is sent, and keeps the scene",
    async () => {
      const { origin } = dashboard;
      const { page, problems } = await dashboard.newPage();
      const signIn = { email: "mira@vale.example", password: PASSWORD };
      const change = apiOf(page.request, origin);
      await change("/auth/sign-in", signIn);
      await page.goto(`${origin}/match-tester`);
      await page.getByLabel("Location").fill("lighthouse");
      await change("/auth/sign-out");
      await page.getByRole("button", { name: "Ask for an ad" }).click();
      await page.getByText("Your session has ended.").waitFor();
      await page.getByLabel("E-mail").fill(signIn.email);
      await page.getByLabel("Password", { exact: true }).fill(signIn.password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await expectSoon(() => page.getByLabel("Location").inputValue(), "lighthouse");
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  itInLongForm(
    "sends only the settings that were changed, and keeps what another tab has changed",
    async () => {
      const { page, problems } = view;
      await page.goto(`${dashboard.origin}/games/${GAME}/settings`);
      await page.getByLabel("Creator ID").fill(" ");
      await page.getByRole("button", { name: "Save settings" }).click();
      await expectSoon(() => page.getByLabel("Creator ID").getAttribute("aria-invalid"), "true");
      await page.getByLabel("Creator ID").fill("northern studio");
      expect(await savedWith("POST")).toEqual({
        creator_id: "northern studio",
        placement_types: ["narrative_hook", "product_mention", "location_brand", "character_reference"],
      });
      await page.getByLabel("Ads per session").fill("7");
      expect(await savedWith("PATCH")).toEqual({ max_ads_per_session: 7 });
      await page.getByText("The settings are in force.").first().waitFor();
      const categories = page.getByLabel(/^Blocked categories/).and(page.locator("input"));
      await categories.fill("gambling");
      await categories.press("Enter");
      await changePlacement({ blocked_categories: ["alcohol"], revenue_share_pct: 65 });
      expect(await savedWith("PATCH")).toEqual({ blocked_categories: ["alcohol", "gambling"] });
      await expectSoon(() => page.getByLabel("Your share").inputValue(), "65 %");
      await page.getByText(/the other 35% stays with the operator/).waitFor();
      await expectAccessibleInPassing(page);
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "turns ads off and on again, and keeps every setting",
    async () => {
      const { page, problems } = view;
      await page.goto(`${dashboard.origin}/games/${GAME}/settings`);
      const creator = page.getByLabel("Creator ID");
      await creator.waitFor();
      const creatorId = await creator.inputValue();
      await page.getByRole("button", { name: "Turn off ads" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Turn off ads" }).click();
      await page.getByRole("button", { name: "Turn on ads" }).waitFor();
      await page.getByText("Turn on ads to change it.").waitFor();
      expect(await creator.getAttribute("readonly")).not.toBeNull();
      await page.getByLabel("Ads per session").fill("8");
      expect(await savedWith("PATCH")).toEqual({ max_ads_per_session: 8 });
      await page.getByText("Turn on ads to change it.").waitFor();
      await expectAccessibleInPassing(page);
      await changePlacement({ placement_types: ["narrative_hook"] });
      await page.getByRole("button", { name: "Turn on ads" }).click();
      await page.getByRole("button", { name: "Turn off ads" }).waitFor();
      expect(await readPlacement()).toMatchObject({ is_active: true, placement_types: ["narrative_hook"] });
      expect(await creator.inputValue()).toBe(creatorId);
      await page.getByLabel("Ads per session").fill("7");
      expect(await savedWith("PATCH")).toEqual({ max_ads_per_session: 7 });
      await page.reload();
      await page.getByRole("heading", { name: GAME, level: 1 }).waitFor();
      await expectSoon(() => page.getByLabel("Ads per session").inputValue(), "7");
      await page.getByRole("link", { name: "Who is shown?" }).click();
      await page.getByRole("button", { name: "Allow Emberroast" }).waitFor();
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  itInLongForm(
    "sees more quarantined records than a page of the answer has, as the first user",
    async () => {
      const { page, problems } = view;
      await withDatabase((database) =>
        database.query(
          `INSERT INTO quarantined_impressions (impression_id, advertiser_id, record, reason)
           SELECT 'imp_' || n, 'adv_many', '{}', 'damaged' FROM generate_series(1, 101) AS n`,
        ),
      );
      await open("System");
      await page.getByText("101 quarantined records to decide about").waitFor();
      await page.getByText("The newest 100 of 101 are shown.").waitFor();
      await page.getByRole("button", { name: "Show older records" }).click();
      await page.getByText("101 rows", { exact: true }).waitFor();
      await expectSoon(() => page.getByRole("button", { name: "Show older records" }).count(), 0);
      await page.reload();
      await page.getByText("101 rows", { exact: true }).waitFor();
      await withDatabase((database) => database.query("DELETE FROM quarantined_impressions"));
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "sees the state of the installation, as its first user, and resolves a quarantined record",
    async () => {
      const { page, problems } = view;
      const id = newId("imp");
      await withDatabase((database) =>
        database.query(
          "INSERT INTO quarantined_impressions (impression_id, advertiser_id, record, reason) VALUES ($1, $2, $3, $4)",
          [id, newId("adv"), "{}", "no such campaign"],
        ),
      );

      await open("System");
      // The list of the navigation is longer than this.
      await page.setViewportSize({ width: 1280, height: 480 });
      await page.reload();
      await page.getByText("1 quarantined record to decide about").waitFor();
      const entry = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "System" });
      await expectSoon(() => isUncovered(entry), true);
      await page.setViewportSize({ width: 1280, height: 720 });
      await page.getByRole("row", { name: /Mira Vale/ }).waitFor();
      await page.getByRole("row", { name: /^Management .*Ready/ }).waitFor();
      await page.getByRole("row", { name: /^Match .*Ready/ }).waitFor();
      await page.getByRole("row", { name: /^Billing .*Ready/ }).waitFor();
      await page.getByText("Every ledger tells the same story.").waitFor();
      await expectAccessibleInPassing(page);
      await page.getByRole("button", { name: `Resolve ${id}` }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Resolve record" }).click();
      await dialog.getByText("Fill in this field.").waitFor();
      await expectAccessibleInPassing(page);
      await dialog.getByLabel("What was decided").fill("Not charged; a test made it.");
      await dialog.getByRole("button", { name: "Resolve record" }).click();
      await page.getByText("No record waits for a decision.").waitFor();
      await page.getByText("All well").waitFor();
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  itInLongForm(
    "sees when a key was last used",
    async () => {
      const { page, problems } = view;
      // Noted every ten seconds.
      const isNoted = async () => {
        const keys = await page.request.get(`${dashboard.origin}/api/api-keys`);
        return ((await keys.json()) as { last_used_at: string | null }[]).some((key) => key.last_used_at);
      };
      await eventually(isNoted, { everyMs: 250 });
      await page.goto(`${dashboard.origin}/keys`);
      await page
        .getByRole("row", { name: /Game server/ })
        .getByText(/^Used/)
        .waitFor();
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  itInLongForm(
    "opens the game that was chosen among two whose identifiers differ by an encoded slash",
    async () => {
      const { page, problems } = view;
      const post = apiOf(page.request, dashboard.origin);
      for (const game of ["c/d", "c%2Fd"]) {
        const settings = { creator_id: `creator of ${game}`, placement_types: ["narrative_hook"] };
        await post(`/placements/${encodeURIComponent(game)}`, settings);
      }
      for (const game of ["c%2Fd", "c/d"]) {
        await open("Games");
        await page.getByRole("link", { name: game, exact: true }).click();
        await page.getByText(`Creator ID creator of ${game}`).waitFor();
        await page.reload();
        await page.getByText(`Creator ID creator of ${game}`).waitFor();
      }
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

// Second, because the first user who signs up is the operator.
describe("an advertiser in the dashboard", () => describeAdvertiser(() => dashboard));
