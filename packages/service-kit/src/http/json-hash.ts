import { createHash } from "node:crypto";
import { InvalidInput } from "@diegetic/contracts";

/** Deeper than any body of the API, and far from where recursion ends. */
const DEEPEST_LEVEL = 100;

function ordered(value: unknown, level: number): unknown {
  if (level > DEEPEST_LEVEL) throw new InvalidInput(400, "the body is nested too deeply");
  if (Array.isArray(value)) return value.map((entry) => ordered(entry, level + 1));
  if (typeof value !== "object" || value === null) return value;
  // Without a prototype, so that a field named __proto__ is a field like any other.
  const fields: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(value).sort()) {
    fields[name] = ordered((value as Record<string, unknown>)[name], level + 1);
  }
  return fields;
}

/** The same text for values that are equal as JSON: fields of objects in one order. Throws InvalidInput (400). */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(ordered(value, 0)) ?? "";
}

/** SHA-256 (hexadecimal) of a JSON value; equal for values that differ only in the order of their fields. Throws InvalidInput (400). */
export function jsonSha256(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}
