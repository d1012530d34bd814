import { eventually } from "../../helpers/eventually.ts";
import { type Fault, type FaultContext, POSSIBLE_WITHIN_MS, requireCount, sleep } from "./fault.ts";

const SLOTS_AT_LEAST = 3;
const KEYS_AT_A_TIME = 5;
const MIGRATE_TIMEOUT_MS = "5000";

/** Slots of advertisers and games move to another node, key by key, while they are used. */
export function clusterFaults(): Fault[] {
  return [
    {
      name: "reshard under load",
      lane: "stores",
      variants: ["cluster"],
      inject: async (context) => {
        const tags = [
          ...context.market.advertisers.map(({ advertiserId }) => advertiserId),
          "snapshot",
          "due",
          "billing",
        ];
        let moved = 0;
        for (const [index, tag] of context.random.shuffle(tags).entries()) {
          if (index < SLOTS_AT_LEAST || moved === 0) moved += await moveSlot(context, tag);
        }
        return requireCount("keys moved", moved);
      },
    },
  ];
}

async function moveSlot({ world, random }: FaultContext, tag: string): Promise<number> {
  const connections = world.redis.nodes.map((_, index) => world.redis.connectNode(index, "reshard"));
  const call = (index: number, ...words: string[]) => {
    const [command = "", ...rest] = words;
    return eventually(() => connections[index]?.call(command, ...rest), { timeoutMs: POSSIBLE_WITHIN_MS });
  };
  try {
    const ids = await Promise.all(connections.map((_, index) => call(index, "CLUSTER", "MYID")));
    const slot = String(await call(0, "CLUSTER", "KEYSLOT", `{${tag}}`));
    const from = await ownerOf(connections.length, call, ids, Number(slot));
    const to = random.pick(connections.map((_, index) => index).filter((index) => index !== from));
    await call(to, "CLUSTER", "SETSLOT", slot, "IMPORTING", String(ids[from]));
    await call(from, "CLUSTER", "SETSLOT", slot, "MIGRATING", String(ids[to]));
    const port = String(world.redis.nodes[to]?.port);
    let moved = 0;
    for (;;) {
      const keys = (await call(from, "CLUSTER", "GETKEYSINSLOT", slot, String(KEYS_AT_A_TIME))) as string[];
      if (keys.length === 0) break;
      await call(from, "MIGRATE", "127.0.0.1", port, "", "0", MIGRATE_TIMEOUT_MS, "REPLACE", "KEYS", ...keys);
      moved += keys.length;
      // In the middle of it, scripts find some of their keys on either node.
      await sleep(20);
    }
    for (const index of [to, from, 3 - to - from]) {
      await call(index, "CLUSTER", "SETSLOT", slot, "NODE", String(ids[to]));
    }
    return moved;
  } finally {
    for (const connection of connections) connection.disconnect();
  }
}

/** Which node says that the slot is its own. */
async function ownerOf(
  nodes: number,
  call: (index: number, ...words: string[]) => Promise<unknown>,
  ids: readonly unknown[],
  slot: number,
): Promise<number> {
  const ranges = (await call(0, "CLUSTER", "SLOTS")) as [number, number, [string, number, string]][];
  const owner = ranges.find(([first, last]) => first <= slot && slot <= last)?.[2][2];
  const index = ids.indexOf(owner);
  if (index < 0 || index >= nodes) throw new Error(`nobody owns slot ${slot}`);
  return index;
}
