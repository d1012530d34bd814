import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, say } from "./setup.mjs";

/** A scene for the match tester, as the query of its page. */
export const SCENE = new URLSearchParams({
  game: "demo-game",
  location: "tavern",
  category: "text-adventure",
  mood_tags: "calm",
  narrative: "Rain drums on the roof of the tavern. Maren wipes the counter and looks you over.",
});

/** A demo installation with its own data, started like `npm start`; without a login where `DEMO` is "0". */
export async function startDemo(environment = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), "diegetic-demo-"));
  const own = { DATA_DIR: dataDir, PORT: String(await freePort()), DEMO: "1" };
  const child = spawn(process.execPath, ["scripts/start.mjs"], {
    cwd: root,
    env: { ...process.env, ...own, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const stop = async () => {
    child.kill("SIGINT");
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  };
  let text = "";
  child.stdout.setEncoding("utf8");
  for await (const part of child.stdout) {
    text += part;
    const address = /Dashboard\s+(\S+)/.exec(text)?.[1];
    const [, email, password] = /Demo login\s+(\S+)\s+(\S+)\n/.exec(text) ?? [];
    if (address !== undefined && (password !== undefined || environment.DEMO === "0")) {
      return { address, email, password, stop };
    }
  }
  await stop();
  throw new Error(`The demo installation did not start:\n${text}`);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** A browser that asks nobody but the installation. Needs the built packages. */
export async function launchChromium() {
  const { findChromium } = await import("../../packages/local-stores/dist/index.js");
  const { chromium } = await import("playwright-core");
  return chromium.launch({
    executablePath: await findChromium(say),
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/** Signs the browser context in. */
export async function signIn(context, origin, { email, password }) {
  const response = await context.request.post(`${origin}/api/auth/sign-in`, {
    data: { email, password },
    headers: { origin },
  });
  if (!response.ok()) throw new Error(`Signing in failed: ${await response.text()}`);
}
