import { Agent, request } from "node:http";
import { enableGame } from "@diegetic/testing/api";
import { eventually } from "@diegetic/testing/eventually";
import { isLongForm } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { whileHung } from "../faults/topology/signals.ts";
import { type ServiceName, SUSPENDED_INSTANCE } from "../faults/topology/world.ts";
import type { InterruptedStack } from "./interrupted-stack.fixture.ts";

const TIMEOUT_MS = 300_000;
const GAME = "suspended-game";
const INSTANCES: readonly ServiceName[] = ["match-1", "match-2"];

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

export function describeSuspendedInstance(stack: InterruptedStack): void {
  describe.each<[string, ServiceName]>([
    ["suspended with its monotonic clock", SUSPENDED_INSTANCE],
    ...(isLongForm ? [["stopped", "match-1"] as [string, ServiceName]] : []),
  ])("of which a match instance was %s", (_what, instance) => {
    let direct: Direct;

    beforeAll(async () => {
      await enableGame(stack.api, GAME);
      direct = new Direct(stack.processes.describe().matchUrls[INSTANCES.indexOf(instance)] ?? "");
    }, TIMEOUT_MS);
    afterAll(() => direct?.close());

    const matchBody = (player: string) => ({ game_id: GAME, user_id: player, game_context: {} });

    /** A key of the developer that has been used on the kept connection. */
    async function newKey(): Promise<{ id: string; text: string }> {
      const made = await stack.api.setUp(201, "/api-keys", { label: "spare" });
      await eventually(
        async () => (await direct.post("/match", made.key, matchBody("first")).status) === 200,
      );
      return { id: made.id, text: made.key };
    }

    it.each(["/impressions", "/match"])(
      "does not answer %s for a key that was revoked meanwhile",
      async (path) => {
        const { id, text } = await newKey();
        const { campaign_id, creative_id, match_id } = await stack.api.expect(
          200,
          "POST",
          "/match",
          matchBody("seen"),
        );
        const impression = { game_id: GAME, campaign_id, creative_id, match_id };
        const body = path === "/match" ? matchBody("late") : impression;
        const late = await whileHung(stack.processes.pidOf(instance), async () => {
          await stack.api.expect(204, "DELETE", `/api-keys/${id}`);
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
        const late = await whileHung(stack.processes.pidOf(instance), async () => {
          await stack.api.expect(204, "DELETE", `/placements/${GAME}`);
          const sent = direct.post("/match", stack.key, matchBody("later"));
          await sent.written;
          return sent;
        });
        expect([204, 503]).toContain(await late.status);
      },
      TIMEOUT_MS,
    );
  });
}
