/** The load generator: a separate process, so that its cost is not counted as the service's. */
import { runClosedLoop } from "../generator/closed-loop.ts";
import { runOpenLoop } from "../generator/open-loop.ts";
import type { RequestSource } from "../generator/source.ts";
import { EchoSource } from "../serving/echo-source.ts";
import { ImpressionSource } from "../serving/impression-source.ts";
import type { Job, JobAnswer, Kind } from "../serving/jobs.ts";
import { type Match, MatchSource } from "../serving/match-source.ts";

/** Players and unused matches of one world. */
interface Pool {
  players: number;
  matches: Match[];
}

const pools = new Map<string, Pool>();

function poolOf(name: string): Pool {
  const pool = pools.get(name) ?? { players: 0, matches: [] };
  pools.set(name, pool);
  return pool;
}

function sourceOf(kind: Kind): { source: RequestSource; done: () => void } {
  if (kind.source === "echo") return { source: new EchoSource(), done: () => undefined };
  const pool = poolOf(kind.pool);
  const common = { path: kind.path, ...(kind.key !== undefined && { key: kind.key }) };
  if (kind.source === "impressions") {
    const source = new ImpressionSource({ ...common, matches: pool.matches.splice(0) });
    return { source, done: () => undefined };
  }
  const onMatch = (match: Match) => pool.matches.push(match);
  const source = new MatchSource({
    ...common,
    firstPlayer: pool.players,
    ...(kind.keepMatches && { onMatch }),
  });
  const done = () => {
    pool.players = source.players;
  };
  return { source, done };
}

async function run(job: Job): Promise<JobAnswer> {
  const { source, done } = sourceOf(job.kind);
  globalThis.gc?.();
  try {
    const { load } = job;
    const result =
      job.loop === "closed" ? await runClosedLoop(load, source) : await runOpenLoop(job.load, source);
    done();
    return { result };
  } catch (error) {
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

process.on("message", (job: Job) => {
  void run(job).then((answer) => process.send?.(answer));
});
process.on("disconnect", () => process.exit(0));
process.send?.({ type: "ready" });
