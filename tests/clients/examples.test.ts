import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { CLIENTS, EXAMPLE_GAMES, PYTHON_MISSING } from "./languages.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Sets the title of a terminal, and clears its screen by sequences of seven and of eight bits. */
const CONTROLS = "\u001b]0;mine\u0007\u001b[2J\u009b2J\r\b";
/** Only ends a game that hangs. */
const PLAY_TIMEOUT_MS = 60_000;
const AD = { match_id: "mat_1", campaign_id: "camp_1", creative_id: "crt_1", game_id: "any" };

const folder = mkdtempSync(join(tmpdir(), "diegetic-examples-"));

/** Answers every match with the same ad. */
let service: Server;
const recorded: string[] = [];
beforeAll(async () => {
  service = createServer(({ url = "" }, response) => {
    const isMatch = url.endsWith("/match");
    if (url.endsWith("/impressions")) recorded.push(url);
    const body = isMatch ? { ...AD, narrative_hook: `A sign${CONTROLS}reads: Emberroast.` } : {};
    response.writeHead(isMatch ? 200 : 201, { "Content-Type": "application/json" });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  service.closeAllConnections();
  service.close();
  rmSync(folder, { recursive: true });
});

/** What the program shows of a scene or two. */
function play(program: string, args: string[]): Promise<string> {
  const env = {
    ...process.env,
    DIEGETIC_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}/api`,
    DIEGETIC_KEY: "igk_any",
    OUTBOX: join(folder, "impressions.jsonl"),
    PYTHONPATH: `${CLIENTS}python/src`,
  };
  return new Promise((resolve, reject) => {
    const game = execFile(program, args, { cwd: ROOT, env, timeout: PLAY_TIMEOUT_MS }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
    game.stdin?.end("go north\nquit\n");
  });
}

describe.each(EXAMPLE_GAMES)("the $name", ({ program, args }) => {
  if (program === undefined) {
    it.skip(`is not run here: ${PYTHON_MISSING}`, () => undefined);
    return;
  }
  it("shows an ad's line as text, whatever the advertiser has put into it", async () => {
    recorded.length = 0;
    let shown = "";
    // On a busy machine an ad may come too late for a scene.
    await eventually(async () => {
      shown = await play(program, args);
      return shown.includes("Emberroast");
    });
    expect(shown).toMatch(/A sign *\]0;mine.*reads: Emberroast\./);
    expect(shown.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
    expect(recorded.length).toBeGreaterThan(0);
  });
});
