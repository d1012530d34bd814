import { allOperations, expressPath } from "@diegetic/contracts";
import { describe, expect, it } from "@jest/globals";
import { type FeatureParts, managementEndpoints } from "../../services/management/src/endpoints.ts";
import {
  createImpressionsEndpoint,
  type ImpressionDependencies,
} from "../../services/match/src/impressions/impressions-endpoint.ts";
import type { MatchDependencies } from "../../services/match/src/match/dependencies.ts";
import { createMatchEndpoint } from "../../services/match/src/match/match-endpoint.ts";

describe("what the services mount", () => {
  // Building an endpoint touches none of its parts.
  const endpoints = [
    ...managementEndpoints({} as FeatureParts),
    createMatchEndpoint({} as MatchDependencies),
    createImpressionsEndpoint({} as ImpressionDependencies),
  ];

  it("is exactly what the API document describes", () => {
    const place = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
    const documented = allOperations().map((operation) =>
      place({ method: operation.method, path: expressPath(operation) }),
    );
    expect(endpoints.map(place).sort()).toEqual(documented.sort());
  });

  it("counts and asks for scopes as the API document says", () => {
    for (const { method, path, group, scope } of endpoints) {
      const operation = allOperations().find(
        (candidate) => candidate.method === method && expressPath(candidate) === path,
      );
      expect([path, group, scope]).toEqual([path, operation?.group, operation?.scope]);
    }
  });
});
