import type { ImpressionRecord } from "@diegetic/contracts";
import { recordTraces } from "@diegetic/testing/recorded-traces";
import { tracing } from "@diegetic/tracing";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { type BatchSteps, JoinedJobs } from "./joined-jobs.ts";

type Step = keyof BatchSteps<string[]>;

/** A step that was called and has not been answered. */
interface Called {
  step: Step;
  ids: string[];
  succeed: () => void;
  fail: (error: Error) => void;
}

const job = (...ids: string[]) => ids.map((impression_id) => ({ impression_id }) as ImpressionRecord);

/** Steps that take until they are answered. */
class Steps implements BatchSteps<string[]> {
  /** All calls in their order, as `step ids`. */
  readonly calls: string[] = [];
  readonly open: Called[] = [];
  unpreparable = new Set<string>();

  prepare = async (records: readonly ImpressionRecord[]): Promise<string[]> => {
    const ids = records.map(({ impression_id }) => impression_id);
    this.calls.push(`prepare ${ids.join(" ")}`);
    if (ids.some((id) => this.unpreparable.has(id))) throw new Error("cannot be prepared");
    return ids;
  };
  write = (ids: string[]): Promise<void> => this.#call("write", ids);
  finish = (ids: string[]): Promise<void> => this.#call("finish", ids);

  /** Answers the call of a step, then lets follow what follows. */
  async answer(step: Step, firstId: string, error?: Error): Promise<void> {
    const index = this.open.findIndex((call) => call.step === step && call.ids[0] === firstId);
    const [call] = this.open.splice(index, index < 0 ? 0 : 1);
    if (call === undefined) throw new Error(`${step} ${firstId} is not open: ${this.calls.join(", ")}`);
    if (error === undefined) call.succeed();
    else call.fail(error);
    await settled();
  }

  #call(step: Step, ids: string[]): Promise<void> {
    this.calls.push(`${step} ${ids.join(" ")}`);
    return new Promise((succeed, fail) => this.open.push({ step, ids, succeed, fail }));
  }
}

/** One turn of the event loop: nothing here waits for anything else. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function watch(promise: Promise<void>): { state: string } {
  const watched = { state: "open" };
  promise.then(
    () => {
      watched.state = "done";
    },
    (error: Error) => {
      watched.state = error.message;
    },
  );
  return watched;
}

describe("JoinedJobs", () => {
  it("writes what came during the last batch together, and prepares it when it fills a batch", async () => {
    const steps = new Steps();
    const jobs = new JoinedJobs(steps, 3);
    const all = [job("a"), job("b"), job("c", "d"), job("e")].map((records) => watch(jobs.add(records)));
    await settled();
    expect(steps.calls).toEqual(["prepare a", "prepare b c d", "write a"]);
    await steps.answer("write", "a");
    expect(steps.calls.slice(3)).toEqual(["write b c d", "finish a"]);
    expect(all.map(({ state }) => state)).toEqual(["open", "open", "open", "open"]);
    // Acknowledging is slower than writing.
    await steps.answer("write", "b");
    expect(steps.calls.slice(5)).toEqual(["prepare e", "write e", "finish b c d"]);
    await steps.answer("finish", "b");
    expect(all.map(({ state }) => state)).toEqual(["open", "done", "done", "open"]);
    await steps.answer("finish", "a");
    await steps.answer("write", "e");
    await steps.answer("finish", "e");
    expect(all.map(({ state }) => state)).toEqual(["done", "done", "done", "done"]);
  });

  it("takes at least one job, however large", async () => {
    const steps = new Steps();
    const jobs = new JoinedJobs(steps, 2);
    void jobs.add(job("a", "b", "c"));
    await settled();
    expect(steps.calls).toEqual(["prepare a b c", "write a b c"]);
  });

  it.each([
    ["prepare", ["cannot be prepared", "done", "open"]],
    ["write", ["no", "done", "open"]],
    ["finish", ["no", "done", "open"]],
  ] as const)("fails only the jobs of a batch whose %s failed", async (step, states) => {
    const steps = new Steps();
    const jobs = new JoinedJobs(steps, 1);
    if (step === "prepare") steps.unpreparable.add("a");
    const all = [job("a"), job("b"), job("c")].map((records) => watch(jobs.add(records)));
    await settled();
    if (step !== "prepare") await steps.answer("write", "a", step === "write" ? new Error("no") : undefined);
    if (step === "finish") await steps.answer("finish", "a", new Error("no"));
    await steps.answer("write", "b");
    await steps.answer("finish", "b");
    expect(all.map(({ state }) => state)).toEqual(states);
    expect(steps.calls).toContain("write c");
  });

  it("writes each record once, one batch at a time and no larger than allowed, whatever fails", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 8 }),
        fc.infiniteStream(fc.record({ adds: fc.boolean(), fails: fc.boolean(), which: fc.nat() })),
        async (sizes, limit, choices) => {
          const steps = new Steps();
          const jobs = new JoinedJobs(steps, limit);
          const records = sizes.map((size, n) => job(...Array.from({ length: size }, (_, m) => `${n}-${m}`)));
          const added: { state: string }[] = [];
          const failed = new Set<string>();
          while (added.length < records.length || steps.open.length > 0) {
            const { adds, fails, which } = choices.next().value;
            const next = records[added.length];
            const call = steps.open[which % Math.max(steps.open.length, 1)];
            if (next !== undefined && (adds || call === undefined)) {
              added.push(watch(jobs.add(next)));
              if (fails || added.length === records.length) await settled();
            } else if (call !== undefined) {
              if (fails) for (const id of call.ids) failed.add(id);
              await steps.answer(call.step, call.ids[0] ?? "", fails ? new Error("no") : undefined);
            }
            expect(steps.open.filter(({ step }) => step === "write").length).toBeLessThanOrEqual(1);
          }
          const batches = steps.calls
            .filter((text) => text.startsWith("write "))
            .map((text) => text.split(" ").slice(1));
          expect(batches.flat()).toEqual(records.flat().map(({ impression_id }) => impression_id));
          for (const batch of batches) {
            const isOneJob = new Set(batch.map((id) => id.split("-")[0])).size === 1;
            expect(isOneJob || batch.length <= limit).toBe(true);
          }
          expect(added.map(({ state }) => state)).toEqual(
            records.map(([first]) => (failed.has(first?.impression_id ?? "") ? "no" : "done")),
          );
        },
      ),
    );
  });

  it("writes a batch in the trace of its first recorded job, linked to the others", async () => {
    const recorded = await recordTraces();
    const steps = new Steps();
    const write = steps.write;
    const child = { name: "transaction", kind: "client" as const, attributes: {} };
    steps.write = (ids) => tracing?.child(child, () => write(ids)) ?? write(ids);
    const jobs = new JoinedJobs(steps, 10);
    const add = (id: string) => {
      const root = { name: `job ${id}`, kind: "consumer" as const, attributes: {} };
      return tracing?.root(root, [], () => jobs.add(job(id)));
    };
    const added = [add("a")];
    await settled();
    added.push(jobs.add(job("b")), add("c"), add("d"));
    await steps.answer("write", "a");
    await steps.answer("finish", "a");
    await steps.answer("write", "b");
    await steps.answer("finish", "b");
    await Promise.all(added);
    const spans = await recorded.stop();
    const idOf = (name: string) => spans.find((span) => span.name === name)?.spanId;
    const transactions = spans.filter(({ name }) => name === "transaction");
    expect(transactions).toMatchObject([
      { parentSpanId: idOf("job a"), links: [] },
      { parentSpanId: idOf("job c"), links: [idOf("job d")] },
    ]);
  });
});
