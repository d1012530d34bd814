import { expect, it } from "@jest/globals";
import { createLogger } from "./logger.ts";
import { createWaitLog } from "./wait-log.ts";

it("a wait is information at first, a warning when it lasts, and information again the next time", () => {
  const lines: { level: number; msg: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const logger = createLogger({ service: "match", instance: "test", level: "info" }, destination);
  let nowMs = 0;
  const met = createWaitLog(logger, { waiting: "waits", stillWaiting: "still waits" }, () => nowMs);
  for (; nowMs <= 25_000; nowMs += 1_000) met();
  nowMs += 60_000;
  met();
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [30, "waits"],
    [40, "still waits"],
    [40, "still waits"],
    [30, "waits"],
  ]);
});
