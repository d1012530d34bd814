import type { RedisConnection } from "../connection.ts";
import { installationKeys } from "../keys.ts";
import { outdatedRedis } from "../outdated-redis.ts";
import { RedisUnusable } from "../redis-unusable.ts";
import { defineScript, type ScriptCall } from "../script.ts";
import { ConnectionGuard } from "./connection-guard.ts";
import { ForeignRedis } from "./foreign-redis.ts";

/**
 * Keeps an installation off another installation's Redis. The first caller claims an unclaimed Redis (new, or without
 * its data); from then on all other installations are refused. From the first check on, a reconnect leads no command of a
 * guarded client, which `redis` is, to another installation's Redis.
 */
export class InstallationClaim {
  readonly #redis: RedisConnection;
  readonly #readId: () => Promise<string>;
  readonly #claimScript: ScriptCall;
  readonly #guards: ConnectionGuard[] = [];
  #id: string | undefined;
  #isChecked = false;
  #hasSupportedVersion = false;
  #refusal: ForeignRedis | undefined;

  /** @param readId reads this installation's id from its database; called until it succeeds once */
  constructor(redis: RedisConnection, readId: () => Promise<string>) {
    this.#redis = redis;
    this.#readId = readId;
    this.#claimScript = defineScript(redis, "claim_installation", 1);
    this.guard(redis);
  }

  /** Refuses all commands on each new connection of this client that leads to another installation's Redis. */
  guard(redis: RedisConnection): void {
    const guard = new ConnectionGuard(redis, {
      key: installationKeys.owner,
      verify: async (readOwner) => {
        // Unknown until the first check, which then asks the server itself.
        const own = this.#id;
        return own === undefined ? undefined : refusalOf((await readOwner()) ?? own, own);
      },
    });
    this.#guards.push(guard);
  }

  /**
   * Claims Redis, or verifies the claim. Throws ForeignRedis when it belongs to another installation, RedisUnusable when it is
   * too old, and the store's error when one is unavailable.
   */
  async check(): Promise<void> {
    const own = await this.#ownId();
    await this.#requireSupportedVersion();
    const reply = await this.#claimScript(installationKeys.owner, own);
    this.#check(reply.text(0), own);
  }

  /** Like `check`, but does not claim an unclaimed Redis. */
  async verify(): Promise<void> {
    const own = await this.#ownId();
    this.#check((await this.#redis.get(installationKeys.owner)) ?? own, own);
  }

  /** Whether anybody has claimed Redis. */
  async isMade(): Promise<boolean> {
    return (await this.#redis.exists(installationKeys.owner)) === 1;
  }

  /** Throws ForeignRedis if the last check did. Makes no call, except `verify` until a check has been answered. */
  async expectOwn(): Promise<void> {
    if (!this.#isChecked) await this.verify();
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  #check(owner: string, own: string): void {
    this.#isChecked = true;
    this.#refusal = refusalOf(owner, own);
    // Also after a foreign answer: the address may lead to our own Redis by now.
    for (const guard of this.#guards) guard.reconnectRefused();
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  /** Once: one server of a cluster stands for all. */
  async #requireSupportedVersion(): Promise<void> {
    if (this.#hasSupportedVersion) return;
    const outdated = outdatedRedis(await this.#redis.info("server"));
    if (outdated !== undefined) throw new RedisUnusable(outdated);
    this.#hasSupportedVersion = true;
  }

  async #ownId(): Promise<string> {
    this.#id ??= await this.#readId();
    return this.#id;
  }
}

function refusalOf(owner: string, own: string): ForeignRedis | undefined {
  return owner === own ? undefined : new ForeignRedis(owner, own);
}
