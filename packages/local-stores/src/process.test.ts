import { describe, expect, it } from "@jest/globals";
import { becomesReady } from "./process.ts";

const RUNNING = { hasExited: () => false };
const AT_ONCE_MS = 0;

describe("waiting for a store to start", () => {
  it("says once why a slow start takes long, and goes on waiting", async () => {
    const lines: string[] = [];
    const answers = [false, false, false, true];
    const isReady = () => answers.shift() === true;
    const ready = becomesReady(
      "Redis",
      RUNNING,
      isReady,
      { onProgress: (line) => lines.push(line) },
      AT_ONCE_MS,
    );
    expect(await ready).toBe(true);
    expect(lines).toEqual([expect.stringContaining("Redis is still starting")]);
  });

  it("says nothing when the store is ready at once", async () => {
    const lines: string[] = [];
    const ready = becomesReady(
      "Redis",
      RUNNING,
      () => true,
      { onProgress: (line) => lines.push(line) },
      AT_ONCE_MS,
    );
    expect(await ready).toBe(true);
    expect(lines).toEqual([]);
  });

  it("ends when it is aborted, also in a slow start", async () => {
    const abort = new AbortController();
    const onProgress = () => abort.abort();
    const ready = becomesReady(
      "Redis",
      RUNNING,
      () => false,
      { signal: abort.signal, onProgress },
      AT_ONCE_MS,
    );
    expect(await ready).toBe(false);
  });

  it("ends when the server has ended", async () => {
    expect(await becomesReady("Redis", { hasExited: () => true }, () => false, {}, AT_ONCE_MS)).toBe(false);
  });
});
