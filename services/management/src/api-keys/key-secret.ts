import { createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";

const KEY_PREFIX = "igk_";
const RANDOM_BYTES = 32;
const SHOWN_CHARACTERS = 10;

/** A new API key: `igk_` and 43 random characters. Shown once, never stored. */
export function newKeySecret(): string {
  return KEY_PREFIX + randomBytes(RANDOM_BYTES).toString("base64url");
}

/** The key that belongs to a secret and a purpose: always the same, so that it can be shown again without being stored. */
export function derivedKeySecret(secret: string, purpose: string): string {
  return KEY_PREFIX + createHmac("sha256", secret).update(purpose).digest("base64url");
}

/** The secret from which the texts of new keys are made: apart from everything else that the same setting keys. */
export function keyDerivationSecret(installationSecret: string): string {
  return Buffer.from(hkdfSync("sha256", installationSecret, "", "texts of API keys", 32)).toString(
    "base64url",
  );
}

/** What makes the text of one new key, together with the secret: neither says anything of the key without the other. */
export function newKeySeed(): string {
  return randomBytes(RANDOM_BYTES).toString("base64url");
}

/** What is stored of a key. */
export function keySha256(keySecret: string): string {
  return createHash("sha256").update(keySecret).digest("hex");
}

/** The first characters, by which an owner tells his keys apart. */
export function shownPrefix(keySecret: string): string {
  return keySecret.slice(0, SHOWN_CHARACTERS);
}
