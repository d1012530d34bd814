import { describe, expect, it } from "@jest/globals";
import { RunningJobs } from "./running-jobs.ts";

/** A job that ends when the test says so. */
function openJob() {
  let end = () => {};
  let fail = (_error: Error) => {};
  const promise = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return { promise, end, fail };
}

/** Pauses that end when the test says so. */
function pauses() {
  const begun: (() => void)[] = [];
  const pause = () => new Promise<void>((resolve) => begun.push(resolve));
  return { begun, pause };
}

/** Lets everything go on that waits for settled promises alone. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("the last of running jobs", () => {
  it("has ended after a pause, where none runs", async () => {
    const { begun, pause } = pauses();
    const idle = new RunningJobs().idle(pause);
    await settled();
    expect(begun).toHaveLength(1);
    begun[0]?.();
    await idle;
  });

  it("is awaited, also one that fails", async () => {
    const jobs = new RunningJobs();
    const [ending, failing] = [openJob(), openJob()];
    const failed = expect(jobs.during(failing.promise)).rejects.toThrow("no room");
    const ended = jobs.during(ending.promise);
    const { begun, pause } = pauses();
    const idle = jobs.idle(pause);
    failing.fail(new Error("no room"));
    await failed;
    await settled();
    expect(begun).toHaveLength(0);
    ending.end();
    await ended;
    await settled();
    expect(begun).toHaveLength(1);
    begun[0]?.();
    await idle;
  });

  it("may begin during the pause: it is awaited, and another pause follows", async () => {
    const jobs = new RunningJobs();
    const { begun, pause } = pauses();
    let isIdle = false;
    const idle = jobs.idle(pause).then(() => {
      isIdle = true;
    });
    await settled();
    const late = openJob();
    void jobs.during(late.promise);
    begun[0]?.();
    await settled();
    expect({ isIdle, pauses: begun.length }).toEqual({ isIdle: false, pauses: 1 });
    late.end();
    await settled();
    expect({ isIdle, pauses: begun.length }).toEqual({ isIdle: false, pauses: 2 });
    begun[1]?.();
    await idle;
  });

  it("may even end during the pause: another pause follows", async () => {
    const jobs = new RunningJobs();
    const { begun, pause } = pauses();
    const idle = jobs.idle(pause);
    await settled();
    await jobs.during(Promise.resolve());
    begun[0]?.();
    await settled();
    expect(begun).toHaveLength(2);
    begun[1]?.();
    await idle;
  });
});
