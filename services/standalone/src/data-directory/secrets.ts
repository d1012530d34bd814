import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "@diegetic/local-stores";

/** Secrets of a local stack: created once, kept in the data directory, readable only by its owner. */
export interface StackSecrets {
  /** HMAC key of stored player ids; with another key, every player would count as new. */
  playerHashKey: string;
  /** The demo account's key derives from it, because every start prints that key and the database only has its hash. */
  demoSecret: string;
  /** Signing key of session cookies. */
  authSecret: string;
}

export function readOrCreateSecrets(dataDir: string): StackSecrets {
  const file = join(dataDir, "secrets.json");
  if (!existsSync(file)) {
    const secrets = { playerHashKey: newSecret(), demoSecret: newSecret(), authSecret: newSecret() };
    write(file, secrets);
    return secrets;
  }
  const { playerHashKey, demoSecret, authSecret } = parse(file);
  if (typeof playerHashKey !== "string" || typeof demoSecret !== "string") {
    throw new SetupError(
      `${file} does not hold the secrets of a stack: restore it, or remove it to make new ones.`,
    );
  }
  if (typeof authSecret === "string") return { playerHashKey, demoSecret, authSecret };
  // The file was written by a version without sessions.
  const secrets = { playerHashKey, demoSecret, authSecret: newSecret() };
  write(file, secrets);
  return secrets;
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Replaces the file atomically: a crash leaves the old one or the new one. */
function write(file: string, secrets: StackSecrets): void {
  const draft = `${file}.new`;
  writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

function parse(file: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}
