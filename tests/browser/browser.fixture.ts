import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findChromium } from "@diegetic/local-stores";
import { eventually } from "@diegetic/testing/eventually";
import { startStack, type TestStack } from "@diegetic/testing/stack";
import { expect } from "@jest/globals";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const ACTION_TIMEOUT_MS = 60_000;
/** The browser asks nobody but the stack: no updates, no sync. */
const QUIET = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export interface Dashboard {
  /** `http://127.0.0.1:PORT`, what `npm start` prints first. */
  origin: string;
  stack: TestStack;
  /** A page of a browser of its own: with no cookie of any other. */
  newPage(): Promise<ObservedPage>;
  stop(): Promise<void>;
}

export interface ObservedPage {
  page: Page;
  /** What the page did wrong so far: errors of scripts, refusals of the Content-Security-Policy, requests to other hosts. */
  problems: string[];
}

/** The whole stack by `npm start`, and a browser that looks at it. */
export async function startDashboard(environment: Record<string, string> = {}): Promise<Dashboard> {
  const dataDir = mkdtempSync(join(tmpdir(), "diegetic-browser-"));
  // A test clicks faster than a person.
  const unlimited = { RATE_LIMIT_ANALYTICS: "unlimited", RATE_LIMIT_MANAGEMENT: "unlimited" };
  const stack = await startStack({ dataDir, environment: { DEMO: "0", ...unlimited, ...environment } });
  const browser: Browser = await chromium.launch({ executablePath: await findChromium(), args: QUIET });
  const { origin } = new URL(stack.describe().baseUrl);
  return {
    origin,
    stack,
    async newPage() {
      const context = await browser.newContext({ locale: "en-US", reducedMotion: "reduce" });
      context.setDefaultTimeout(ACTION_TIMEOUT_MS);
      return observe(context, await context.newPage(), origin);
    },
    async stop() {
      await browser.close();
      await stack.pressCtrlC();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Expects what the page shows to become so: React may draw an event of before only now. */
export async function expectSoon<T>(look: () => T | Promise<T>, expected: T): Promise<void> {
  await eventually(async () => {
    expect(await look()).toEqual(expected);
    return true;
  });
}

function observe(context: BrowserContext, page: Page, origin: string): ObservedPage {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) problems.push(message.text());
  });
  context.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) problems.push(`a request to ${request.url()}`);
  });
  return { page, problems };
}

/** The serious violations of accessibility that axe finds on the page as it is, light and dark, each with where it is. */
export async function seriousViolations(page: Page): Promise<string[]> {
  const found: string[] = [];
  await page.evaluate(axe.source);
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: "attached" });
    // Colours in transition are neither of the two.
    await page.evaluate(
      "Promise.all(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished.catch(() => 0))).then(() => 0)",
    );
    found.push(...(await violationsNow(page)).map((violation) => `${colorScheme}: ${violation}`));
  }
  return found;
}

async function violationsNow(page: Page): Promise<string[]> {
  const found = await page.evaluate<{ id: string; impact: string; nodes: { html: string }[] }[]>(
    "axe.run().then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => ({ html })) })))",
  );
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}
