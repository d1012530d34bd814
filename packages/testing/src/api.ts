import { randomUUID } from "node:crypto";
import { repeatedly, retryAfterMs, type SeenAnswer, sendRepeatedly, undocumented } from "./documented.ts";

export interface ApiAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests examine
  body: any;
  headers: Headers;
}

/** Calls the API with one key, like a client. Rejects on an answer that the API document does not allow. */
export interface Api {
  request(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<ApiAnswer>;
  /** A POST to the match tier, whatever it answers; as `sendRepeatedly`. */
  serve(path: string, body: object, headers?: Record<string, string>): Promise<ApiAnswer>;
  /** Expects the status, and returns the body; as `sendRepeatedly`. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests examine
  expect(status: number, method: string, path: string, body?: object): Promise<any>;
  /** A POST that prepares a test: like `expect`, but repeats a 503 under one Idempotency-Key, as a client does. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests examine
  setUp(status: number, path: string, body?: object): Promise<any>;
}

/** @param options.isDocumented whether every answer has to be one that the API document allows. Default: true. */
export function apiClient(baseUrl: string, key: string, { isDocumented = true } = {}): Api {
  const send = async (...[method, path, body, headers = {}]: Parameters<Api["request"]>) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const seen: SeenAnswer = {
      method,
      path: new URL(response.url).pathname,
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text,
    };
    // Without a request id, the answer comes from a proxy in front of an unavailable service.
    const isOfService = response.headers.has("x-request-id");
    const problem = isDocumented && isOfService ? undocumented(seen) : undefined;
    if (problem !== undefined) throw new Error(`${method} ${path}: ${problem}`);
    const parsed = text === "" ? undefined : JSON.parse(text);
    return { ...seen, answer: { status: response.status, headers: response.headers, body: parsed } };
  };
  const request: Api["request"] = async (...call) => (await send(...call)).answer;
  const persist = async (...call: Parameters<Api["request"]>) =>
    (await sendRepeatedly(() => send(...call))).answer;
  const bodyOf = (answer: ApiAnswer, status: number, name: string) => {
    if (answer.status === status) return answer.body;
    throw new Error(`${name}: ${answer.status} ${JSON.stringify(answer.body)}, not ${status}`);
  };
  return {
    request,
    serve: (path, body, headers) => persist("POST", path, body, headers),
    async expect(status, method, path, body) {
      return bodyOf(await persist(method, path, body), status, `${method} ${path}`);
    },
    async setUp(status, path, body) {
      const headers = { "Idempotency-Key": randomUUID() };
      const answer = await repeatedly(
        () => request("POST", path, body, headers),
        (refused) => retryAfterMs(refused.status, refused.headers.get("Retry-After")),
      );
      return bodyOf(answer, status, `POST ${path}`);
    },
  };
}

const MAX_WAIT_FOR_BILLING_MS = 1_000;

/**
 * What is read while billing writes. A read waits for billing, a second at most: one that took so long is repeated, as billing
 * may take longer on a busy machine.
 * @param prepare what precedes each reading
 */
export async function afterBilling<T>(
  read: () => PromiseLike<T>,
  prepare: () => PromiseLike<void> = async () => {},
): Promise<T> {
  for (;;) {
    await prepare();
    const startedMs = performance.now();
    const answer = await read();
    if (performance.now() - startedMs < MAX_WAIT_FOR_BILLING_MS) return answer;
  }
}

/** Reads what billing writes. */
// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests examine
export function readBilled(api: Api, path: string): Promise<any> {
  return afterBilling(() => api.expect(200, "GET", path));
}

export interface CampaignPlan {
  depositCents: number;
  budgetCents: number;
  /** Also the price of one impression in millicents. */
  cpmBidCents: number;
}

/** Registers, deposits, and activates a campaign with one creative. Returns the ids. */
export async function startCampaign(
  api: Api,
  plan: CampaignPlan,
): Promise<{ campaignId: string; creativeId: string }> {
  const email = `ads-${Math.random().toString(36).slice(2)}@example.com`;
  await api.setUp(201, "/register", { company_name: "Emberroast", contact_email: email });
  await api.setUp(200, "/deposit", { amount_cents: plan.depositCents });
  const campaign = await api.setUp(201, "/campaigns", {
    name: "Launch",
    budget_cents: plan.budgetCents,
    cpm_bid_cents: plan.cpmBidCents,
  });
  const creative = await api.setUp(201, `/campaigns/${campaign.id}/creatives`, {
    creative_type: "narrative_hook",
    brand_name: "Emberroast",
    narrative_hook: "The kettle sings of Emberroast.",
    max_uses_per_game: 20,
  });
  await api.setUp(200, `/campaigns/${campaign.id}/activate`);
  return { campaignId: campaign.id, creativeId: creative.id };
}

/** Enables a game of the caller's account for every creative type. */
export async function enableGame(api: Api, gameId: string): Promise<void> {
  await api.setUp(201, `/placements/${gameId}`, {
    creator_id: "studio",
    placement_types: ["narrative_hook"],
    revenue_share_pct: 70,
    max_ads_per_session: 50,
  });
}
