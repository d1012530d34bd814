import { recordTraces } from "@diegetic/testing/recorded-traces";
import { tracing } from "@diegetic/tracing";
import { expect, it } from "@jest/globals";
import { type GroupOutcome, PublicationGroups } from "./publication-groups.ts";

it("publishes a group in the trace of its own request, not of the one that it waited for", async () => {
  const recorded = await recordTraces();
  const released: (() => void)[] = [];
  const groups = new PublicationGroups(([id = ""]) => {
    const publish = () =>
      new Promise<Map<string, GroupOutcome>>((resolve) => {
        released.push(() => resolve(new Map([[id, { inForce: Promise.resolve() }]])));
      });
    return tracing?.child({ name: `publishes ${id}`, kind: "client", attributes: {} }, publish) ?? publish();
  });
  const change = (id: string) =>
    tracing?.root({ name: `changes ${id}`, kind: "server", attributes: {} }, [], () => groups.add(id));

  const changes = [change("a"), change("b")];
  released[0]?.();
  await changes[0];
  released[1]?.();
  await changes[1];
  const spans = await recorded.stop();

  const span = (name: string) => spans.find((one) => one.name === name);
  for (const id of ["a", "b"]) {
    expect(span(`publishes ${id}`)?.parentSpanId).toBe(span(`changes ${id}`)?.spanId ?? "no such span");
  }
});
