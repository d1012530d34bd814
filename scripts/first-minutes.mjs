/**
 * `node scripts/first-minutes.mjs`: goes three ways of a new person through temporary installations, without and with demo data, and
 * prints the table of docs/notes/first-minutes.md. Needs Chromium and two minutes.
 */
import { launchChromium, startDemo } from "./lib/demo-installation.mjs";
import { runMain, setUp } from "./lib/setup.mjs";

const WORDS_PER_SECOND = 220 / 60;
const SECONDS_PER_CHARACTER = 0.3;
const SECONDS_PER_INTERACTION = 1.5;
const VIEWPORT = { width: 1440, height: 900 };
/** What loads after the awaited control is read as well. */
const SETTLE_MS = 250;

/** The visible texts in the part of the page that is in view. */
const TEXTS_IN_VIEW = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const { top, bottom, left, right, width } = range.getBoundingClientRect();
    const isInView = width > 2 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
    if (isInView && parentElement.checkVisibility({ visibilityProperty: true })) found.push(data.trim());
  }
  return found;
})()`;

/**
 * Goes a way through the pages, and counts what it costs a person. Each text is read once, before the next click: the page
 * after the last one says that the goal is reached.
 */
class Walk {
  constructor(page) {
    this.page = page;
    this.read = new Set();
    this.inView = [];
    this.interactions = this.characters = this.waitingMs = 0;
  }

  async arrive(name, begunMs = performance.now()) {
    await this.page.getByText(name).or(this.page.getByRole("button", { name })).first().waitFor();
    this.waitingMs += performance.now() - begunMs;
    await this.page.waitForTimeout(SETTLE_MS);
    this.inView = await this.page.evaluate(TEXTS_IN_VIEW);
  }

  readOn() {
    for (const text of this.inView) this.read.add(text);
  }

  /** @param next what the person waits for: a text or the name of a button */
  async click(role, name, next) {
    this.readOn();
    await this.page.getByRole(role, { name }).first().click();
    this.interactions += 1;
    await this.arrive(next);
  }

  async type(label, text) {
    this.readOn();
    await this.page.getByLabel(label, { exact: true }).fill(text);
    this.interactions += 1;
    this.characters += text.length;
  }

  row(goal) {
    const words = [...this.read]
      .join(" ")
      .split(/\s+/)
      .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    const waitingSeconds = this.waitingMs / 1_000;
    const estimate =
      words / WORDS_PER_SECOND +
      this.characters * SECONDS_PER_CHARACTER +
      this.interactions * SECONDS_PER_INTERACTION +
      waitingSeconds;
    const seconds = [waitingSeconds, estimate].map((value) => `${Math.round(value)} s`);
    return `| ${[goal, this.interactions, this.characters, words, ...seconds].join(" | ")} |`;
  }
}

async function signUp(walk, goal, name, email, next) {
  await walk.click("link", "Create an account", "I want to");
  if (goal !== undefined) {
    await walk.page.getByText(goal, { exact: true }).click();
    walk.interactions += 1;
  }
  await walk.type("Your name", name);
  await walk.type("E-mail", email);
  await walk.type("Password", "a calm evening by the fire");
  await walk.click("button", "Create account", next);
}

async function runFirstSteps(walk) {
  await walk.click("button", "Register company", /^Deposit \$/);
  await walk.click("button", /^Deposit \$/, "Create campaign");
  await walk.click("button", "Create campaign", "Save creative");
  await walk.type("Line", "The innkeeper pours you a Hearthwell ale.");
  await walk.click("button", "Save creative", "Activate campaign");
  await walk.click("button", "Activate campaign", "First campaign is active.");
}

async function activateCampaign(walk) {
  await signUp(walk, undefined, "Ada Hearth", "ada@hearthwell.example", "Register company");
  await runFirstSteps(walk);
}

async function askForAd(walk, next) {
  await signUp(
    walk,
    "Show ads in my game",
    "Mira Vale",
    "mira@vale.example",
    "And then the innkeeper said …",
  );
  await walk.click("button", "Add game and ask for an ad", next);
}

async function billImpression(walk) {
  await askForAd(walk, /^Record impression/);
  await walk.click("button", /^Record impression/, "The impression is recorded");
}

async function billOwnImpression(walk) {
  await askForAd(walk, "Set up a campaign");
  await walk.click("link", "Set up a campaign", "Register company");
  await runFirstSteps(walk);
  await walk.click("link", "Match tester", "Ask for an ad");
  await walk.click("button", "Ask for an ad", /^Record impression/);
  await walk.click("button", /^Record impression/, "The impression is recorded");
}

/** By `DEMO`. The first impression comes before anybody else has a campaign. */
const WAYS = [
  ["0", "First billed impression, by a campaign of one's own", billOwnImpression],
  ["0", "First active campaign", activateCampaign],
  ["1", "First active campaign, with demo data", activateCampaign],
  ["1", "First billed impression, with demo data", billImpression],
];

await runMain(async () => {
  await setUp();
  const browser = await launchChromium();
  for (const DEMO of ["0", "1"]) {
    const { address, stop } = await startDemo({ DEMO });
    try {
      for (const [, goal, go] of WAYS.filter(([demo]) => demo === DEMO)) {
        const walk = new Walk(await browser.newPage({ viewport: VIEWPORT, locale: "en-US" }));
        const begunMs = performance.now();
        await walk.page.goto(address, { waitUntil: "commit" });
        await walk.arrive("Create an account", begunMs);
        await go(walk);
        process.stdout.write(`${walk.row(goal)}\n`);
      }
    } finally {
      await stop();
    }
  }
  await browser.close();
});
