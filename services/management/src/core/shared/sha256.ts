import { createHash } from "node:crypto";

/** The stored form of a secret, 64 hexadecimal digits. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
