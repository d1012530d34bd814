import { HttpError } from "@diegetic/contracts";
import { LeaseExpired } from "@diegetic/hot-state";
import { describe, expect, it } from "@jest/globals";
import { answerableFailure, outdated, statusOfFailure } from "./status-of-failure.ts";

describe("the status under which a failure is counted", () => {
  it.each([
    ["a lease that is over", new LeaseExpired(), 503],
    ["a refusal", new HttpError(409, "No."), 409],
    ["a defect", new Error("defect"), 500],
  ])("is that of the response: %s", (_what, error, status) => {
    expect(statusOfFailure(error)).toBe(status);
    expect(statusOfFailure(answerableFailure(error))).toBe(status);
  });
});

it("a lease that expires during a request is answered like one that has expired before it", () => {
  const { status, message, headers } = answerableFailure(new LeaseExpired()) as HttpError;
  expect({ status, message, headers }).toEqual({
    status: 503,
    message: outdated().message,
    headers: { "Retry-After": "1" },
  });
});
