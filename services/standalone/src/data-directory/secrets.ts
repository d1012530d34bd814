import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "@diegetic/local-stores";

/** Secrets of a local stack: made once, kept in the data directory, readable by its owner alone. */
export interface StackSecrets {
  /** Key of the hashes under which players are stored; a new one would make every player a new one. */
  playerHashKey: string;
  /** The demo account's API key: the database keeps only its hash. */
  demoApiKey: string;
}

export function readOrCreateSecrets(dataDir: string): StackSecrets {
  const file = join(dataDir, "secrets.json");
  if (!existsSync(file)) {
    const secrets: StackSecrets = {
      playerHashKey: randomBytes(32).toString("base64url"),
      demoApiKey: `igk_${randomBytes(24).toString("base64url")}`,
    };
    writeFileSync(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  }
  const { playerHashKey, demoApiKey } = parse(file);
  if (typeof playerHashKey !== "string" || typeof demoApiKey !== "string") {
    throw new SetupError(
      `${file} does not hold the secrets of a stack: restore it, or remove it to make new ones.`,
    );
  }
  return { playerHashKey, demoApiKey };
}

function parse(file: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}
