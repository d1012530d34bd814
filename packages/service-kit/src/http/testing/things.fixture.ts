import { createHash } from "node:crypto";
import type { RequestListener } from "node:http";
import { HttpError, InvalidInput, MEMBER_ROLES, SCOPES, UNLIMITED_REQUESTS } from "@diegetic/contracts";
import { createLogger } from "../../observability/logger.ts";
import { createMetrics, type Metrics } from "../../observability/metrics.ts";
import { createApp } from "../app.ts";
import type { Caller, Endpoint, RateLimiter } from "../endpoint.ts";
import { notFound } from "../http-error.ts";

class StoreUnavailable extends Error {}

const keys = new Map<string, Caller>();
function addKey(text: string, key: Partial<Caller>): void {
  const full = {
    id: text,
    accountId: "acct_1",
    scopes: ["serving"] as const,
    rateLimitPerMinute: null,
    rateLimitKeyId: text,
    accountLimits: { maxOwn: null },
  };
  keys.set(createHash("sha256").update(text).digest("hex"), { ...full, ...key });
}
addKey("igk_game", {});
addKey("igk_adv", { scopes: ["advertiser"] });
addKey("igk_slow", { rateLimitPerMinute: 2 });
addKey("igk_free", { rateLimitPerMinute: "unlimited" });

const sessions = new Map<string, Caller>();
for (const role of MEMBER_ROLES) {
  const session: Caller = {
    id: `ses_${role}`,
    accountId: "acct_1",
    scopes: SCOPES,
    rateLimitPerMinute: null,
    rateLimitKeyId: `ses_${role}`,
    accountLimits: { maxOwn: null },
    session: { userId: `usr_${role}`, role },
  };
  sessions.set(createHash("sha256").update(`cookie of ${role}`).digest("hex"), session);
}

/** Counts exactly in memory; implements the interface without a store. */
function countingLimiter(): RateLimiter {
  const used = new Map<string, number>();
  return {
    take(kind, id, limit, nowMs) {
      const bucket = `${kind}:${id}`;
      if (limit >= UNLIMITED_REQUESTS) throw new Error("unlimited keys are not counted");
      const count = Math.min((used.get(bucket) ?? 0) + 1, limit + 1);
      used.set(bucket, count);
      return {
        allowed: count <= limit,
        limit,
        remaining: Math.max(0, limit - count),
        resetUnixSeconds: (Math.floor(nowMs / 60_000) + 1) * 60,
        windowLeftMs: 60_000 - (nowMs % 60_000),
      };
    },
  };
}

function readName(value: unknown): { name: string } {
  if (typeof value !== "object" || value === null)
    throw new InvalidInput(400, "the body must be a JSON object");
  if (!("name" in value)) throw new InvalidInput(400, "name is required");
  if (typeof value.name !== "string") throw new InvalidInput(400, "name must be text");
  if (value.name.length > 10) throw new InvalidInput(422, "name must be at most 10 characters");
  return { name: value.name };
}

const endpoints: Endpoint[] = [
  {
    method: "POST",
    path: "/things/:thingId",
    group: "match",
    scope: "serving",
    role: "manager",
    body: "json",
    handle: async (context) => {
      if (context.param("thingId") === "none") throw notFound("no such thing");
      const { name } = context.body(readName);
      if (name === "taken") throw new HttpError(409, "taken");
      if (name === "crash") throw new Error("the secret cause");
      if (name === "down") throw new StoreUnavailable("connection refused");
      if (name === "limited") await context.countAgainst("game", "g", 1);
      return {
        status: 201,
        body: {
          id: context.param("thingId"),
          name,
          idempotencyKey: context.idempotencyKey,
          operation: context.operation,
          account: context.accountId,
        },
      };
    },
  },
  {
    method: "GET",
    path: "/things/:thingId",
    group: "analytics",
    scope: "serving",
    role: "manager",
    body: "none",
    handle: async (context) => ({ status: 200, body: { days: context.query.get("days") } }),
  },
  {
    method: "POST",
    path: "/things/:thingId/pause",
    group: "management",
    scope: "serving",
    role: "manager",
    body: "none",
    handle: async () => ({ status: 204 }),
  },
  {
    method: "POST",
    path: "/trials",
    group: "management",
    scope: ["advertiser", "developer"],
    role: "manager",
    body: "optional",
    handle: async (context) => ({ status: 200, body: context.body((sent) => ({ sent })) }),
  },
];

/** An app with every kind of endpoint, whose store can be made unavailable. */
export interface Things {
  app: RequestListener;
  metrics: Metrics;
  isReady: boolean;
  /** Log lines at warning level or above. */
  warnings: Record<string, unknown>[];
}

/** Resets all rate limits. */
export function createThings(): Things {
  const metrics = createMetrics({ service: "test" });
  const warnings: Things["warnings"] = [];
  const destination = { write: (line: string) => void warnings.push(JSON.parse(line)) };
  const app = createApp({
    basePath: "/api",
    trustedProxies: ["loopback"],
    maxConcurrentRequests: 100,
    endpoints,
    keys: { find: (sha256) => keys.get(sha256), findSession: (sha256) => sessions.get(sha256) },
    rateLimiter: countingLimiter(),
    rateLimits: { match: 1000, impressions: 1000, management: 100, analytics: 60, explain: 60 },
    rateLimitAccountFactor: 10,
    logger: createLogger({ service: "test", instance: "test", level: "warn" }, destination),
    metrics,
    readiness: {
      store: () => {
        if (!things.isReady) throw new Error("no connection");
      },
    },
    isStoreUnavailable: (error) => error instanceof StoreUnavailable,
  });
  const things: Things = { app, metrics, isReady: true, warnings };
  return things;
}
