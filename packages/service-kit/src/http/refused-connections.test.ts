import { describe, expect, it } from "@jest/globals";
import { RefusedConnections } from "./refused-connections.ts";

const MINUTE_MS = 60_000;

describe("connections that are refused", () => {
  it("count by address and minute, and are limited", () => {
    const refused = new RefusedConnections();
    const take = (address: string, nowMs: number) => refused.take(address, nowMs);
    expect(take("192.0.2.1", 0)).toEqual({
      allowed: true,
      headers: { "X-RateLimit-Limit": "100", "X-RateLimit-Remaining": "99", "X-RateLimit-Reset": "60" },
    });
    for (let count = 2; count <= 100; count += 1) expect(take("192.0.2.1", 1).allowed).toBe(true);
    expect(take("::ffff:192.0.2.1", 18_500)).toEqual({
      allowed: false,
      headers: {
        "X-RateLimit-Limit": "100",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": "60",
        "Retry-After": "42",
      },
    });
    expect(take("192.0.2.2", 2).allowed).toBe(true);
    expect(take("192.0.2.1", MINUTE_MS).headers["X-RateLimit-Remaining"]).toBe("99");
  });

  it("keep a bounded number of addresses apart", () => {
    const refused = new RefusedConnections();
    for (let index = 0; index < 10_200; index += 1) refused.take(`10.0.${index >> 8}.${index & 255}`, 0);
    expect(refused.take("198.51.100.1", 0).allowed).toBe(false);
    expect(refused.take("10.0.0.0", 0).allowed).toBe(true);
  });
});
