import { describe, expect, it } from "@jest/globals";
import { settingsOfNewKey } from "./api-key.ts";

const defaults = { match: 1_000, impressions: 1_000, management: 100, analytics: 60, explain: 60 } as const;
const onDefaults = { scopes: ["advertiser", "serving"], rateLimitPerMinute: null } as const;

describe("the limit of a new key", () => {
  it.each([
    [["serving" as const], 1_000, "impressions|match"],
    [["advertiser" as const, "serving" as const], 60, "analytics"],
  ])("with the scopes %j is at most %d, for a key on the defaults", (scopes, most, group) => {
    const made = (limit: number) =>
      settingsOfNewKey({ label: "x", scopes, rate_limit_per_minute: limit }, onDefaults, defaults);
    expect(made(most).rateLimitPerMinute).toBe(most);
    expect(() => made(most + 1)).toThrow(
      new RegExp(`from 1 to ${most} \\(the limit of the calling key in the endpoint group (${group})\\)`),
    );
  });

  it("is the calling key's own when nothing is said", () => {
    const limit = (own: number | "unlimited" | null) =>
      settingsOfNewKey({ label: "x" }, { ...onDefaults, rateLimitPerMinute: own }, defaults)
        .rateLimitPerMinute;
    expect([limit(7), limit(null), limit("unlimited")]).toEqual([7, null, null]);
  });
});
