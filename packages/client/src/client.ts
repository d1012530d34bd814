import { createApiCalls, createApiPages, type Send } from "./api-calls.ts";
import type { ClientEvent } from "./events.ts";
import type { ApiCalls, ApiPages, MatchRequest, MatchResult } from "./generated/api.ts";
import { ImpressionSender } from "./outbox/impression-sender.ts";
import { MemoryOutbox } from "./outbox/memory-outbox.ts";
import type { Outbox, OutboxEntry } from "./outbox/outbox.ts";
import { type Answer, detailOf, exchange, messageOf, noAnswer, type Transport } from "./transport.ts";

const DEFAULT_MATCH_BUDGET_MS = 150;
const DEFAULT_FLUSH_MS = 10_000;
/** Of a match or a record. A proxy that sends without end must not fill the memory. */
const MAX_ANSWER_BYTES = 1_024 * 1_024;
const IMPRESSION_LIMITS = { timeoutMs: 10_000, maxBytes: MAX_ANSWER_BYTES };

export interface DiegeticClientOptions {
  /** The address with its prefix, such as `https://ads.example.com/api`. */
  baseUrl: string;
  /** A game server needs the scope `serving` and nothing else. */
  apiKey: string;
  /** How long a scene waits for its ad. Default 150. */
  matchBudgetMs?: number;
  /** Where impressions wait for their answer. Default: a `MemoryOutbox`. */
  outbox?: Outbox;
  /** Default: the global `fetch`. */
  fetch?: Transport;
  /** Called synchronously; what it throws or rejects with is ignored. Default: nothing is reported. */
  onEvent?: (event: ClientEvent) => void;
}

/** The body of `POST /match`. */
export type Scene = MatchRequest;

/** An ad for a scene. Keep it until the player has seen it. */
export interface Match extends MatchResult {
  /** That of the scene; `recordImpression` needs it. */
  game_id: string;
}

/** Asks for ads within a budget, and delivers impressions until they have a final answer. */
export class DiegeticClient {
  /** The calls of advertisers and developers. */
  readonly api: ApiCalls;
  /** Those of `api` whose answers may come in pages: `for await (const page of client.pages.getEarnings())`. */
  readonly pages: ApiPages;
  readonly #baseUrl: string;
  readonly #apiKey: string;
  readonly #matchBudgetMs: number;
  readonly #transport: Transport;
  readonly #onEvent: (event: ClientEvent) => void;
  readonly #sender: ImpressionSender;

