import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Api, apiClient, enableGame, startCampaign } from "@diegetic/testing/api";
import { eventually } from "@diegetic/testing/eventually";
import { isLongForm } from "@diegetic/testing/rounds";
import { startStackOnTestStores, type TestStack } from "@diegetic/testing/stack";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { whileHung } from "../faults/topology/signals.ts";
import { createKey } from "./create-key.ts";

const TIMEOUT_MS = 300_000;
const GAME = "suspended-game";
const STANDING_CLOCK = pathToFileURL(
  join(import.meta.dirname, "../../packages/testing/runner/standing-clock.mjs"),
).href;

/** A program's own connection to one match instance, which is kept. */
class Direct {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: URL;

  constructor(baseUrl: string) {
    this.#url = new URL(baseUrl);
  }

  /** Sends a request; `written` once it has left this process. */
  post(path: string, key: string, body: object) {
    const text = JSON.stringify(body);
    const sent = request(`${this.#url.href}${path}`, {
      agent: this.#agent,
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(text),
      },
    });
    const written = new Promise<void>((resolve) => sent.once("finish", resolve));
    const status = new Promise<number | undefined>((resolve, reject) => {
      sent.once("error", reject);
      sent.once("response", (response) => {
        response.resume();
        response.once("end", () => resolve(response.statusCode));
      });
    });
    sent.end(text);
    return { written, status };
  }

  close(): void {
    this.#agent.destroy();
  }
}

describe.each([
  ["suspended with its monotonic clock", { NODE_OPTIONS: `--import ${STANDING_CLOCK}` }],
  ...(isLongForm ? [["stopped", {}] as const] : []),
])("a match instance that was %s", (_what, environment: Record<string, string>) => {
  const dataDir = mkdtempSync(join(tmpdir(), "diegetic-suspended-"));
  let stack: TestStack;
  let developer: Api;
  let key = "";
  let direct: Direct;

  beforeAll(async () => {
    stack = await startStackOnTestStores({ dataDir, environment: { DEMO: "0", ...environment } });
    const { baseUrl, matchUrls } = stack.describe();
    key = await createKey(stack, "developer");
    developer = apiClient(baseUrl, key);
    await enableGame(developer, GAME);
    const advertiser = apiClient(baseUrl, await createKey(stack, "advertiser"));
    await startCampaign(advertiser, { depositCents: 10_000, budgetCents: 10_000, cpmBidCents: 1_000 });
    direct = new Direct(matchUrls[0] ?? "");
  }, TIMEOUT_MS);
  afterAll(async () => {
    direct?.close();
    await stack?.pressCtrlC();
    rmSync(dataDir, { recursive: true, force: true });
  }, TIMEOUT_MS);

  const matchBody = (player: string) => ({ game_id: GAME, user_id: player, game_context: {} });

  /** A key of the developer that has been used on the kept connection. */
  async function newKey(): Promise<{ id: string; text: string }> {
    const made = await developer.setUp(201, "/api-keys", { label: "spare" });
    await eventually(async () => (await direct.post("/match", made.key, matchBody("first")).status) === 200);
    return { id: made.id, text: made.key };
  }

  it.each(["/impressions", "/match"])(
    "does not answer %s for a key that was revoked meanwhile",
    async (path) => {
      const { id, text } = await newKey();
      const { campaign_id, creative_id, match_id } = await developer.expect(
        200,
        "POST",
        "/match",
        matchBody("seen"),
      );
      const impression = { game_id: GAME, campaign_id, creative_id, match_id };
      const body = path === "/match" ? matchBody("late") : impression;
      const late = await whileHung(stack.pidOf("match-1"), async () => {
        await developer.expect(204, "DELETE", `/api-keys/${id}`);
        const sent = direct.post(path, text, body);
        await sent.written;
        return sent;
      });
      expect([401, 503]).toContain(await late.status);
      await eventually(async () => (await direct.post(path, text, body).status) === 401);
    },
    TIMEOUT_MS,
  );

  it(
    "serves nothing in a game that was disabled meanwhile",
    async () => {
      await newKey();
      const late = await whileHung(stack.pidOf("match-1"), async () => {
        await developer.expect(204, "DELETE", `/placements/${GAME}`);
        const sent = direct.post("/match", key, matchBody("later"));
        await sent.written;
        return sent;
      });
      expect([204, 503]).toContain(await late.status);
    },
    TIMEOUT_MS,
  );
});
