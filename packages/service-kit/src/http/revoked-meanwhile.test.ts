import { createHash } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import supertest from "supertest";
import { createLogger } from "../observability/logger.ts";
import { createMetrics } from "../observability/metrics.ts";
import { createApp } from "./app.ts";
import type { Caller } from "./endpoint.ts";

const SECRET = `dgk_${"a".repeat(43)}`;
const KEY: Caller = {
  id: "key_1",
  accountId: "acc_1",
  scopes: ["serving"],
  rateLimitPerMinute: null,
  rateLimitKeyId: "key_1",
  accountLimits: { maxOwn: null },
};

/** An app whose key is revoked while its requests wait for the rate limiter. */
function appWithRevocation() {
  const keys = new Map([[createHash("sha256").update(SECRET).digest("hex"), KEY]]);
  return createApp({
    basePath: "/api",
    trustedProxies: ["loopback"],
    maxConcurrentRequests: 10,
    endpoints: [
      {
        method: "POST",
        path: "/things",
        group: "match",
        scope: "serving",
        role: "manager",
        body: "json",
        handle: async () => ({ status: 200, body: {} }),
      },
    ],
    keys: { find: (sha256Hex) => keys.get(sha256Hex), findSession: () => undefined },
    rateLimiter: {
      take: async (_kind, _id, limit) => {
        keys.clear();
        return { allowed: true, limit, remaining: limit, resetUnixSeconds: 60, windowLeftMs: 60_000 };
      },
    },
    rateLimits: { match: 10, impressions: 10, management: 10, analytics: 10, explain: 10 },
    rateLimitAccountFactor: 10,
    logger: createLogger({ service: "test", instance: "test", level: "fatal" }),
    metrics: createMetrics({ service: "test" }),
    readiness: {},
    isStoreUnavailable: () => false,
  });
}

describe("a key that is revoked while its request waits for the limits", () => {
  it("is refused, although the body arrived with the headers", async () => {
    const response = await supertest(appWithRevocation())
      .post("/api/things")
      .set("Authorization", `Bearer ${SECRET}`)
      .send({});
    expect(response.status).toBe(401);
  });
});
