import { createHash } from "node:crypto";
import type { RedisConnection } from "../connection.ts";
import { idempotencyKeys } from "../keys.ts";
import { UnexpectedReply } from "../reply.ts";
import { defineScript, type ScriptCall } from "../script.ts";

/** new: nobody has used the operation; same: somebody has, with this body; conflict: with another body. */
export type Claim = "new" | "same" | "conflict";

const LIFETIME_MS = 24 * 60 * 60 * 1000;

/**
 * Remembers for 24 hours which body an Idempotency-Key was used with, where no Postgres is at hand. The work itself
 * must be idempotent: whoever brings the same body may proceed at any time, also after a claimant that crashed.
 */
export class IdempotencyClaims {
  readonly #claimScript: ScriptCall;
  readonly #finishScript: ScriptCall;

  constructor(redis: RedisConnection) {
    this.#claimScript = defineScript(redis, "claim_operation", 1);
    this.#finishScript = defineScript(redis, "finish_operation", 1);
  }

  /**
   * @param operation account, endpoint and key, in any text form: it is hashed
   * @param bodyHash hash of the body as canonical JSON
   */
  async claim(operation: string, bodyHash: string): Promise<Claim> {
    const reply = await this.#claimScript(keyOf(operation), bodyHash, LIFETIME_MS);
    if (reply === "new" || reply === "same" || reply === "conflict") return reply;
    throw new UnexpectedReply("claim_operation", reply);
  }

  /**
   * Ends a claim with its answer: `keep` after a 2xx, `drop` after any other, so that the key may be used again.
   * Dropping never takes away what a concurrent retry of the same body has kept.
   */
  async finish(operation: string, bodyHash: string, outcome: "keep" | "drop"): Promise<void> {
    const reply = await this.#finishScript(keyOf(operation), bodyHash, outcome, LIFETIME_MS);
    if (reply !== "kept" && reply !== "dropped" && reply !== "untouched") {
      throw new UnexpectedReply("finish_operation", reply);
    }
  }
}

function keyOf(operation: string): string {
  return idempotencyKeys.claim(createHash("sha256").update(operation).digest("base64url"));
}
