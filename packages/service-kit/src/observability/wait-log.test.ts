import { eventually } from "@diegetic/testing/eventually";
import { expect, it } from "@jest/globals";
import { createLogger } from "./logger.ts";
import { createWaitLog } from "./wait-log.ts";

it("a wait is logged as info first, as a warning while it lasts, and as info when it is over", async () => {
  const lines: { level: number; msg: string; outageSeconds?: number }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const logger = createLogger({ service: "match", instance: "test", level: "info" }, destination);
  let nowMs = 0;
  const words = { waiting: "waits", stillWaiting: "still waits", over: "over" };
  const wait = createWaitLog(logger, words, () => nowMs);
  for (; nowMs <= 25_000; nowMs += 1_000) wait.failed();
  wait.succeeded();
  wait.succeeded();
  nowMs += 60_000;
  await eventually(() => lines.length === 4);
  wait.succeeded();
  wait.failed();
  expect(lines.map(({ level, msg, outageSeconds }) => [level, msg, outageSeconds])).toEqual([
    [30, "waits", undefined],
    [40, "still waits", undefined],
    [40, "still waits", undefined],
    [30, "over", 26],
    [30, "waits", undefined],
  ]);
});
