import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "@diegetic/local-stores";

/** Secrets of a local stack: made once, kept in the data directory, readable by its owner alone. */
export interface StackSecrets {
  /** Key of the hashes under which players are stored; a new one would make every player a new one. */
  playerHashKey: string;
  /** What the demo account's key is derived from: the database keeps only its hash, and yet it is shown at every start. */
  demoSecret: string;
}

export function readOrCreateSecrets(dataDir: string): StackSecrets {
  const file = join(dataDir, "secrets.json");
  if (!existsSync(file)) {
    const secrets: StackSecrets = {
      playerHashKey: randomBytes(32).toString("base64url"),
      demoSecret: randomBytes(32).toString("base64url"),
    };
    writeFileSync(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  }
  const { playerHashKey, demoSecret } = parse(file);
  if (typeof playerHashKey !== "string" || typeof demoSecret !== "string") {
    throw new SetupError(
      `${file} does not hold the secrets of a stack: restore it, or remove it to make new ones.`,
    );
  }
  return { playerHashKey, demoSecret };
}

function parse(file: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}