  constructor(options: DiegeticClientOptions) {
    this.#baseUrl = checkedBaseUrl(options.baseUrl);
    this.#apiKey = checkedApiKey(options.apiKey);
    this.#matchBudgetMs = checkedBudget(options.matchBudgetMs ?? DEFAULT_MATCH_BUDGET_MS);
    this.#transport = options.fetch ?? ((url, request) => fetch(url, request));
    const { onEvent } = options;
    // A listener must not stop a scene or the delivery of impressions.
    this.#onEvent = (event) => {
      try {
        Promise.resolve(onEvent?.(event)).catch(() => undefined);
      } catch {}
    };
    this.#sender = new ImpressionSender({
      outbox: options.outbox ?? new MemoryOutbox(),
      send: ({ recorded_at_ms: _time, ...body }, cancelled) =>
        this.#send("POST", "/impressions", { body, ...IMPRESSION_LIMITS, cancelled }),
      onEvent: this.#onEvent,
    });
    this.api = createApiCalls(this.#send, this.#sender.closed);
    this.pages = createApiPages(this.#send, this.#sender.closed);
  }

  /** How many impressions have no final answer yet; those of an earlier process count once the outbox was read. */
  get pendingImpressions(): number {
    return this.#sender.pending;
  }

  /**
   * The ad for a scene, or null: no ad, no answer within the budget, an error. Sent once and never rejects. A match whose
   * answer came too late lapses by itself and costs nothing.
   */
  async match(scene: Scene): Promise<Match | null> {
    try {
      const limits = { timeoutMs: this.#matchBudgetMs, maxBytes: MAX_ANSWER_BYTES };
      const answer = await this.#send("POST", "/match", { body: scene, ...limits });
      const match = matchIn(answer);
      if (match !== undefined) return { ...match, game_id: scene.game_id };
      if (answer.status === 204) {
        this.#onEvent({ type: "no_match", reason: answer.headers.get("x-no-match-reason") ?? undefined });
      } else {
        this.#onEvent({ type: "match_failed", status: answer.status, detail: detailOf(answer) });
      }
    } catch (error) {
      this.#onEvent({ type: "match_failed", status: undefined, detail: messageOf(error) });
    }
    return null;
  }

  /**
   * Call it when the player has seen the ad. Returns at once: true when the outbox has accepted the impression. The same
   * match again is billed once.
   */
  recordImpression(match: Pick<Match, "match_id" | "campaign_id" | "creative_id" | "game_id">): boolean {
    const { match_id, campaign_id, creative_id, game_id } = match;
    const entry: OutboxEntry = { match_id, campaign_id, creative_id, game_id, recorded_at_ms: Date.now() };
    return this.#sender.add(entry);
  }

  /** Waits until every impression has its final answer, or for the time. Answers how many are still pending. */
  async flush({ timeoutMs = DEFAULT_FLUSH_MS }: { timeoutMs?: number } = {}): Promise<number> {
    await this.#sender.flush(timeoutMs);
    return this.#sender.pending;
  }

  /**
   * Flushes, then stops. Answers how many impressions have no final answer: a file outbox keeps them for the next process,
   * a memory outbox loses them and reports each.
   */
  async close({ timeoutMs = DEFAULT_FLUSH_MS }: { timeoutMs?: number } = {}): Promise<number> {
    await this.flush({ timeoutMs });
    this.#sender.close();
    return this.#sender.pending;
  }

  readonly #send: Send = (method, path, { body, headers, cancelled, ...limits }) => {
    const request = {
      method,
      headers: { Authorization: `Bearer ${this.#apiKey}`, "Content-Type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const url = `${this.#baseUrl}${path}`;
    if (this.#sender.closed.aborted) return Promise.reject(noAnswer(url, new Error("the client is closed")));
    return exchange(this.#transport, url, request, limits, cancelled);
  };
}

/** Undefined unless the service answers an ad: a proxy's page is none. */
function matchIn({ status, body }: Answer): MatchResult | undefined {
  const match = body as Partial<MatchResult> | null | undefined;
  return status === 200 && typeof match?.match_id === "string" ? (match as MatchResult) : undefined;
}

/** The message does not contain the key: it may be logged. */
function checkedApiKey(apiKey: string): string {
  if (!apiKey) throw new TypeError("apiKey is required: create one, see docs/operating.md");
  if (/^[!-~]+$/.test(apiKey)) return apiKey;
  throw new TypeError("apiKey must be ASCII characters without spaces and line ends");
}

function checkedBudget(matchBudgetMs: number): number {
  if (matchBudgetMs > 0 && Number.isFinite(matchBudgetMs)) return matchBudgetMs;
  throw new TypeError(`matchBudgetMs must be a number above 0, not ${matchBudgetMs}`);
}

/** Messages leave the address out, which may have a password: they may be logged. */
function checkedBaseUrl(baseUrl: string): string {
  if (!/^https?:\/\/[^/]/.test(baseUrl)) {
    throw new TypeError("baseUrl must be an http or https address, such as http://127.0.0.1:8080/api");
  }
  if (/^[^/]*\/\/[^/?#]*@|[?#]/.test(baseUrl)) {
    throw new TypeError("baseUrl must have no user name, password, query or fragment");
  }
  let end = baseUrl.length;
  while (baseUrl.endsWith("/", end)) end -= 1;
  return baseUrl.slice(0, end);
}
