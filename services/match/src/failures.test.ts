import { HttpError } from "@diegetic/contracts";
import { LeaseExpired } from "@diegetic/hot-state";
import { expect, it } from "@jest/globals";
import { countFailure, outdated } from "./failures.ts";

const game = { gameId: "keep", accountId: "acct_1" };

it.each([
  ["a lease that is over", new LeaseExpired(), 503],
  ["a refusal", new HttpError(409, "No."), 409],
  ["a defect", new Error("defect"), 500],
])("a failure is counted under the status of its answer: %s", (_what, error, status) => {
  const counted: unknown[] = [];
  const traffic = { gameRefusal: (...call: unknown[]) => void counted.push(call) };
  countFailure({ traffic, nowMs: () => 7 }, game, "match", error);
  expect(counted).toEqual([[game, "match", status, 7]]);
});

it("a lease that expires during a request is answered like one that has expired before it", () => {
  const traffic = { gameRefusal: () => undefined };
  const error = countFailure({ traffic, nowMs: () => 7 }, game, "match", new LeaseExpired());
  const { status, message, headers } = error as HttpError;
  expect({ status, message, headers }).toEqual({
    status: 503,
    message: outdated().message,
    headers: { "Retry-After": "1" },
  });
});
