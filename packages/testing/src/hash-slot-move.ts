import type { RedisConnection } from "@diegetic/hot-state";
import { eventually } from "./eventually.ts";

const MIGRATE_TIMEOUT_MS = "5000";
/** Waits for a node that is restarting. */
const PATIENCE = { timeoutMs: 60_000, everyMs: 20 };

export interface ClusterNode {
  /** A direct connection to this node. */
  connection: RedisConnection;
  /** The port to which other nodes send keys. */
  port: number;
}

/** Moves one hash slot from a node of a cluster to another, key by key. */
export class HashSlotMove {
  /** Indexes in the list of nodes. */
  readonly from: number;
  readonly to: number;
  readonly #nodes: readonly ClusterNode[];
  readonly #ids: readonly string[];
  readonly #hashSlot: string;

  private constructor(
    nodes: readonly ClusterNode[],
    ids: readonly string[],
    hashSlot: string,
    way: { from: number; to: number },
  ) {
    this.#nodes = nodes;
    this.#ids = ids;
    this.#hashSlot = hashSlot;
    this.from = way.from;
    this.to = way.to;
  }

  /** Begins the move without moving keys. `tag`: the hash tag of the keys. */
  static async begin(
    nodes: readonly ClusterNode[],
    tag: string,
    pick: (others: number[]) => number,
  ): Promise<HashSlotMove> {
    const call = (index: number, ...words: string[]) => callNode(nodes, index, words);
    const ids = await Promise.all(
      nodes.map(async (_, index) => String(await call(index, "CLUSTER", "MYID"))),
    );
    const hashSlot = String(await call(0, "CLUSTER", "KEYSLOT", `{${tag}}`));
    const ranges = (await call(0, "CLUSTER", "SLOTS")) as [number, number, [string, number, string]][];
    const owner = ranges.find(
      ([first, last]) => first <= Number(hashSlot) && Number(hashSlot) <= last,
    )?.[2][2];
    const from = ids.indexOf(owner ?? "");
    if (from < 0) throw new Error(`nobody owns hashSlot ${hashSlot}`);
    const move = new HashSlotMove(nodes, ids, hashSlot, {
      from,
      to: pick(nodes.map((_, index) => index).filter((index) => index !== from)),
    });
    await move.#call(move.to, "CLUSTER", "SETSLOT", hashSlot, "IMPORTING", ids[from] ?? "");
    await move.#call(from, "CLUSTER", "SETSLOT", hashSlot, "MIGRATING", ids[move.to] ?? "");
    return move;
  }

  /** Moves some of the remaining keys, and returns how many. */
  async some(count: number): Promise<number> {
    const found = await this.#call(this.from, "CLUSTER", "GETKEYSINSLOT", this.#hashSlot, String(count));
    const keys = found as string[];
    await this.keys(keys);
    return keys.length;
  }

  /** Moves these keys, if they exist. */
  async keys(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const port = String(this.#nodes[this.to]?.port);
    const way = ["127.0.0.1", port, "", "0", MIGRATE_TIMEOUT_MS, "REPLACE", "KEYS"];
    await this.#call(this.from, "MIGRATE", ...way, ...keys);
  }

  /** Assigns the hash slot to its new node, even if keys remain. */
  async finish(): Promise<void> {
    const rest = this.#nodes
      .map((_, index) => index)
      .filter((index) => index !== this.to && index !== this.from);
    for (const index of [this.to, this.from, ...rest]) {
      await this.#call(index, "CLUSTER", "SETSLOT", this.#hashSlot, "NODE", this.#ids[this.to] ?? "");
    }
  }

  #call(index: number, ...words: string[]): Promise<unknown> {
    return callNode(this.#nodes, index, words);
  }
}

function callNode(nodes: readonly ClusterNode[], index: number, words: string[]): Promise<unknown> {
  const [command = "", ...rest] = words;
  return eventually(() => nodes[index]?.connection.call(command, ...rest), PATIENCE);
}
