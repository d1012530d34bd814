import { createHash } from "node:crypto";
import { requirePlainName } from "../arguments.ts";
import type { RedisConnection } from "../connection.ts";
import { idempotencyKeys } from "../keys.ts";
import { defineScript, type ScriptCall } from "../script.ts";

export type Claim =
  | {
      /** `new`: the operation is unused. `same`: it was used with this body. */
      outcome: "new" | "same";
      /** The match that it charged; null: not known yet. */
      matchId: string | null;
    }
  /** The operation was used with another body. */
  | { outcome: "conflict" };

const LIFETIME_MS = 24 * 60 * 60 * 1000;

/**
 * Remembers, for 24 hours after the first claim, the body and the result of an Idempotency-Key, for services without
 * Postgres. The work must be idempotent: anybody with the same body may proceed at any time, also after the first
 * claimant crashed.
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
    const outcome = reply.code(0, ["new", "same", "conflict"]);
    if (outcome === "conflict") return { outcome };
    return { outcome, matchId: reply.text(1) === "" ? null : reply.text(1) };
  }

  /**
   * Ends a claim with its result: the charged match after a 2xx, null after any other answer, so that the key may be
   * reused. Null never overwrites the result of a concurrent retry with the same body.
   */
  async finish(operation: string, bodyHash: string, matchId: string | null): Promise<void> {
    const reply = await this.#finishScript(
      keyOf(operation),
      bodyHash,
      LIFETIME_MS,
      matchId === null ? "" : requirePlainName("matchId", matchId),
    );
    reply.code(0, ["kept", "dropped", "untouched"]);
  }
}

function keyOf(operation: string): string {
  return idempotencyKeys.claim(createHash("sha256").update(operation).digest("base64url"));
}
