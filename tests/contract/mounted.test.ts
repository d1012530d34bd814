import { apiKeyOperations, dashboardOperations, expressPath, roleOf } from "@diegetic/contracts";
import { readManagementSettings } from "@diegetic/management/settings";
import { readMatchSettings } from "@diegetic/match/settings";
import { describe, expect, it } from "@jest/globals";
import { managementEndpoints, signedInEndpoints } from "../../services/management/src/endpoints.ts";
import type { Parts } from "../../services/management/src/features/parts.ts";
import {
  createImpressionsEndpoint,
  type ImpressionDependencies,
} from "../../services/match/src/impressions/impressions-endpoint.ts";
import type { MatchDependencies } from "../../services/match/src/match/dependencies.ts";
import { createMatchEndpoint } from "../../services/match/src/match/match-endpoint.ts";

describe("what the services mount", () => {
  // Building an endpoint touches none of its parts.
  const endpoints = [
    ...managementEndpoints({} as Parts),
    createMatchEndpoint({} as MatchDependencies),
    createImpressionsEndpoint({} as ImpressionDependencies),
  ];

  it("is exactly what the API document describes", () => {
    const route = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
    const documented = apiKeyOperations().map((operation) =>
      route({ method: operation.method, path: expressPath(operation) }),
    );
    expect(endpoints.map(route).sort()).toEqual(documented.sort());
  });

  it("is what the API document describes for sessions, with its callers and roles", () => {
    const facts = signedInEndpoints({} as Parts).map(({ method, path, group, callers, role }) =>
      [method, path, group, callers, role].join(" "),
    );
    const documented = dashboardOperations().map((operation) =>
      [operation.method, expressPath(operation), operation.group, operation.callers, roleOf(operation)].join(
        " ",
      ),
    );
    expect(facts.sort()).toEqual(documented.sort());
  });

  it("counts and asks for scopes as the API document says", () => {
    for (const { method, path, group, scope } of endpoints) {
      const operation = apiKeyOperations().find(
        (candidate) => candidate.method === method && expressPath(candidate) === path,
      );
      expect([path, group, scope]).toEqual([path, operation?.group, operation?.scope]);
    }
  });

  it("allows each group its requests a minute", () => {
    const environment = {
      DATABASE_URL: "postgres://localhost/x",
      REDIS_URL: "redis://localhost",
      PLAYER_HASH_KEY: "k".repeat(32),
      AUTH_SECRET: "a secret of more than thirty-two characters",
    };
    const perKey = {
      rateLimitMatch: 1_000,
      rateLimitImpressions: 1_000,
      rateLimitManagement: 100,
      rateLimitAnalytics: 60,
    };
    const perGame = { rateLimitMatchPerGame: "unlimited", rateLimitImpressionsPerGame: "unlimited" };
    expect(readMatchSettings(environment).settings).toMatchObject({ ...perKey, ...perGame });
    expect(readManagementSettings(environment)).toMatchObject({ ...perKey, rateLimitExplain: 60 });
    for (const { path, group } of endpoints) {
      const isAnalytics = /\/(stats|analytics\/\w+)$|^\/(revenue|creator-revenue)\b/.test(path);
      const own = /^\/(match|impressions)$|\/(explain)$/.exec(path)?.slice(1).find(Boolean) ?? "management";
      expect([path, group]).toEqual([path, isAnalytics ? "analytics" : own]);
    }
  });
});
