import {
  type ClientEvent,
  DiegeticClient,
  DiegeticError,
  type Match,
  MemoryOutbox,
  type NewPlacement,
  type Scene,
  verifyWebhook,
  WebhookSignatureError,
} from "@diegetic/client";
import { FileOutbox } from "@diegetic/client/file-outbox";
import { eventually } from "@diegetic/testing/eventually";
import { type Outcome, outboxPath, type Scenario, type Step, scenarioFile } from "./scenarios.ts";

const PATIENT_BUDGET_MS = 10_000;

/** Runs the scenarios as the programs of the other languages do. */
export async function runTypeScript(serverUrl: string, directory: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [index, scenario] of scenarioFile.scenarios.entries()) {
    outcomes.push(await runScenario(scenario, `${serverUrl}/${index}/api`, outboxPath(directory, index)));
  }
  return outcomes;
}

async function verifiedId(signature: string | undefined): Promise<string> {
  const { body, secret, nowMs } = scenarioFile.webhook;
  try {
    return (await verifyWebhook({ body, signature, secret, nowMs: () => nowMs })).id;
  } catch (error) {
    if (error instanceof WebhookSignatureError) return "refused";
    throw error;
  }
}

/** Null, or the detail of the error. */
async function enablePlacement(client: DiegeticClient): Promise<string | null> {
  try {
    const body = scenarioFile.placement as unknown as NewPlacement;
    await client.api.enablePlacement({ game_id: "moonlit-keep", body });
    return null;
  } catch (error) {
    if (error instanceof DiegeticError) return error.detail;
    throw error;
  }
}

async function runScenario(scenario: Scenario, baseUrl: string, path: string): Promise<Outcome> {
  const events: ClientEvent[] = [];
  const { capacity } = scenario;
  const limit = capacity === undefined ? {} : { capacity };
  const open = () =>
    new DiegeticClient({
      baseUrl,
      apiKey: "test-key",
      matchBudgetMs: scenario.matchBudgetMs ?? PATIENT_BUDGET_MS,
      outbox: scenario.file === undefined ? new MemoryOutbox(limit) : new FileOutbox({ path, ...limit }),
      onEvent: (event) => events.push(event),
    });
  let client = open();
  let match = scenarioFile.impression as unknown as Match;
  const perform = async (step: Step): Promise<unknown> => {
    const wait = { timeoutMs: step.timeoutMs ?? 0 };
    switch (step.do) {
      case "match": {
        const found = await client.match(scenarioFile.scene as unknown as Scene);
        match = found ?? match;
        return found === null ? null : "ad";
      }
      case "recordImpression":
        return client.recordImpression({ ...match, match_id: step.match_id ?? match.match_id });
      case "enablePlacement":
        return enablePlacement(client);
      case "flush":
        return client.flush(wait);
      case "close":
        return client.close(wait);
      case "awaitEvent":
        return eventually(() => events.some(({ type }) => type === step.type));
      case "verifyWebhook":
        return verifiedId(step.signature);
      case "reopen":
        client = open();
        return true;
    }
  };
  const results: unknown[] = [];
  for (const step of scenario.steps) results.push(await perform(step));
  await client.close({ timeoutMs: 0 });
  return { name: scenario.name, results, events };
}
