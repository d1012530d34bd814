import { describe, expect, it } from "@jest/globals";
import { ApiError } from "./api-error.ts";
import { forgetUndone, keyedChange } from "./unanswered.ts";

const HOUR_MS = 3_600_000;
const fifty = (account: string) => [account, "POST /deposit", { body: { amount_cents: 5_000 } }];

describe("the key of a change", () => {
  it("is that of the same change until an answer says what became of it", () => {
    const first = keyedChange(fifty("ada"));
    const unknown = [
      new ApiError(0, "The server cannot be reached."),
      new ApiError(503, "Service temporarily unavailable."),
      // Given before the service looks for the answer to an earlier attempt.
      new ApiError(429, "Too many requests.", 2),
      new ApiError(401, "The session has ended."),
      new ApiError(409, "Your account has changed.", undefined, true),
      new SyntaxError("an answer that was cut off"),
    ];
    for (const error of unknown) {
      first.end(error);
      expect(keyedChange(fifty("ada")).idempotencyKey).toBe(first.idempotencyKey);
    }
    first.end();
    const second = keyedChange(fifty("ada"));
    expect(second.idempotencyKey).not.toBe(first.idempotencyKey);
    second.end(new ApiError(422, "amount_cents must be at most 1000000000."));
    expect(keyedChange(fifty("ada")).idempotencyKey).not.toBe(second.idempotencyKey);
  });

  it("is of one account, operation and input, whatever else is under way", () => {
    const changes = [
      fifty("bo"),
      fifty("cy"),
      ["bo", "POST /deposit", { body: { amount_cents: 5_001 } }],
      ["bo", "POST /register", { body: { amount_cents: 5_000 } }],
    ];
    const keys = changes.map((change) => keyedChange(change).idempotencyKey);
    expect(new Set(keys).size).toBe(4);
    expect(changes.map((change) => keyedChange(change).idempotencyKey)).toEqual(keys);
  });

  it("is not ended by an answer to an earlier change", () => {
    const earlier = keyedChange(fifty("dee"));
    const repeated = keyedChange(fifty("dee"));
    repeated.end();
    const next = keyedChange(fifty("dee"));
    earlier.end();
    expect(keyedChange(fifty("dee")).idempotencyKey).toBe(next.idempotencyKey);
  });

  it("is another one once a removal may have undone the change, unless nothing can undo it", () => {
    const invitation = ["fay", "POST /invitations", { body: { role: "viewer" } }];
    const invited = keyedChange(invitation, { canBeUndone: true });
    const deposited = keyedChange(fifty("fay"));
    forgetUndone();
    expect(keyedChange(invitation, { canBeUndone: true }).idempotencyKey).not.toBe(invited.idempotencyKey);
    expect(keyedChange(fifty("fay")).idempotencyKey).toBe(deposited.idempotencyKey);
  });

  it("is kept for an hour, and for the twenty newest changes", () => {
    const first = keyedChange(fifty("eve"), { nowMs: 0 });
    expect(keyedChange(fifty("eve"), { nowMs: HOUR_MS - 1 }).idempotencyKey).toBe(first.idempotencyKey);
    const later = keyedChange(fifty("eve"), { nowMs: HOUR_MS });
    expect(later.idempotencyKey).not.toBe(first.idempotencyKey);
    for (let other = 0; other < 19; other += 1) keyedChange([`other ${other}`], { nowMs: HOUR_MS });
    expect(keyedChange(fifty("eve"), { nowMs: HOUR_MS }).idempotencyKey).toBe(later.idempotencyKey);
    keyedChange(["one more"], { nowMs: HOUR_MS });
    expect(keyedChange(fifty("eve"), { nowMs: HOUR_MS }).idempotencyKey).not.toBe(later.idempotencyKey);
  });
});
