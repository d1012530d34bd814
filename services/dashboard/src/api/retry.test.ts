import { describe, expect, it } from "@jest/globals";
import { ApiError } from "./api-error.ts";
import { retryChanges, retryReads } from "./retry.ts";

const catchingUp = new ApiError(503, "The match tier is not up to date: try again.", 2);

describe("a request that failed", () => {
  it("is repeated as a change where the answer asks for it, a few times", () => {
    const isRepeated = (error: unknown, failures = 0) => retryChanges.retry(failures, error);
    expect(isRepeated(catchingUp)).toBe(true);
    expect(isRepeated(catchingUp, 3)).toBe(true);
    expect(isRepeated(catchingUp, 4)).toBe(false);
    for (const error of [
      new ApiError(503, "Service temporarily unavailable."),
      new ApiError(0, "The server cannot be reached."),
      new ApiError(429, "Too many requests.", 2),
      new ApiError(500, "Internal error."),
      new Error("a mistake of the page"),
    ])
      expect(isRepeated(error)).toBe(false);
  });

  it("is repeated as a read after any short outage", () => {
    for (const status of [0, 429, 502, 503, 504]) {
      const error = new ApiError(status, "Try again.");
      expect([0, 1, 2].map((failures) => retryReads.retry(failures, error))).toEqual([true, true, false]);
    }
    for (const status of [400, 403, 404, 409, 500]) {
      expect(retryReads.retry(0, new ApiError(status, "No."))).toBe(false);
    }
  });

  it("is shown at once as a read that has to wait for longer than ten seconds", () => {
    const limited = (seconds: number) => new ApiError(429, "Too many requests.", seconds);
    expect([10, 11].map((seconds) => retryReads.retry(0, limited(seconds)))).toEqual([true, false]);
  });

  it("waits as long as the answer says, at most ten seconds, or longer with each failure", () => {
    expect(retryChanges.retryDelay(3, catchingUp)).toBe(2_000);
    expect(retryChanges.retryDelay(0, new ApiError(503, "Try again.", 60))).toBe(10_000);
    const failures = [0, 1, 2];
    expect(failures.map((count) => retryReads.retryDelay(count, new ApiError(502, "No answer.")))).toEqual([
      500, 1_000, 2_000,
    ]);
  });
});
