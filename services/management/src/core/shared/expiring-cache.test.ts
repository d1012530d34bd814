import { expect, it } from "@jest/globals";
import { ExpiringCache } from "./expiring-cache.ts";

it("forgets values after their time, also when the clock that told it was wrong", async () => {
  let nowMs = 10_000;
  let made = 0;
  const remembered = new ExpiringCache<number>(() => nowMs, { keptMs: 1_000, maxKeys: 10 });
  const get = () => remembered.get("key", async () => ++made);
  expect(await get()).toBe(1);
  nowMs += 999;
  expect(await get()).toBe(1);
  nowMs += 1;
  expect(await get()).toBe(2);
  nowMs -= 5_000;
  expect(await get()).toBe(3);
});
