import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `clients/conformance/scenarios.json`; its README says what the fields mean. */
export interface Scenario {
  name: string;
  matchBudgetMs?: number;
  capacity?: number;
  file?: string[];
  answers: Record<string, ScriptedAnswer[]>;
  steps: Step[];
  calls?: string[];
  pauseAtLeastMs?: { from: number; to: number; ms: number };
  events: Record<string, unknown>[];
}

export interface ScriptedAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  text?: string;
  hang?: boolean;
  endless?: boolean;
  disconnect?: boolean;
}

export interface Step {
  do:
    | "match"
    | "recordImpression"
    | "enablePlacement"
    | "flush"
    | "close"
    | "reopen"
    | "awaitEvent"
    | "verifyWebhook";
  match_id?: string;
  timeoutMs?: number;
  type?: string;
  signature?: string;
  result?: unknown;
}

/** What a client's program prints for each scenario. */
export interface Outcome {
  name: string;
  results: unknown[];
  events: Record<string, unknown>[];
}

interface ScenarioFile {
  scene: Record<string, unknown>;
  impression: Record<string, unknown>;
  placement: Record<string, unknown>;
  webhook: { secret: string; nowMs: number; body: string };
  scenarios: Scenario[];
  [name: string]: unknown;
}

export const SCENARIO_FILE = new URL("../../clients/conformance/scenarios.json", import.meta.url);
export const scenarioFile = JSON.parse(readFileSync(SCENARIO_FILE, "utf8")) as ScenarioFile;

/** The outbox file of a scenario, written as an earlier process left it. */
export function outboxPath(directory: string, index: number): string {
  return join(directory, `outbox-${index}.jsonl`);
}

export function writeOutboxFiles(directory: string): void {
  for (const [index, { file }] of scenarioFile.scenarios.entries()) {
    if (file === undefined) continue;
    const lines = file.map((line) =>
      line.replace(/NOW-?(\d*)/, (_now, agoMs: string) => String(Date.now() - Number(agoMs))),
    );
    writeFileSync(outboxPath(directory, index), lines.join("\n"));
  }
}
