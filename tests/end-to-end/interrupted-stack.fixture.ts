import { type Api, type ApiAnswer, apiClient, enableGame, startCampaign } from "@diegetic/testing/api";
import { eventually } from "@diegetic/testing/eventually";
import type { TestStack } from "@diegetic/testing/stack";
import { type Variant, World } from "../faults/topology/world.ts";
import { createKey } from "./create-key.ts";

export const GAME = "lasting-game";
/** Requests that a service answers at the same time. */
export const AT_A_TIME = 8;
const PATIENCE = { timeoutMs: 90_000, everyMs: 50 };

/** A stack behind faulty proxies that several groups of tests interrupt, with an account that owns a game and a campaign. */
export class InterruptedStack {
  #world: World | undefined;
  #key = "";
  #players = 0;

  async start(variant: Variant): Promise<void> {
    this.#world = await World.start({
      variant,
      holdTtlSeconds: 600,
      sessionIdleSeconds: 1_800,
      environment: { MAX_CONCURRENT_REQUESTS: String(AT_A_TIME) },
    });
    this.#key = await createKey(this.processes, "interrupted");
    await enableGame(this.api, GAME);
    await startCampaign(this.api, { depositCents: 100_000, budgetCents: 100_000, cpmBidCents: 100 });
    await eventually(async () => (await this.match()) === 200, PATIENCE);
  }

  async stop(): Promise<void> {
    await this.#world?.stop();
  }

  get world(): World {
    if (this.#world === undefined) throw new Error("the stack has not started");
    return this.#world;
  }

  get processes(): TestStack {
    return this.world.stack;
  }

  /** Of the account, without limits. */
  get key(): string {
    return this.#key;
  }

  get api(): Api {
    return apiClient(this.world.baseUrl, this.#key);
  }

  /** Status of a match of a new player. Default: through the front. */
  async match(baseUrl = this.world.baseUrl): Promise<number> {
    return (await this.ask(baseUrl)).status;
  }

  /** The whole answer of one match request. */
  ask(baseUrl: string): Promise<ApiAnswer> {
    return apiClient(baseUrl, this.#key).request("POST", "/match", this.matchBody());
  }

  /** Of a new player. */
  matchBody(): object {
    this.#players += 1;
    return { game_id: GAME, user_id: `player-${this.#players}`, game_context: {} };
  }

  async isWritten(impressionId: string): Promise<boolean> {
    const sql = "SELECT 1 FROM impressions WHERE impression_id = $1";
    return (await this.world.query(sql, [impressionId])).length === 1;
  }
}
