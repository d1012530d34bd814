import { createHash } from "node:crypto";
import { InvalidInput } from "@diegetic/contracts";

/** Deeper than any body of the API, and far from where recursion ends. */
const DEEPEST_LEVEL = 100;

function canonical(value: unknown, level: number): unknown {
  if (level > DEEPEST_LEVEL) throw new InvalidInput(400, "the body is nested too deeply");
  if (Array.isArray(value)) return value.map((entry) => canonical(entry, level + 1));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  // Pairs instead of an object: no field name is special.
  return { fields: fields.map(([name, field]) => [name, canonical(field, level + 1)]) };
}

/** SHA-256 (hexadecimal) of a JSON value; equal for values that differ only in the order of their fields. Throws InvalidInput. */
export function jsonSha256(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(canonical(value, 0)) ?? "")
    .digest("hex");
}
