/**
 * `npm run screenshots [-- ADDRESS EMAIL PASSWORD]`: renews the pictures of docs/images. Without arguments, uses a temporary
 * demo installation; otherwise the one at the address, with the demo login that it printed.
 */
import { statSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { launchChromium, SCENE, signIn, startDemo } from "./lib/demo-installation.mjs";
import { root, runMain, say, setUp } from "./lib/setup.mjs";

const WINDOW = { width: 1280, height: 800 };
const IMAGES = join(root, "docs/images");
const MAX_BYTES = 200_000;
const JPEG_QUALITY = 88;
/** Above what a picture begins with. */
const MARGIN_PX = 24;

const CAMPAIGN = "Oak & Barrel: the long evening";

/** Per picture: page, actions, colour scheme, and whether it shows a scene, whose gradients make a PNG large. */
const PICTURES = [
  { name: "overview", path: "/", prepare: chartIsDrawn },
  { name: "overview-dark", path: "/", prepare: chartIsDrawn, colorScheme: "dark" },
  {
    name: "campaign",
    path: "/campaigns",
    prepare: async (page) => {
      await page.getByRole("link", { name: CAMPAIGN }).click();
      await page.getByRole("heading", { name: "Spend against the ideal line" }).waitFor();
      await chartIsDrawn(page);
    },
  },
  {
    name: "simulator",
    hasScene: true,
    path: "/campaigns",
    prepare: async (page) => {
      await page.getByRole("link", { name: CAMPAIGN }).click();
      await page.getByRole("link", { name: "How does it look?" }).click();
      await page.getByRole("button", { name: "tavern", exact: true }).click();
      await page.getByRole("heading", { name: /^Score [^0]/ }).waitFor();
      await page.getByRole("img", { name: /A drawing of/ }).waitFor();
      const tabs = page.getByRole("navigation", { name: "Questions" });
      await tabs.evaluate((element) => element.scrollIntoView());
      await page.evaluate(`scrollBy(0, ${-MARGIN_PX})`);
    },
  },
  {
    name: "match-tester",
    hasScene: true,
    path: `/match-tester?${SCENE}`,
    prepare: async (page) => {
      await page.getByRole("button", { name: "Ask for an ad" }).click();
      await page.getByRole("button", { name: /^Record impression/ }).waitFor();
    },
  },
  {
    name: "play",
    hasScene: true,
    path: "/play",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Begin the story" }).click();
      await page.getByRole("button", { name: "Follow the light to the tavern" }).click();
      await page.getByRole("button", { name: "Walk up to the keep" }).waitFor();
      await page.getByText(/^POST .*impressions$/).waitFor();
    },
  },
];
async function chartIsDrawn(page) {
  await page.getByRole("application").first().waitFor();
}

await runMain(async () => {
  await setUp();
  const [address, email, password] = parseArgs({ allowPositionals: true }).positionals;
  const stack = address === undefined ? await startDemo() : { address, email, password, stop: () => {} };
  try {
    await takePictures(stack);
  } finally {
    await stack.stop();
  }
});

async function takePictures({ address, email, password }) {
  const browser = await launchChromium();
  try {
    const { origin } = new URL(address);
    for (const { name, path, prepare, hasScene = false, colorScheme = "light" } of PICTURES) {
      const context = await browser.newContext({
        viewport: WINDOW,
        colorScheme,
        locale: "en-US",
        reducedMotion: "reduce",
      });
      await signIn(context, origin, { email, password });
      const page = await context.newPage();
      await page.goto(`${origin}${path}`);
      await prepare(page);
      await page.waitForLoadState("networkidle");
      const file = join(IMAGES, `${name}.${hasScene ? "jpg" : "png"}`);
      await page.screenshot({ path: file, ...(hasScene && { type: "jpeg", quality: JPEG_QUALITY }) });
      await context.close();
      const bytes = statSync(file).size;
      if (bytes > MAX_BYTES) throw new Error(`${file} has ${bytes} bytes; at most ${MAX_BYTES} are wanted.`);
      say(`${relative(root, file)}: ${Math.ceil(bytes / 1_000)} KB`);
    }
  } finally {
    await browser.close();
  }
}
