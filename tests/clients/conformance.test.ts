import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { type Language, languages } from "./languages.ts";
import { type Outcome, type Scenario, scenarioFile, writeOutboxFiles } from "./scenarios.ts";
import { type RecordedCall, ScriptedServer } from "./scripted-server.ts";

const RUN_TIMEOUT_MS = 300_000;
/** What a request of each path sends: names at the top of the scenario file. */
const BODIES: Record<string, string> = {
  "/match": "scene",
  "/impressions": "impression",
  "/placements": "placement",
};

interface Conformance {
  server: ScriptedServer;
  outcomes: Outcome[];
}

/** By name of the language. They run at the same time, because scenarios mostly wait. */
const ended = new Map<string, Promise<Conformance>>();

beforeAll(async () => {
  for (const { name, missing, run } of languages) {
    if (missing === undefined) ended.set(name, runScenarios(run));
  }
  await Promise.allSettled(ended.values());
}, RUN_TIMEOUT_MS);

async function runScenarios(run: Language["run"]): Promise<Conformance> {
  const directory = mkdtempSync(join(tmpdir(), "diegetic-conformance-"));
  const server = await ScriptedServer.start();
  writeOutboxFiles(directory);
  try {
    const outcomes = withBaseUrl(await run(server.url, directory), server.url);
    return { server, outcomes };
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

describe.each(languages)("the $name client", ({ name, missing }) => {
  if (missing !== undefined) {
    it.skip(`is not tested here: ${missing}`, () => undefined);
    return;
  }
  let server: ScriptedServer;
  let outcomes: Outcome[];

  beforeAll(async () => {
    const conformance = await ended.get(name);
    if (conformance === undefined) throw new Error(`${name} has not run`);
    ({ server, outcomes } = conformance);
  });

  it(`runs every scenario (${name})`, () => {
    expect(outcomes.map((outcome) => outcome.name)).toEqual(scenarioFile.scenarios.map((one) => one.name));
  });

  it.each(scenarioFile.scenarios.map((scenario, index) => ({ ...scenario, index })))("$name", (scenario) => {
    const outcome = outcomes[scenario.index];
    expect(outcome?.results).toEqual(scenario.steps.map(({ result = expect.anything() }) => result));
    expectEvents(outcome?.events ?? [], scenario);
    expectCalls(server.callsOf(scenario.index), scenario);
  });
});

/** The port of the server and the index of the scenario are not known to the file. */
function withBaseUrl(outcomes: Outcome[], serverUrl: string): Outcome[] {
  const baseUrl = new RegExp(`${serverUrl}/\\d+/api`, "g");
  return JSON.parse(JSON.stringify(outcomes).replace(baseUrl, "BASE_URL"));
}

function expectEvents(events: Record<string, unknown>[], scenario: Scenario): void {
  expect(events.map(({ type }) => type)).toEqual(scenario.events.map(({ type }) => type));
  for (const [index, expected] of scenario.events.entries()) {
    const { minDelayMs, maxDelayMs, status, ...fields } = expected;
    const event = events[index];
    expect(event).toMatchObject(fields);
    // A status that never came is null or left out, as the language has it.
    if ("status" in expected) expect(event?.status ?? null).toBe(status);
    if (minDelayMs !== undefined) {
      expect(event?.delay_ms).toBeGreaterThanOrEqual(minDelayMs as number);
    }
    if (maxDelayMs !== undefined) expect(event?.delay_ms).toBeLessThanOrEqual(maxDelayMs as number);
  }
}

/** Without `calls` only what was sent is checked: a request may be cut off before it arrives. */
function expectCalls(calls: RecordedCall[], scenario: Scenario): void {
  if (scenario.calls !== undefined) expect(calls.map(({ path }) => path)).toEqual(scenario.calls);
  const matchIds = matchIdsOf(scenario);
  for (const call of calls) {
    expect(call).toMatchObject({ method: "POST", authorization: "Bearer test-key" });
    expect(call.contentType).toMatch(/^application\/json/);
    if (call.body === undefined) continue;
    const { match_id, ...body } = call.body as Record<string, unknown>;
    const { match_id: known, ...expected } = scenarioFile[BODIES[call.path] ?? ""] as Record<string, unknown>;
    expect(body).toEqual(expected);
    if (known === undefined) expect(match_id).toBeUndefined();
    else expect(matchIds).toContain(match_id);
  }
  if (scenario.pauseAtLeastMs === undefined) return;
  const { from, to, ms } = scenario.pauseAtLeastMs;
  expect((calls[to]?.atMs ?? 0) - (calls[from]?.atMs ?? 0)).toBeGreaterThanOrEqual(ms);
}

/** Of the impressions that its steps record and its file holds. */
function matchIdsOf({ steps, file = [] }: Scenario): unknown[] {
  const inFile = file.map((line) => /"match_id":"([^"]*)"/.exec(line)?.[1]);
  const ids = [scenarioFile.impression.match_id, ...steps.map(({ match_id }) => match_id), ...inFile];
  return ids.filter((id) => id !== undefined);
}
