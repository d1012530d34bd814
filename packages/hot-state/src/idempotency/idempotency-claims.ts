import { createHash } from "node:crypto";
import type { RedisConnection } from "../connection.ts";
import { idempotencyKeys } from "../keys.ts";
import { requirePlainName } from "../money/limits.ts";
import { ReplyReader, UnexpectedReply } from "../reply.ts";
import { defineScript, type ScriptCall } from "../script.ts";

export type Claim =
  | {
      /** `new`: nobody has used the operation. `same`: somebody has, with this body. */
      outcome: "new" | "same";
      /** The match that it has charged; null while that is not known. */
      matchId: string | null;
    }
  /** Somebody has used the operation with another body. */
  | { outcome: "conflict" };

const LIFETIME_MS = 24 * 60 * 60 * 1000;

/**
 * Remembers for 24 hours from the first claim which body an Idempotency-Key was used with and what came of it, where no Postgres is
 * at hand. The work itself must be idempotent: whoever brings the same body may proceed at any time, also after a claimant
 * that crashed.
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
    const reply = new ReplyReader(
      "claim_operation",
      await this.#claimScript(keyOf(operation), bodyHash, LIFETIME_MS),
    );
    const outcome = reply.code(0, ["new", "same", "conflict"]);
    if (outcome === "conflict") return { outcome };
    return { outcome, matchId: reply.text(1) === "" ? null : reply.text(1) };
  }

  /**
   * Ends a claim with its answer: the match that was charged after a 2xx, null after any other, so that the key may be used again.
   * The latter never takes away what a concurrent retry of the same body has kept.
   */
  async finish(operation: string, bodyHash: string, matchId: string | null): Promise<void> {
    const reply = await this.#finishScript(
      keyOf(operation),
      bodyHash,
      LIFETIME_MS,
      matchId === null ? "" : requirePlainName("matchId", matchId),
    );
    if (reply !== "kept" && reply !== "dropped" && reply !== "untouched") {
      throw new UnexpectedReply("finish_operation", reply);
    }
  }
}

function keyOf(operation: string): string {
  return idempotencyKeys.claim(createHash("sha256").update(operation).digest("base64url"));
}
