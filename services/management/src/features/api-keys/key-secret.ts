import { createHmac, hkdfSync, randomBytes } from "node:crypto";

export const KEY_PREFIX = "igk_";
const RANDOM_BYTES = 32;
const SHOWN_CHARACTERS = 10;

/** A new API key secret: `igk_` and 43 random characters. Returned once, never stored. */
export function newKeySecret(): string {
  return KEY_PREFIX + randomBytes(RANDOM_BYTES).toString("base64url");
}

/** Derives a key secret from a secret and a purpose: deterministic, so that it can be returned again without being stored. */
export function derivedKeySecret(secret: string, purpose: string): string {
  return KEY_PREFIX + createHmac("sha256", secret).update(purpose).digest("base64url");
}

/** The secret from which new key secrets are derived: separate from other uses of the same setting. */
export function keyDerivationSecret(installationSecret: string): string {
  return Buffer.from(hkdfSync("sha256", installationSecret, "", "texts of API keys", 32)).toString(
    "base64url",
  );
}

/** The first characters, by which owners recognise their keys. */
export function shownPrefix(keySecret: string): string {
  return keySecret.slice(0, SHOWN_CHARACTERS);
}
