import { DatabaseUnavailable, StatementTimeout } from "@diegetic/database";
import { describe, expect, it } from "@jest/globals";
import { UnavailablePause } from "./unavailable-pause.ts";

describe("the pause of writing while Postgres is unavailable", () => {
  const open = () => {
    const pausesMs: number[] = [];
    const pause = new UnavailablePause(async (ms) => void pausesMs.push(ms));
    const fail = async (error: Error) =>
      expect(await pause.after(Promise.reject(error)).catch((reason: unknown) => reason)).toBe(error);
    return { pausesMs, pause, fail };
  };

  it("grows to a second, and starts again after a successful write", async () => {
    const { pausesMs, pause, fail } = open();
    for (let attempt = 0; attempt < 7; attempt++) await fail(new DatabaseUnavailable("unavailable"));
    expect(pausesMs).toEqual([50, 100, 200, 400, 800, 1_000, 1_000]);
    await pause.after(Promise.resolve());
    await fail(new DatabaseUnavailable("unavailable"));
    expect(pausesMs.at(-1)).toBe(50);
  });

  it("is not made for rows that others have locked, nor for faults of the program", async () => {
    const { pausesMs, fail } = open();
    await fail(new StatementTimeout("locked"));
    await fail(new RangeError("wrong"));
    expect(pausesMs).toEqual([]);
  });
});
