import { createHash } from "node:crypto";
import { stringify } from "safe-stable-stringify";

/** Hexadecimal SHA-256 of a parsed body; independent of the order of fields. */
export function jsonSha256(body: unknown): string {
  return createHash("sha256")
    .update(stringify(body) ?? "")
    .digest("hex");
}
