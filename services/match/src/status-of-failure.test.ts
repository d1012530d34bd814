import { LeaseExpired } from "@diegetic/hot-state";
import { HttpError } from "@diegetic/service-kit";
import { describe, expect, it } from "@jest/globals";
import { statusOfFailure } from "./status-of-failure.ts";

describe("the status that a failure is counted under", () => {
  it.each([
    ["a lease that is over", new LeaseExpired(), 503],
    ["a refusal", new HttpError(409, "No."), 409],
    ["a defect", new Error("defect"), 500],
  ])("is the one that is answered: %s", (_what, error, status) => {
    expect(statusOfFailure(error)).toBe(status);
  });
});
