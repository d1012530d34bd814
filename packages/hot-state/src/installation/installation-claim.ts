import type { RedisConnection } from "../connection.ts";
import { installationKeys } from "../keys.ts";
import { UnexpectedReply } from "../reply.ts";
import { defineScript, type ScriptCall } from "../script.ts";
import { ForeignRedis } from "./foreign-redis.ts";

/**
 * Keeps an installation off the Redis of another one. A Redis that is nobody's, because it is new or has lost its data, is
 * claimed by who asks first; from then on it is refused to all others.
 */
export class InstallationClaim {
  readonly #redis: RedisConnection;
  readonly #readId: () => Promise<string>;
  readonly #claimScript: ScriptCall;
  #id: string | undefined;
  #refusal: ForeignRedis | undefined;

  /** @param readId of this installation, as its database has it; asked once, and never again after it was answered. */
  constructor(redis: RedisConnection, readId: () => Promise<string>) {
    this.#redis = redis;
    this.#readId = readId;
    this.#claimScript = defineScript(redis, "claim_installation", 1);
  }

  /** Claims, or finds the claim. Throws ForeignRedis when it is another's, and whatever a store that is unavailable throws. */
  async check(): Promise<void> {
    const own = await this.#ownId();
    const owner = await this.#claimScript(installationKeys.owner, own);
    if (typeof owner !== "string") throw new UnexpectedReply("claim_installation", owner);
    this.#judge(owner, own);
  }

  /** Like `check`, but leaves a Redis that is nobody's as it is. */
  async look(): Promise<void> {
    const own = await this.#ownId();
    this.#judge((await this.#redis.get(installationKeys.owner)) ?? own, own);
  }

  /** Throws ForeignRedis when the last check did; asks nobody. */
  expectNotRefused(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  #judge(owner: string, own: string): void {
    this.#refusal = owner === own ? undefined : new ForeignRedis(owner, own);
    this.expectNotRefused();
  }

  async #ownId(): Promise<string> {
    this.#id ??= await this.#readId();
    return this.#id;
  }
}
