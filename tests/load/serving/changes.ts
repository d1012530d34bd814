import { SnapshotPublisher } from "@diegetic/hot-state";
import { metric, quantile } from "../frame/statistics.ts";
import type { Metric, Run } from "../frame/suite.ts";
import type { Actors } from "./actors.ts";
import { campaignEntry, campaignOf } from "./world.ts";

const LOAD = 0.3;
const PROPAGATION_TIMEOUT_MS = 5_000;
const PAUSE_MS = 20;

/** Time from a campaign's change until every instance has it in its index, while serving at 30 % of capacity. */
export async function measureChanges(run: Run, actors: Actors, capacity: number): Promise<Metric[]> {
  const { stage, usual } = actors;
  const publisher = new SnapshotPublisher(usual.redis);
  const durationMs = run.quick ? 1_500 : 3_000;
  const rounds: number[][] = [];
  let version = 1;
  for (let round = 0; round < run.rounds; round += 1) {
    const samples: number[] = [];
    let over = false;
    const load = stage.matchLatency(usual, Math.round(capacity * LOAD), durationMs).finally(() => {
      over = true;
    });
    while (!over) {
      version += 1;
      const campaign = campaignOf((version * 37) % usual.size, version);
      const startedMs = performance.now();
      await publisher.awaitPropagation(
        await publisher.publish([campaignEntry(campaign)]),
        PROPAGATION_TIMEOUT_MS,
      );
      samples.push(performance.now() - startedMs);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    await load;
    rounds.push(samples);
  }
  run.say("changes are measured");
  const count = rounds.reduce((sum, one) => sum + one.length, 0);
  const label = `a change → in the index of ${usual.instances.length} instance(s)`;
  return [
    metric(
      { id: "change_propagation_p50_ms", label: `${label}, p50`, unit: "ms", note: `${count} changes` },
      rounds.map((samples) => quantile(samples, 0.5)),
    ),
    metric(
      { id: "change_propagation_p99_ms", label: `${label}, p99`, unit: "ms", goal: { atMost: 200 } },
      rounds.map((samples) => quantile(samples, 0.99)),
    ),
  ];
}
