import { apiKeyOperations, dashboardOperations, type Operation, openApiDocument } from "@diegetic/contracts";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { BASE_PATH } from "./composed-api.fixture.ts";
import { advertiserRefusals, creativeRefusals } from "./refusals/advertiser.ts";
import { apiKeyRefusals } from "./refusals/api-keys.ts";
import { commonRefusals } from "./refusals/common.ts";
import { dashboardRefusals } from "./refusals/dashboard.ts";
import { gameRefusals } from "./refusals/games.ts";
import type { Provoked } from "./refusals/provocation.ts";
import { sharedRefusals } from "./refusals/shared.ts";
import { targetingRefusals } from "./refusals/targeting.ts";
import { webhookRefusals } from "./refusals/webhooks.ts";
import { startWorld, type World } from "./refusals/world.fixture.ts";

interface Answer {
  content?: { "application/json": { examples: Record<string, { value: { detail: string } }> } };
}

const document = JSON.parse(JSON.stringify(openApiDocument({ basePath: BASE_PATH })));
const ofOperations = {
  ...advertiserRefusals,
  ...creativeRefusals,
  ...targetingRefusals,
  ...gameRefusals,
  ...apiKeyRefusals,
  ...webhookRefusals,
};

/** Every refusal that the document shows at the operations: `400 missing_field` and the sentence. */
function listedAt(operations: readonly Operation[]) {
  return operations.flatMap((operation) => {
    const answers: Record<string, Answer> =
      document.paths[operation.path][operation.method.toLowerCase()].responses;
    return Object.entries(answers).flatMap(([status, { content }]) =>
      Object.entries(content?.["application/json"].examples ?? {}).map(([name, { value }]) => ({
        route: `${operation.method} ${operation.path}`,
        operation,
        refusal: `${status} ${name}`,
        status: Number(status),
        detail: value.detail,
      })),
    );
  });
}

const listed = listedAt(apiKeyOperations());

/** Refusals of requests that only browsers send. */
const ofDashboard = listedAt(dashboardOperations()).filter(
  ({ refusal }) => dashboardRefusals[refusal] !== undefined,
);

/** Every refusal that all operations share, by the name of the answer. */
const shared = Object.entries<Answer>(document.components.responses).flatMap(([component, { content }]) =>
  Object.entries(content?.["application/json"].examples ?? {}).map(([name, { value }]) => ({
    refusal: `${component} ${name}`,
    detail: value.detail,
  })),
);

const provocationOf = ({ operation, refusal }: (typeof listed)[number]) =>
  ofOperations[operation.operationId]?.[refusal] ?? commonRefusals[refusal];

describe("what the API document says of refusals", () => {
  it("can be brought about, each of them", () => {
    expect(listed.length).toBeGreaterThan(250);
    const missing = listed.filter((one) => provocationOf(one) === undefined);
    expect(missing.map(({ route, refusal }) => `${route}: ${refusal}`)).toEqual([]);
    expect(shared.map(({ refusal }) => refusal).sort()).toEqual(Object.keys(sharedRefusals).sort());
  });

  it("is all that is brought about here", () => {
    const used = new Set(listed.map(({ operation, refusal }) => `${operation.operationId} ${refusal}`));
    const written = Object.entries(ofOperations).flatMap(([operationId, provocations]) =>
      Object.keys(provocations).map((refusal) => `${operationId} ${refusal}`),
    );
    expect(written.filter((one) => !used.has(one))).toEqual([]);
    const names = new Set(listed.map(({ refusal }) => refusal));
    expect(Object.keys(commonRefusals).filter((refusal) => !names.has(refusal))).toEqual([]);
    const atDashboard = new Set(ofDashboard.map(({ refusal }) => refusal));
    expect([...atDashboard].sort()).toEqual(Object.keys(dashboardRefusals).sort());
  });

  describe("is what a client reads", () => {
    let world: World;
    beforeAll(async () => {
      world = await startWorld();
    });
    afterAll(() => world.stop());

    it.each(listed)("$route: $refusal", async (one) => {
      const provoked = await provocationOf(one)?.(world, one.operation);
      if (provoked === undefined) throw new Error("nothing brings it about");
      const { answer, issued = {} }: Provoked = "answer" in provoked ? provoked : { answer: provoked };
      const detail = one.detail.replace(/[a-z]+_01[0-9a-z]{24}/g, (id) => issued[id] ?? id);
      expect({ status: answer.status, body: answer.body }).toEqual({ status: one.status, body: { detail } });
    });

    it.each(ofDashboard)("$route: $refusal", async ({ operation, refusal, status, detail }) => {
      const answer = await dashboardRefusals[refusal]?.(world, operation);
      expect([answer?.status, answer?.text]).toEqual([status, JSON.stringify({ detail })]);
    });

    it.each(shared)("$refusal", async ({ refusal, detail }) => {
      const answer = await sharedRefusals[refusal]?.(world);
      expect(answer?.body).toEqual({ detail });
    });
  });
});
