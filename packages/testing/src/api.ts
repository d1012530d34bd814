import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { undocumented } from "./documented.ts";

const REPEAT_WITHIN_MS = 30_000;

export interface ApiAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests examine
  body: any;
  headers: Headers;
}

/** Calls the API with one key, like a client. Rejects on an answer that the API document does not allow. */
export interface Api {
  request(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<ApiAnswer>;
  /** Expects the status, and returns the body. Repeats a POST that is answered 503, under one Idempotency-Key. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests examine
  expect(status: number, method: string, path: string, body?: object): Promise<any>;
}

export function apiClient(baseUrl: string, key: string): Api {
  const request: Api["request"] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // Without a request id, the answer comes from a proxy in front of an unavailable service.
    if (response.headers.has("x-request-id")) {
      const { status } = response;
      const seen = { method, path: new URL(response.url).pathname, status, text };
      const problem = undocumented({ ...seen, headers: Object.fromEntries(response.headers) });
      if (problem !== undefined) throw new Error(`${method} ${path}: ${problem}`);
    }
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? undefined : JSON.parse(text),
    };
  };
  return {
    request,
    async expect(status, method, path, body) {
      const headers = method === "POST" ? { "Idempotency-Key": randomUUID() } : undefined;
      const deadlineMs = performance.now() + REPEAT_WITHIN_MS;
      let answer = await request(method, path, body, headers);
      while (headers && answer.status === 503 && status !== 503 && performance.now() < deadlineMs) {
        const seconds = Number(answer.headers.get("Retry-After") ?? Number.NaN);
        if (Number.isNaN(seconds)) break;
        await setTimeout(seconds * 1_000);
        answer = await request(method, path, body, headers);
      }
      if (answer.status !== status) {
        throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}, not ${status}`);
      }
      return answer.body;
    },
  };
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
  await api.expect(201, "POST", "/register", { company_name: "Emberroast", contact_email: email });
  await api.expect(200, "POST", "/deposit", { amount_cents: plan.depositCents });
  const campaign = await api.expect(201, "POST", "/campaigns", {
    name: "Launch",
    budget_cents: plan.budgetCents,
    cpm_bid_cents: plan.cpmBidCents,
  });
  const creative = await api.expect(201, "POST", `/campaigns/${campaign.id}/creatives`, {
    creative_type: "narrative_hook",
    brand_name: "Emberroast",
    narrative_hook: "The kettle sings of Emberroast.",
    max_uses_per_game: 20,
  });
  await api.expect(200, "POST", `/campaigns/${campaign.id}/activate`);
  return { campaignId: campaign.id, creativeId: creative.id };
}

/** Enables a game of the caller's account for every creative type. */
export async function enableGame(api: Api, gameId: string): Promise<void> {
  await api.expect(201, "POST", `/placements/${gameId}`, {
    creator_id: "studio",
    placement_types: ["narrative_hook"],
    revenue_share_pct: 70,
    max_ads_per_session: 50,
  });
}
