import { expect, it } from "@jest/globals";
import { SharedRuns } from "./shared-runs.ts";

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

it("runs once for all who ask before it begins, and again for those who ask while it runs", async () => {
  const runs = new SharedRuns<void>();
  const first = gate();
  let begun = 0;
  const task = async () => {
    begun += 1;
    if (begun === 1) await first.opened;
  };
  const early = [runs.run("key", task), runs.run("key", task)];
  await new Promise((resolve) => setImmediate(resolve));
  const late = [runs.run("key", task), runs.run("key", task)];
  await runs.run("another key", task);
  expect(begun).toBe(2);
  first.open();
  await Promise.all([...early, ...late]);
  expect(begun).toBe(3);
});

it("begins beside a run that has not ended in time, if there is a limit", async () => {
  const runs = new SharedRuns<number>(async () => undefined);
  const hanging = gate();
  const first = runs.run("key", () => hanging.opened.then(() => 1));
  await new Promise((resolve) => setImmediate(resolve));
  expect(await runs.run("key", async () => 2)).toBe(2);
  hanging.open();
  expect(await first).toBe(1);
  expect(await runs.run("key", async () => 3)).toBe(3);
});

it("fails for all who share it, and not for the next", async () => {
  const runs = new SharedRuns<void>();
  const fail = async () => {
    throw new Error("unavailable");
  };
  const failing = [runs.run("key", fail), runs.run("key", fail)].map((run) => run.catch(() => "failed"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(await Promise.all(failing)).toEqual(["failed", "failed"]);
  await runs.run("key", async () => undefined);
});
