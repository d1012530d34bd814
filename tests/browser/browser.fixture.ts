import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findChromium } from "@diegetic/local-stores";
import { eventually } from "@diegetic/testing/eventually";
import { isLongForm } from "@diegetic/testing/rounds";
import { startStackOnTestStores, type TestStack } from "@diegetic/testing/stack";
import { expect } from "@jest/globals";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";

const ACTION_TIMEOUT_MS = 60_000;
/** Leads to this machine like 127.0.0.1; to the browser it is another one, whose pages by plain http are insecure. */
const FOREIGN_ADDRESS = "192.0.2.1";
/** The browser asks nobody but the stack: no updates, no sync. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--host-resolver-rules=MAP ${FOREIGN_ADDRESS} 127.0.0.1`,
];

export interface Dashboard {
  /** `http://127.0.0.1:PORT`, what `npm start` prints first. */
  origin: string;
  /** The same for a browser on another machine: not a secure context. */
  insecureOrigin: string;
  stack: TestStack;
  /** A page of a browser of its own: with no cookie of any other. @param locale default `en-US` */
  newPage(locale?: string): Promise<ObservedPage>;
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
  const unlimited = {
    RATE_LIMIT_ANALYTICS: "unlimited",
    RATE_LIMIT_MANAGEMENT: "unlimited",
    RATE_LIMIT_SIGN_IN: "unlimited",
  };
  const stack = await startStackOnTestStores({
    dataDir,
    environment: { DEMO: "0", ...unlimited, ...environment },
  });
  const browser: Browser = await chromium.launch({ executablePath: await findChromium(), args: ARGUMENTS });
  const { origin } = new URL(stack.describe().baseUrl);
  const insecureOrigin = origin.replace("127.0.0.1", FOREIGN_ADDRESS);
  return {
    origin,
    insecureOrigin,
    stack,
    async newPage(locale = "en-US") {
      const context = await browser.newContext({ locale, reducedMotion: "reduce" });
      context.setDefaultTimeout(ACTION_TIMEOUT_MS);
      await context.addInitScript(OBSERVE_LAYOUT_SHIFTS);
      return observe(context, await context.newPage(), [origin, insecureOrigin]);
    },
    async stop() {
      await browser.close();
      await stack.pressCtrlC();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Goes to an address by its link where the page has one, which takes half the time of loading it; in the long form, always
 * by the address: no page may need the one before it.
 */
export async function openPage(page: Page, address: string): Promise<void> {
  const link = page
    .locator(`a[href="${new URL(address).pathname}"]`)
    .filter({ visible: true })
    .first();
  if (isLongForm || (await link.count()) === 0) {
    await page.goto(address);
    return;
  }
  await link.click();
  await page.waitForURL(address);
  await drawn(page);
}

/** Expects what the page shows to become so: React may draw an event of before only now. */
export async function expectSoon<T>(look: () => T | Promise<T>, expected: T): Promise<void> {
  const isAsExpected = async () => {
    expect(await look()).toEqual(expected);
    return true;
  };
  // A look takes processor time, which the page needs.
  await eventually(isAsExpected, { everyMs: 50 });
}

/** Whether keys go to this control; no role says so. */
export function isFocused(control: Locator): Promise<boolean> {
  return control.evaluate((element) => element === element.ownerDocument.activeElement);
}

const OBSERVE_LAYOUT_SHIFTS = `
  globalThis.layoutShifts = [];
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries()) {
      if (!hadRecentInput) layoutShifts.push({ value, moved: sources.map(({ node }) => node?.textContent?.slice(0, 80)) });
    }
  }).observe({ type: "layout-shift", buffered: true });`;

/**
 * What moved on the page since it was opened without anybody having done anything, by how much in all: below 0.1 is the
 * threshold of a good page (Cumulative Layout Shift).
 */
export async function layoutShift(page: Page): Promise<{ total: number; moved: string[] }> {
  const shifts = await page.evaluate<{ value: number; moved: string[] }[]>("layoutShifts");
  return {
    total: shifts.reduce((sum, { value }) => sum + value, 0),
    moved: shifts.flatMap(({ moved }) => moved),
  };
}

/** Lets the page draw the answer of each of its reads before it gets the next one. Ends with `page.unroute`. */
export async function answerOneByOne(page: Page, reads: RegExp): Promise<{ isQuiet: () => boolean }> {
  let waiting = 0;
  let former: Promise<unknown> = Promise.resolve();
  await page.route(reads, (route) => {
    waiting += 1;
    former = former
      .then(async () => {
        await route.fulfill({ response: await route.fetch() });
        await drawn(page);
      })
      // The page was left meanwhile.
      .catch(() => undefined)
      .finally(() => {
        waiting -= 1;
      });
    return former as Promise<void>;
  });
  return { isQuiet: () => waiting === 0 };
}

/** Resolves once earlier changes are drawn. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(0))))",
  );
}

function observe(context: BrowserContext, page: Page, origins: readonly string[]): ObservedPage {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) problems.push(message.text());
  });
  context.on("request", (request) => {
    if (!origins.includes(new URL(request.url()).origin)) problems.push(`a request to ${request.url()}`);
  });
  return { page, problems };
}

/** The serious violations of accessibility that axe finds on the page as it is, each with where it is. */
export async function seriousViolations(page: Page, schemes: readonly Scheme[] = SCHEMES): Promise<string[]> {
  const isLoaded = await page.evaluate("'axe' in globalThis");
  if (!isLoaded) await page.evaluate(axe.source);
  return inSchemes(page, schemes, (scheme) => violationsNow(page, scheme === schemes.at(-1)));
}

/**
 * Expects no serious violations on a page that a test passes through. Only in the long form: a look takes a second, and
 * every-page.test.ts looks at each page.
 */
export async function expectAccessibleInPassing(page: Page): Promise<void> {
  if (isLongForm) expect(await seriousViolations(page)).toEqual([]);
}

/** Texts of disabled controls that cannot be read well, light and dark: axe passes over them. */
export function faintDisabledTexts(page: Page): Promise<string[]> {
  return inSchemes(page, SCHEMES, () => page.evaluate<string[]>(FAINT_DISABLED_TEXTS));
}

export const SCHEMES = ["dark", "light"] as const;
export type Scheme = (typeof SCHEMES)[number];

async function inSchemes(
  page: Page,
  schemes: readonly Scheme[],
  look: (scheme: Scheme) => Promise<string[]>,
): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    await expectSoon(
      () => page.evaluate("getComputedStyle(document.documentElement).colorScheme"),
      colorScheme,
    );
    // Colours in transition are neither of the two.
    await page.evaluate(
      "Promise.all(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished.catch(() => 0))).then(() => 0)",
    );
    found.push(...(await look(colorScheme)).map((finding) => `${colorScheme}: ${finding}`));
  }
  return found;
}

