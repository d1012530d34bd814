import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface ComposeService {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test?: string[]; start_period?: string };
  deploy?: { replicas?: number; resources?: object };
  [key: string]: unknown;
}

export interface ComposeFile {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean } | null>;
  [key: string]: unknown;
}

const VARIABLE = /\$\$|\$\{(\w+)(?:(:-|:\?)([^}]*))?\}/g;

/**
 * docker-compose.yml as Compose reads it: anchors merged, variables replaced. Throws where a required variable is missing,
 * as Compose refuses to start then.
 */
export function readComposeFile(variables: Record<string, string>): ComposeFile {
  const parsed: ComposeFile = parse(readFileSync(`${ROOT}docker-compose.yml`, "utf8"), { merge: true });
  return interpolated(parsed, variables) as ComposeFile;
}

function interpolated(value: unknown, variables: Record<string, string>): unknown {
  if (typeof value === "string") return replaceVariables(value, variables);
  if (Array.isArray(value)) return value.map((item) => interpolated(item, variables));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolated(item, variables)]));
}

function replaceVariables(text: string, variables: Record<string, string>): string {
  return text.replace(VARIABLE, (whole, name: string | undefined, operator: string, fallback: string) => {
    if (whole === "$$") return "$";
    const value = variables[name ?? ""];
    if (value) return value;
    if (operator === ":?") throw new Error(`${name} is required`);
    return fallback ?? "";
  });
}
