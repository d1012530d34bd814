import { setTimeout as sleep } from "node:timers/promises";
import type { Api, ApiAnswer } from "@diegetic/testing/api";
import { retryAfterMs, STALE_SENTENCE } from "@diegetic/testing/documented";
import { eventually } from "@diegetic/testing/eventually";

export const PATIENCE = { timeoutMs: 180_000, everyMs: 50 };
/** The proxy's sentence, and that of a match instance. */
const REPEATABLE = ["The service is starting or restarting: try again in a moment.", STALE_SENTENCE];
export const GAME = "keep";
const PLAYERS = 4;

/** What was sent through the proxy, and how it was answered. */
export class Traffic {
  impressions = 0;
  changes = 0;
  /** Answers that a client does not expect. */
  readonly failures: string[] = [];
  /**
   * Refusals since `begin` by a match instance with an expired lease, or by the proxy for lack of an instance; each was retried
   * after its Retry-After.
   */
  readonly refusals: string[] = [];
  #phase = "before";
  readonly #api: Api;
  readonly #campaignId: string;
  readonly #held: object[] = [];
  readonly #running: Promise<void>[];
  #isOver = false;

  constructor(api: Api, campaignId: string) {
    this.#api = api;
    this.#campaignId = campaignId;
    const players = Array.from({ length: PLAYERS }, (_, player) => this.#play(player));
    this.#running = [...players, this.#manage()];
  }

  /** @param phase what the installation goes through from now on */
  begin(phase: string): void {
    this.#phase = phase;
    this.refusals.length = 0;
  }

  /** Resolves when more impressions were recorded and more changes made than when this was called. */
  async goOn(): Promise<void> {
    const { impressions, changes } = this;
    const isMoving = () => this.impressions > impressions + 10 && this.changes > changes + 1;
    await eventually(isMoving, PATIENCE);
  }

  /** Makes a match whose impression is only recorded by `recordHeld`. */
  async holdMatch(): Promise<void> {
    await eventually(async () => {
      const held = await this.#match("patient");
      if (held !== undefined) this.#held.push(held);
      return held !== undefined;
    }, PATIENCE);
  }

  /** Records the impressions of `holdMatch`. */
  async recordHeld(): Promise<void> {
    for (const impression of this.#held.splice(0)) await this.#record(impression);
  }

  /** Resolves when nothing more is sent. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  async #play(player: number): Promise<void> {
    for (let visit = 0; !this.#isOver; visit += 1) {
      const impression = await this.#match(`player-${player}-${visit}`);
      if (impression !== undefined) await this.#record(impression);
    }
  }

  async #match(player: string): Promise<object | undefined> {
    const { status, body } = await this.#serve("/match", {
      game_id: GAME,
      user_id: player,
      game_context: {},
    });
    if (status === 200) {
      const { campaign_id, creative_id, match_id } = body;
      return { game_id: GAME, campaign_id, creative_id, match_id };
    }
    // The campaign changes all the time: at such a moment it may not serve.
    if (status !== 204) this.#fail("match", status, body);
    return undefined;
  }

  async #record(impression: object): Promise<void> {
    const { status, body } = await this.#serve("/impressions", impression);
    if (status === 201) this.impressions += 1;
    else this.#fail("impression", status, body);
  }

  async #serve(path: string, body: object): Promise<ApiAnswer> {
    for (;;) {
      const answer = await this.#request("POST", path, body);
      if (answer.status !== 503 || !REPEATABLE.includes(answer.body.detail)) return answer;
      this.refusals.push(`${this.#phase}: ${path}`);
      await sleep(retryAfterMs(answer.status, answer.headers.get("Retry-After")));
    }
  }

  async #manage(): Promise<void> {
    const path = `/campaigns/${this.#campaignId}`;
    while (!this.#isOver) {
      const name = `Launch ${this.changes}`;
      const change = await this.#request("PATCH", path, { name });
      const read = await this.#request("GET", path);
      if (change.status === 200 && read.status === 200 && read.body.name === name) this.changes += 1;
      else this.#fail("change", change.status, change.body, read.status);
    }
  }

  async #request(...call: Parameters<Api["request"]>): Promise<ApiAnswer> {
    try {
      return await this.#api.request(...call);
    } catch (error) {
      return { status: 0, body: String((error as Error).cause ?? error), headers: new Headers() };
    }
  }

  #fail(kind: string, ...answer: unknown[]): void {
    this.failures.push(`${this.#phase}: ${kind}: ${JSON.stringify(answer)}`);
  }
}
