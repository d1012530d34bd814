import { apiKeyOperations } from "@diegetic/contracts";
import { type SeenAnswer, undocumented } from "@diegetic/testing/documented";
import { rounds } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { BASE_PATH, type ComposedApi, type RawRequest, startComposedApi } from "./composed-api.fixture.ts";
import { type FuzzWorld, requestTo } from "./fuzz/requests.ts";
import { openFuzzWorld } from "./fuzz/world.ts";

/** How many requests, and from which seed: FUZZ_REQUESTS=10000 FUZZ_SEED=7 npm run jest -- tests/contract/fuzz */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? rounds(300, 1_000));
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
const TIMEOUT_MS = 300_000 + REQUESTS * 100;

/** What has a body can be wrong in more ways: it is drawn more often. */
const drawn = apiKeyOperations().flatMap((operation) =>
  operation.request === undefined ? [operation] : [operation, operation, operation],
);

/** What a request got that the document does not allow, or a failure of ours; undefined: nothing. */
function problemOf(answer: SeenAnswer): string | undefined {
  if (answer.status === 500) return `500 ${answer.text}`;
  return undocumented(answer);
}

describe("fuzzed requests", () => {
  let api: ComposedApi;
  let world: FuzzWorld;
  beforeAll(async () => {
    api = await startComposedApi();
    world = await openFuzzWorld(api);
  });
  afterAll(() => api.stop());

  it(
    `get an answer that the document allows, ${REQUESTS} times`,
    async () => {
      const statuses = new Map<number, number>();
      const succeeded = new Set<string>();
      const request = fc
        .constantFrom(...drawn)
        .chain((operation) =>
          requestTo(operation, world).map((raw): [string, RawRequest] => [operation.operationId, raw]),
        );
      await fc.assert(
        fc.asyncProperty(request, async ([operationId, raw]) => {
          const answer = await api.send(raw);
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          if (answer.status < 300) succeeded.add(operationId);
          const problem = problemOf(answer);
          if (problem !== undefined) throw new Error(`${raw.method} ${raw.path}: ${problem}`);
        }),
        { numRuns: REQUESTS, seed: SEED, endOnFailure: process.env.FUZZ_SHRINK !== "1" },
      );
      // If authentication or rate limits refused all requests, the test would find nothing.
      const share = (status: number) => (statuses.get(status) ?? 0) / REQUESTS;
      expect(share(401) + share(429)).toBeLessThan(0.1);
      expect(share(200) + share(201) + share(204)).toBeGreaterThan(0.2);
      if (REQUESTS >= 1_000) expect(succeeded.size).toBeGreaterThan(apiKeyOperations().length * 0.8);
    },
    TIMEOUT_MS,
  );

  it("leave a service that still answers", async () => {
    const answer = await api.send({
      method: "GET",
      path: `${BASE_PATH}/profile`,
      headers: { Authorization: `Bearer ${world.key}` },
    });
    expect(answer.status).toBe(200);
  });
});
