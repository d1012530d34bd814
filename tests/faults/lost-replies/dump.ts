import type { RedisConnection } from "@diegetic/hot-state";

/** Microseconds and milliseconds since 1970 only: amounts and counts of a run are far smaller. */
const TIMES = /\d{13,16}/g;
/** The age of a session's counts in an entry, and of the session when a seat was taken (behind 8 characters). */
const AGES = /(?<=\|-)\d+(?=\|)|(?<=:session:.* = .{8})\d+$/g;
/** The number of changes to a wallet: every freeze is one, also when it is repeated. */
const SEQ = /(?<=:account seq = )\d+$/;
/** A server's replication id. */
const REPLICATION_IDS = /\b[0-9a-f]{40}\b/g;

/** The complete data of servers, as sorted lines, without times, replication ids and numbers of changes. */
export async function dump(nodes: readonly RedisConnection[]): Promise<string[]> {
  const lines: string[] = [];
  for (const node of nodes) {
    for (const key of await node.keys("*")) {
      for (const line of await linesOf(node, key)) lines.push(`${key} ${line}`);
    }
  }
  const snapshotEpoch = lines.find((line) => line.startsWith("{snapshot}:epoch "))?.split(" ")[1];
  return (
    lines
      .map((line) => (snapshotEpoch === undefined ? line : line.replaceAll(snapshotEpoch, "EPOCH")))
      // Replication ids first: their hexadecimal digits may look like a time.
      .map((line) =>
        line
          .replace(REPLICATION_IDS, "REPLICATION_ID")
          .replace(TIMES, "TIME")
          .replace(AGES, "AGE")
          .replace(SEQ, "SEQ"),
      )
      .sort()
  );
}

async function linesOf(node: RedisConnection, key: string): Promise<string[]> {
  const type = await node.type(key);
  switch (type) {
    case "string":
      return [(await node.get(key)) ?? ""];
    case "hash":
      if (key.includes(":charged:")) return chargesOf(await node.hgetallBuffer(key));
      return Object.entries(await node.hgetall(key)).map(([field, value]) => `${field} = ${value}`);
    case "zset": {
      const flat = await node.zrange(key, "0", "-1", "WITHSCORES");
      return flat.flatMap((member, index) => (index % 2 === 0 ? [`${member} @ ${flat[index + 1]}`] : []));
    }
    default:
      throw new Error(`${key} is a ${type}, which this cannot read`);
  }
}

/** Charges by match, in the binary form of `lua/include/charged.lua`: time, then epoch and hash, then the price as text. */
function chargesOf(charges: Record<string, Buffer>): string[] {
  return Object.entries(charges).map(
    ([field, value]) =>
      `${field} = ${value.readUIntBE(0, 6)} ${value.toString("hex", 6, 10)} ${value.toString("latin1", 10)}`,
  );
}
