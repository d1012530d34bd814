import { createHmac, randomBytes } from "node:crypto";
import type { HttpError } from "@diegetic/contracts";
import { sha256Hex } from "./sha256.ts";

const SEED_BYTES = 32;

/** A kind of secret that only the answer of its creation shows, and the answers of retries. */
export interface OneTimeSecretKind {
  prefix: string;
  /** Domain of the HMAC: kinds never share a secret. */
  purpose: string;
  /** For a retry after the installation's secret has changed. */
  notShownAgain: { error(): HttpError };
}

/** A new secret, and the seed from which the same service derives it again. */
export interface OneTimeSecret {
  secret: string;
  seed: string;
}

/** What is stored of an answer for retries: the secret can only be derived from seed and installation together. */
export type StoredWithSeed<Body> = Body & { seed: string; secretSha256: string };

/** @param derivationSecret of the installation */
export function newOneTimeSecret(kind: OneTimeSecretKind, derivationSecret: string): OneTimeSecret {
  const seed = randomBytes(SEED_BYTES).toString("base64url");
  return { seed, secret: derived(kind, derivationSecret, seed) };
}

export function withoutSecret<Body extends object>(body: Body, fresh: OneTimeSecret): StoredWithSeed<Body> {
  return { ...body, seed: fresh.seed, secretSha256: sha256Hex(fresh.secret) };
}

/** Throws the kind's 409 when the secret cannot be derived any more. */
export function withSecret<Body extends object>(
  stored: StoredWithSeed<Body>,
  kind: OneTimeSecretKind,
  derivationSecret: string,
): Body & { secret: string } {
  const { seed, secretSha256, ...body } = stored;
  const secret = derived(kind, derivationSecret, seed);
  if (sha256Hex(secret) !== secretSha256) throw kind.notShownAgain.error();
  return { ...(body as unknown as Body), secret };
}

function derived({ prefix, purpose }: OneTimeSecretKind, derivationSecret: string, seed: string): string {
  return prefix + createHmac("sha256", derivationSecret).update(`${purpose} ${seed}`).digest("base64url");
}
