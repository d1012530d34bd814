import { spawn } from "node:child_process";
import { eventually } from "@diegetic/testing/eventually";
import { afterEach, describe, expect, it } from "@jest/globals";
import { type Launched, Supervised } from "./supervised.ts";

/** A real process that runs until it is stopped. */
async function launchSleeper(code = "setInterval(() => {}, 1000)"): Promise<Launched> {
  const child = spawn(process.execPath, ["-e", code], { stdio: "ignore" });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  return { pid: child.pid ?? 0, exited, stop };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("a supervised process", () => {
  const running: Supervised<Launched>[] = [];
  const supervise = (launch: (attempt: number) => Promise<Launched>) => {
    const changes: (number | undefined)[] = [];
    const failures: unknown[] = [];
    const supervised = new Supervised<Launched>({
      name: "sleeper",
      launch: ({ attempt }) => launch(attempt),
      onChange: (process) => changes.push(process?.pid),
      onFailedRestart: (error) => failures.push(error),
    });
    running.push(supervised);
    return { supervised, changes, failures };
  };
  afterEach(async () => {
    await Promise.all(running.splice(0).map((supervised) => supervised.stop()));
  });

  it("is restarted when it is killed, and reports both changes", async () => {
    const { supervised, changes } = supervise(() => launchSleeper());
    const first = await supervised.start();
    process.kill(first.pid, "SIGKILL");
    await eventually(() => changes.length === 2);
    expect(changes).toEqual([undefined, supervised.current?.pid]);
    expect(supervised.current?.pid).not.toBe(first.pid);
  });

  it("is restarted again when a restart fails", async () => {
    let launches = 0;
    const { supervised, failures } = supervise((attempt) => {
      launches += 1;
      if (launches > 1 && attempt < 2) throw new Error("not yet");
      return launchSleeper();
    });
    const first = await supervised.start();
    await first.stop();
    const second = await eventually(() => supervised.current);
    expect(isAlive(second.pid)).toBe(true);
    expect(failures).toHaveLength(2);
  });

  it("pauses longer after each crash", async () => {
    const startedMs: number[] = [];
    const { supervised } = supervise(() => {
      startedMs.push(performance.now());
      return launchSleeper("");
    });
    await supervised.start();
    await eventually(() => startedMs.length >= 4);
    const [, second = 0, third = 0, fourth = 0] = startedMs;
    expect(third - second).toBeGreaterThan(190);
    expect(fourth - third).toBeGreaterThan(390);
  });

  it("stays stopped after stop, also during a restart", async () => {
    let launches = 0;
    const { supervised } = supervise(() => {
      launches += 1;
      return launchSleeper();
    });
    const first = await supervised.start();
    await first.stop();
    await supervised.stop();
    expect(supervised.current).toBeUndefined();
    await expect(supervised.start()).rejects.toThrow();
    expect(launches).toBeLessThanOrEqual(2);
  });

  it("leaves a failure of the first start to the caller", async () => {
    const { supervised } = supervise(() => Promise.reject(new Error("no such file")));
    await expect(supervised.start()).rejects.toThrow("no such file");
  });
});
