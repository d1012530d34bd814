import { rmSync } from "node:fs";
import { join } from "node:path";
import { HashSlotMove } from "@diegetic/testing/hash-slot-move";
import { readWallets } from "../workload/slices.ts";
import { type Fault, type FaultContext, requireCount, sleep } from "./fault.ts";
import { losing } from "./loss-faults.ts";

const WALLETS_AT_LEAST = 3;
const KEYS_AT_A_TIME = 5;

/** Moves wallets to another node, key by key, while they are used, and loses nodes during a move. */
export function clusterFaults(): Fault[] {
  return [
    {
      name: "reshard under load",
      track: "stores",
      variants: ["cluster"],
      inject: async (context) => {
        const tags = [...(await walletsOf(context)), "snapshot", "due", "billing"];
        let moved = 0;
        for (const [index, tag] of context.random.shuffle(tags).entries()) {
          if (index < WALLETS_AT_LEAST || moved === 0) moved += await moveWallet(context, tag);
        }
        return requireCount("keys moved", moved);
      },
    },
    {
      name: "kill -9 redis while a wallet moves",
      track: "stores",
      variants: ["cluster"],
      inject: (context) =>
        interrupted(context, async (index) => {
          const server = context.world.redis.nodes[index];
          const pid = server?.pid;
          await server?.takeAway("SIGKILL");
          await server?.bringBack();
          return `pid ${pid} → ${server?.pid}`;
        }),
    },
    {
      name: "lose a node's data while a wallet moves",
      track: "stores",
      variants: ["cluster"],
      inject: (context) => interrupted(context, (index) => emptyNode(context, index)),
    },
  ];
}

async function walletsOf({ world }: FaultContext): Promise<string[]> {
  return (await readWallets(world)).flatMap(({ walletIds }) => walletIds);
}

async function moveWallet(
  { world, random }: FaultContext,
  tag: string,
  halfWay: (move: HashSlotMove) => Promise<void> = async () => undefined,
): Promise<number> {
  const nodes = world.redis.nodes.map((node, index) => ({
    connection: world.redis.connectNode(index, "reshard"),
    port: node.port,
  }));
  try {
    const move = await HashSlotMove.begin(nodes, tag, (others) => random.pick(others));
    let moved = await move.some(KEYS_AT_A_TIME);
    // Meanwhile, scripts find some of their keys on either node.
    await sleep(20);
    try {
      await halfWay(move);
    } finally {
      for (let count = -1; count !== 0; moved += count) {
        count = await move.some(KEYS_AT_A_TIME);
        await sleep(20);
      }
      await move.finish();
    }
    return moved;
  } finally {
    for (const { connection } of nodes) connection.disconnect();
  }
}

/** Runs a fault on the old or the new node of an advertiser's wallet when some of its keys have moved. */
async function interrupted(
  context: FaultContext,
  happen: (index: number) => Promise<string>,
): Promise<string> {
  let evidence = "";
  const tag = context.random.pick(await walletsOf(context));
  const moved = await moveWallet(context, tag, async ({ from, to }) => {
    const index = context.random.pick([from, to]);
    evidence = `${index === from ? "the old" : "the new"} node: ${await happen(index)}`;
  });
  return `${evidence}, keys moved: ${moved}`;
}

/** A server returns without its data. */
async function emptyNode(context: FaultContext, index: number): Promise<string> {
  const server = context.world.redis.nodes[index];
  if (server === undefined) throw new Error("there is no such server");
  const { lost } = await losing(context, index, async () => {
    await server.takeAway("SIGKILL");
    await server.bringBackOn((dir) => rmSync(join(dir, "appendonlydir"), { recursive: true }));
    return server.pid;
  });
  return `${lost} records lost`;
}
