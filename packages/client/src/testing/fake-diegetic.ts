import { DiegeticClient, type DiegeticClientOptions } from "../client.ts";
import type { ImpressionRequest, MatchRequest, MatchResult, NewPlacement } from "../generated/api.ts";
import type { Transport, TransportRequest, TransportResponse } from "../transport.ts";

/** What the next scenes get. `timeout` never answers. */
type Behaviour = "ad" | "no_match" | "unavailable" | "timeout";

const TEXT = "text that is not blank";
const OBJECT = "an object";
const LIST = "a list";
const MATCH_FIELDS = { game_id: TEXT, user_id: TEXT, game_context: OBJECT };
const IMPRESSION_FIELDS = { campaign_id: TEXT, creative_id: TEXT, game_id: TEXT };
const PLACEMENT_FIELDS = { creator_id: TEXT, placement_types: LIST };

/**
 * The service for tests of a game: in memory, without network. `client()` is a real client that talks to it.
 * By default each scene gets an ad.
 */
export class FakeDiegetic {
  /** Every scene that was sent, oldest first, whatever its answer. */
  readonly scenes: MatchRequest[] = [];
  /** Every impression that was billed, oldest first, each once. */
  readonly impressions: ImpressionRequest[] = [];
  readonly #matches = new Map<string, MatchResult>();
  #behaviour: Behaviour = "ad";
  #ad: Partial<MatchResult> = {};
  #noMatchReason = "no_eligible_campaign";

  /** The transport of a client. */
  readonly fetch: Transport = async (url, request) => {
    const { pathname } = new URL(url);
    const body = JSON.parse(request.body ?? "{}");
    if (pathname.endsWith("/match")) this.scenes.push(body);
    if (this.#behaviour === "timeout") return await never(request);
    if (this.#behaviour === "unavailable") return answer(503, { detail: "Service temporarily unavailable." });
    if (pathname.endsWith("/match")) return this.#match(body);
    if (pathname.endsWith("/impressions")) return this.#record(body);
    const [, gameId] = /\/placements\/([^/]+)$/.exec(pathname) ?? [];
    if (gameId !== undefined && request.method === "POST") return enable(decodeURIComponent(gameId), body);
    return answer(404, { detail: `FakeDiegetic does not know ${pathname}.` });
  };

  /** A client of this service. Close it at the end of the test. */
  client(options: Partial<Omit<DiegeticClientOptions, "fetch">> = {}): DiegeticClient {
    return new DiegeticClient({
      baseUrl: "http://diegetic.invalid/api",
      apiKey: "fake",
      ...options,
      fetch: this.fetch,
    });
  }

  /** From now on scenes get an ad with these fields. */
  serveAd(ad: Partial<MatchResult> = {}): void {
    this.#behaviour = "ad";
    this.#ad = ad;
  }

  /** From now on scenes get no ad. */
  serveNoAd(reason = "no_eligible_campaign"): void {
    this.#behaviour = "no_match";
    this.#noMatchReason = reason;
  }

  /** From now on every request gets 503, or no answer at all, until `serveAd` or `serveNoAd`. */
  fail(how: "unavailable" | "timeout" = "unavailable"): void {
    this.#behaviour = how;
  }

  #match(scene: MatchRequest): TransportResponse {
    const refusal = refusalOf(scene, MATCH_FIELDS);
    if (refusal !== undefined) return refusal;
    if (this.#behaviour === "no_match") {
      return answer(204, undefined, { "x-no-match-reason": this.#noMatchReason });
    }
    const match: MatchResult = {
      match_id: `match-${this.scenes.length}`,
      campaign_id: "camp-1",
      advertiser_id: "adv-1",
      creative_id: "crt-1",
      narrative_hook: "The innkeeper pours you a Hearthwell ale.",
      creative_type: "narrative_hook",
      brand_name: "Hearthwell",
      product_name: null,
      tagline: null,
      tone: "positive",
      biased_pipeline: {},
      affinity_score: 0,
      cpm_bid_cents: 1_000,
      ...this.#ad,
    };
    this.#matches.set(match.match_id, match);
    return answer(200, match);
  }

  #record(impression: ImpressionRequest): TransportResponse {
    const refusal = refusalOf(impression, IMPRESSION_FIELDS);
    if (refusal !== undefined) return refusal;
    const match = this.#matches.get(impression.match_id ?? "");
    if (match?.campaign_id !== impression.campaign_id || match.creative_id !== impression.creative_id) {
      return answer(409, {
        detail: "There is no unbilled match of this campaign and creative in this game.",
      });
    }
    const isRepeated = this.impressions.some(({ match_id }) => match_id === match.match_id);
    if (!isRepeated) this.impressions.push(impression);
    return answer(201, {
      impression_id: `imp-${match.match_id}`,
      campaign_id: match.campaign_id,
      creative_id: match.creative_id,
      game_id: impression.game_id,
      charged_cents: match.cpm_bid_cents / 1_000,
      recorded_at: new Date().toISOString(),
    });
  }
}

function enable(gameId: string, placement: NewPlacement): TransportResponse {
  const refusal = refusalOf(placement, PLACEMENT_FIELDS);
  return (
    refusal ??
    answer(201, {
      game_id: gameId,
      revenue_share_pct: 70,
      max_ads_per_session: 10,
      blocked_advertisers: [],
      blocked_categories: [],
      ...placement,
      is_active: true,
      created_at: new Date().toISOString(),
    })
  );
}

/** The service's answer to a body without a required field; undefined when none is missing. */
function refusalOf(body: object, required: Record<string, string>): TransportResponse | undefined {
  for (const [name, kind] of Object.entries(required)) {
    const value = (body as Record<string, unknown>)[name] ?? undefined;
    if (value === undefined) return answer(400, { detail: `${name} is required: it must be ${kind}` });
    if (!isOfKind(value, kind)) return answer(400, { detail: `${name} must be ${kind}` });
  }
  return undefined;
}

function isOfKind(value: unknown, kind: string): boolean {
  if (kind === TEXT) return typeof value === "string" && value.trim() !== "";
  return typeof value === "object" && Array.isArray(value) === (kind === LIST);
}

function answer(status: number, body?: unknown, headers: Record<string, string> = {}): TransportResponse {
  return {
    status,
    headers: { get: (name) => headers[name.toLowerCase()] ?? null },
    text: () => Promise.resolve(body === undefined ? "" : JSON.stringify(body)),
  };
}

function never({ signal }: TransportRequest): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}