/** Compares each colour, faded as its ancestors are, with what is painted behind it, as WCAG 2 does: 4.5 to 1. */
const FAINT_DISABLED_TEXTS = `(() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const over = ([r, g, b, alpha = 1], behind, opacity = 1) =>
    [r, g, b].map((value, i) => value * alpha * opacity + behind[i] * (1 - alpha * opacity));
  const luminance = (colour) => {
    const [r, g, b] = colour.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const ancestors = (element) => (element === null ? [] : [...ancestors(element.parentElement), element]);
  return [...document.querySelectorAll(":disabled, :disabled *, [data-disabled], [data-disabled] *")].flatMap((element) => {
    const isField = element.matches("input:not([type=checkbox], [type=radio]), textarea");
    const own = isField
      ? element.value || element.placeholder
      : [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data).join("");
    if (own.trim() === "" || element.getBoundingClientRect().width < 2) return [];
    const chain = ancestors(element);
    const behind = chain.reduce((below, one) => over(parse(getComputedStyle(one).backgroundColor), below), [255, 255, 255]);
    const opacity = chain.reduce((product, one) => product * Number(getComputedStyle(one).opacity), 1);
    const style = getComputedStyle(element, isField && element.value === "" ? "::placeholder" : null);
    const found = contrast(over(parse(style.color), behind, opacity), behind);
    return found < 4.5 ? [own.trim().slice(0, 40) + ": " + found.toFixed(2)] : [];
  });
})()`;

/** The rules of axe whose result depends on the colour scheme; all others are asked in one alone. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

async function violationsNow(page: Page, byAllRules: boolean): Promise<string[]> {
  const options = {
    resultTypes: ["violations"],
    preload: false,
    ...(!byAllRules && { runOnly: { type: "rule", values: COLOUR_RULES } }),
  };
  const found = await page.evaluate<{ id: string; impact: string; nodes: { html: string }[] }[]>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => ({ html })) })))`,
  );
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}
