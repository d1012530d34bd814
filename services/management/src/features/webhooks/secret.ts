import { createHmac, randomBytes } from "node:crypto";
import { secretNotShownAgain, type WebhookBody, type WebhookWithSecretBody } from "@diegetic/contracts";
import { sha256Hex } from "../../core/shared/sha256.ts";

const SECRET_PREFIX = "whsec_";
const SEED_BYTES = 32;

/** A new secret of a webhook, and the seed from which the same service derives it again. */
export interface NewSecret {
  secret: string;
  seed: string;
}

export function newSecret(derivationSecret: string): NewSecret {
  const seed = randomBytes(SEED_BYTES).toString("base64url");
  return { seed, secret: derivedSecret(derivationSecret, seed) };
}

/** What is stored of an answer for retries: the secret can only be derived from seed and installation together. */
export interface StoredAnswer extends WebhookBody {
  seed: string;
  secretSha256: string;
}

export function withoutSecret(webhook: WebhookBody, { seed, secret }: NewSecret): StoredAnswer {
  return { ...webhook, seed, secretSha256: sha256Hex(secret) };
}

/** Throws 409 when the installation's secret has changed since the first answer. */
export function withSecret(
  { seed, secretSha256, ...webhook }: StoredAnswer,
  derivationSecret: string,
): WebhookWithSecretBody {
  const secret = derivedSecret(derivationSecret, seed);
  if (sha256Hex(secret) !== secretSha256) throw secretNotShownAgain.error();
  return { ...webhook, secret };
}

function derivedSecret(derivationSecret: string, seed: string): string {
  const hmac = createHmac("sha256", derivationSecret).update(`webhook ${seed}`);
  return SECRET_PREFIX + hmac.digest("base64url");
}
