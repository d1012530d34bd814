import { createHash } from "node:crypto";
import { InvalidInput } from "@diegetic/contracts";

/** Deeper than any body of the API, and far below the recursion limit. */
const DEEPEST_LEVEL = 100;

function ordered(value: unknown, level: number): unknown {
  if (level > DEEPEST_LEVEL) throw new InvalidInput(400, "the body is nested too deeply");
  if (Array.isArray(value)) return value.map((entry) => ordered(entry, level + 1));
  if (typeof value !== "object" || value === null) return value;
  // Without a prototype, so that `__proto__` is an ordinary field.
  const fields: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(value).sort()) {
    fields[name] = ordered((value as Record<string, unknown>)[name], level + 1);
  }
  return fields;
}

/** Canonical JSON: sorts the fields of objects, so that equal values give equal texts. Throws InvalidInput (400). */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(ordered(value, 0)) ?? "";
}

/** Hexadecimal SHA-256 of the canonical JSON; independent of the order of fields. Throws InvalidInput (400). */
export function jsonSha256(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}
