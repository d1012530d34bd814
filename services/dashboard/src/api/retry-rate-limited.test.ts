import { describe, expect, it } from "@jest/globals";
import { ApiError } from "./api-error.ts";
import { MAX_RETRIES, retryWhileRateLimited } from "./retry-rate-limited.ts";

const limited = (seconds?: number) => new ApiError(429, "Too many requests.", seconds);

describe("retryWhileRateLimited", () => {
  it("waits as long as each refusal says, at least a second, and answers what was answered then", async () => {
    const waits: number[] = [];
    const answers = [limited(7), limited(0), limited(), "done"];
    const attempt = async () => {
      const answer = answers.shift();
      if (answer instanceof ApiError) throw answer;
      return answer;
    };
    const { signal } = new AbortController();
    expect(await retryWhileRateLimited(attempt, signal, async (ms) => void waits.push(ms))).toBe("done");
    expect(waits).toEqual([7_000, 1_000, 1_000]);
  });

  it("gives up after the last repetition", async () => {
    let attempts = 0;
    const attempt = async () => {
      attempts += 1;
      throw limited(1);
    };
    const { signal } = new AbortController();
    await expect(retryWhileRateLimited(attempt, signal, async () => {})).rejects.toMatchObject({
      status: 429,
    });
    expect(attempts).toBe(MAX_RETRIES + 1);
  });

  it("repeats nothing that was refused for another reason", async () => {
    let attempts = 0;
    const attempt = async () => {
      attempts += 1;
      throw new ApiError(503, "Service temporarily unavailable.", 1);
    };
    const { signal } = new AbortController();
    await expect(retryWhileRateLimited(attempt, signal, async () => {})).rejects.toMatchObject({
      status: 503,
    });
    expect(attempts).toBe(1);
  });

  it("stops at once while it waits, and sends nothing more", async () => {
    let attempts = 0;
    const stop = new AbortController();
    const attempt = async () => {
      attempts += 1;
      queueMicrotask(() => stop.abort());
      throw limited(3_600);
    };
    await expect(retryWhileRateLimited(attempt, stop.signal)).rejects.toMatchObject({ name: "AbortError" });
    await expect(retryWhileRateLimited(attempt, stop.signal)).rejects.toMatchObject({ name: "AbortError" });
    expect(attempts).toBe(1);
  });
});
