const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
const IMPRESSION_TIMEOUT_MS = 5_000;
const ENABLE_TIMEOUT_MS = 10_000;
/** A deployment waits for so long at most. */
const ENABLE_WITHIN_MS = 2 * 60 * 1_000;
/** A match can be billed for so long. */
const BILLABLE_MS = 24 * 60 * 60 * 1_000;

export interface GameClientOptions {
  /** Such as http://127.0.0.1:8080/api. */
  baseUrl: string;
  /** With the scope `serving`; `enable` needs `developer`, too. */
  key: string;
  gameId: string;
  /** How long a scene waits for its ad at most, milliseconds. Default 150. */
  patienceMs?: number;
  /** So many impressions wait for their final answer at most; beyond that the oldest is given up. Default 10 000. */
  mostPending?: number;
  /** Told of what a developer has to mend. */
  onProblem?: (message: string) => void;
}

export interface Scene {
  userId: string;
  sessionId?: string;
  /** `game_context` of POST /match. */
  context: Record<string, unknown>;
  /** `player_geo` of POST /match. */
  geo?: Record<string, unknown>;
}

/** The body of POST /placements/{game_id}: what is left out goes back to its default. */
export interface Placement {
  creator_id: string;
  placement_types: string[];
  revenue_share_pct?: number;
  max_ads_per_session?: number;
  blocked_advertisers?: string[];
  blocked_categories?: string[];
}

/** Of the answer of POST /match what every game uses. */
export interface Ad {
  match_id: string;
  campaign_id: string;
  creative_id: string;
  narrative_hook: string;
  biased_pipeline: Record<string, string>;
}

/**
 * What a game server needs to talk to Diegetic. Two rules make it: a scene never waits long for an ad, and an impression is
 * sent until there is a final answer to it.
 */
export class GameClient {
  readonly #options: Required<GameClientOptions>;
  /** By match_id: what `seen` has promised. */
  readonly #pending = new Map<string, Promise<boolean>>();
  #toldOfKey = false;

  constructor(options: GameClientOptions) {
    this.#options = { patienceMs: 150, mostPending: 10_000, onProblem: () => undefined, ...options };
  }

  /** How many impressions wait for their final answer. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Tells which ads the game takes, as often as you like. Tries again for two minutes while nobody can answer. */
  async enable(placement: Placement): Promise<void> {
    const path = `/placements/${encodeURIComponent(this.#options.gameId)}`;
    const endMs = Date.now() + ENABLE_WITHIN_MS;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const answer = await this.#post(path, placement, ENABLE_TIMEOUT_MS).catch(() => undefined);
      if (answer?.status === 201) return;
      if (Date.now() > endMs || (answer !== undefined && isMistake(answer.status))) {
        throw new Error(`${path}: ${answer ? `${answer.status} ${await answer.text()}` : "nobody answers"}`);
      }
      await sleep(Math.max(leastPauseOf(answer), pauseMs * (0.5 + Math.random())));
    }
  }

  /** The ad for a scene; null when there is none, or when it does not come in time: the scene then goes on without. */
  async findAd({ userId, sessionId, context, geo }: Scene): Promise<Ad | null> {
    const { gameId, patienceMs, onProblem } = this.#options;
    const scene = { game_context: context, player_geo: geo };
    const body = { game_id: gameId, user_id: userId, session_id: sessionId, ...scene };
    try {
      const answer = await this.#post("/match", body, patienceMs);
      if (answer.status === 200) return (await answer.json()) as Ad;
      if (isMistake(answer.status)) onProblem(`/match: ${answer.status} ${await answer.text()}`);
    } catch {
      // Not in time, or nobody there. Should an ad have been chosen after all, its hold lapses and costs nothing.
    }
    return null;
  }

  /**
   * Records that the player has seen an ad. Settles with whether it was billed, as soon as that is known for good. Pending
   * ads are in memory alone: a game server that must not lose one when it is restarted keeps `ad` until this has settled, and
   * calls again.
   */
  seen(ad: Ad): Promise<boolean> {
    const known = this.#pending.get(ad.match_id);
    if (known !== undefined) return known;
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined && this.#pending.size >= this.#options.mostPending) {
      this.#pending.delete(oldest);
      this.#options.onProblem(`too many impressions wait for an answer: that of ${oldest} is given up`);
    }
    const settled = this.#recordUntilKnown(ad).finally(() => this.#pending.delete(ad.match_id));
    this.#pending.set(ad.match_id, settled);
    return settled;
  }

  async #recordUntilKnown({ match_id, campaign_id, creative_id }: Ad): Promise<boolean> {
    const body = { game_id: this.#options.gameId, campaign_id, creative_id, match_id };
    const endMs = Date.now() + BILLABLE_MS;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const { billed, leastPauseMs } = await this.#record(body);
      if (billed !== undefined) return billed;
      await sleep(Math.max(leastPauseMs, pauseMs * (0.5 + Math.random())));
      if (!this.#pending.has(match_id) || Date.now() > endMs) return false;
    }
  }

  /** One attempt. `billed` is undefined while only another attempt can tell. */
  async #record(body: object): Promise<{ billed?: boolean; leastPauseMs: number }> {
    try {
      const answer = await this.#post("/impressions", body, IMPRESSION_TIMEOUT_MS);
      if (answer.status === 201) return { billed: true, leastPauseMs: 0 };
      const leastPauseMs = leastPauseOf(answer);
      // Nothing that could be billed any more: the match is too old, or its money was spent meanwhile.
      if (answer.status === 409) return { billed: false, leastPauseMs };
      if (!isMistake(answer.status)) return { leastPauseMs };
      // With a key that is valid again it can still be billed.
      const isKey = answer.status === 401 || answer.status === 403;
      if (!isKey || !this.#toldOfKey) {
        this.#options.onProblem(`/impressions: ${answer.status} ${await answer.text()}`);
      }
      this.#toldOfKey ||= isKey;
      return isKey ? { leastPauseMs } : { billed: false, leastPauseMs };
    } catch {
      // The answer was lost, or nobody is there. The same match_id is never billed twice.
      return { leastPauseMs: 0 };
    }
  }

  #post(path: string, body: object, timeoutMs: number): Promise<Response> {
    const { baseUrl, key } = this.#options;
    return fetch(`${baseUrl}${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
  }
}

/** Too many requests (429) and a service that is away (503) mend themselves. */
function isMistake(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

/** What the answer asks for before the next attempt. */
function leastPauseOf(answer: Response | undefined): number {
  return (Number(answer?.headers.get("retry-after")) || 0) * 1_000;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
