import { Cluster, Command, type Redis } from "ioredis";
import type { RedisConnection } from "../connection.ts";

export interface ConnectionGuardParts {
  /** The key whose value decides. */
  key: string;
  /** Resolves to the error of every command on this connection; undefined: the connection may be used. */
  verify: (readValue: () => Promise<string | null>) => Promise<Error | undefined>;
}

interface Internals {
  stream: object;
  _readyCheck(callback: (error: unknown, info?: unknown) => void): void;
}

/** A command that the client sends before it hands its queued commands to a new connection. */
const isOfHandshake = (name: string) => Command.checkFlag("HANDSHAKE_COMMANDS", name) || name === "cluster";

/**
 * Verifies every new connection before it is handed commands. The client sends commands again after a reconnect, and sends
 * those that were waiting for it, whatever server the address leads to by then. Refuses all commands on a refused
 * connection except those on the deciding key.
 */
export class ConnectionGuard {
  readonly #redis: RedisConnection;
  readonly #parts: ConnectionGuardParts;
  readonly #refusals = new WeakMap<Redis, Error>();

  /** Does not verify a connection that is ready already. */
  constructor(redis: RedisConnection, parts: ConnectionGuardParts) {
    this.#redis = redis;
    this.#parts = parts;
    for (const node of this.#nodes()) this.#guard(node);
    if (redis instanceof Cluster) redis.on("+node", (node: Redis) => this.#guard(node));
  }

  /**
   * Replaces refused connections, whose successors are verified again. If all connections of a cluster client are refused, it
   * starts over from its configured addresses: it may have learned another cluster's.
   */
  reconnectRefused(): void {
    // Only ready ones: those that are being replaced must not be ended again.
    const ready = this.#nodes().filter(({ status }) => status === "ready");
    const refused = ready.filter((node) => this.#refusals.has(node));
    const areAllRefused = refused.length > 0 && refused.length === ready.length;
    const replaced = areAllRefused ? [this.#redis] : refused;
    for (const connection of replaced) if (connection.status === "ready") connection.disconnect(true);
  }

  #nodes(): Redis[] {
    return this.#redis instanceof Cluster ? this.#redis.nodes() : [this.#redis];
  }

  #guard(node: Redis): void {
    const { key, verify } = this.#parts;
    const refusals = this.#refusals;
    const internals = node as unknown as Internals;
    const readyCheck = internals._readyCheck;
    internals._readyCheck = (callback) =>
      readyCheck.call(node, async (error, info) => {
        if (error) return callback(error);
        const { stream } = internals;
        try {
          const refusal = await verify(() => readSeenFrom(node, key));
          if (internals.stream !== stream) return;
          if (refusal === undefined) refusals.delete(node);
          else refusals.set(node, refusal);
        } catch (verifyError) {
          return callback(verifyError);
        }
        callback(null, info);
      });
    const { sendCommand } = node;
    node.sendCommand = (command, stream) => {
      const refusal = refusals.get(node);
      if (refusal === undefined || isOfHandshake(command.name) || command.args.includes(key)) {
        return sendCommand.call(node, command, stream);
      }
      command.reject(refusal);
      return command.promise;
    };
  }
}

/** GET, under the name of a command that the client sends on a connection that is not ready. */
class EarlyGet extends Command {
  readonly #key: string;

  constructor(key: string) {
    super("info", [], { replyEncoding: "utf8" });
    this.#key = key;
  }

  override toWritable(): string {
    return `*2\r\n$3\r\nGET\r\n$${this.#key.length}\r\n${this.#key}\r\n`;
  }
}

const REDIRECTION = /^(?:MOVED|ASK) \d+ (.*):(\d+)$/;

/** Reads a key where the server of this connection says that it is: in a cluster, that server may know another cluster. */
async function readSeenFrom(node: Redis, key: string): Promise<string | null> {
  try {
    return (await node.sendCommand(new EarlyGet(key))) as string | null;
  } catch (error) {
    const [, host, port] = REDIRECTION.exec(error instanceof Error ? error.message : "") ?? [];
    if (port === undefined) throw error;
    const other = node.duplicate({
      host: host || node.options.host,
      port: Number(port),
      lazyConnect: false,
      enableReadyCheck: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
    });
    other.on("error", () => undefined);
    try {
      // For a key that is being moved there; has no effect on others.
      other.asking();
      return await other.get(key);
    } finally {
      other.disconnect();
    }
  }
}
