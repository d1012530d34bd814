/** Keeps a core busy for a while, and reports for how long it was taken away each time, in milliseconds. */
import { parentPort, workerData } from "node:worker_threads";

const { durationMs, minGapMs } = workerData as { durationMs: number; minGapMs: number };
const gaps: number[] = [];
let lastMs = performance.now();
const endMs = lastMs + durationMs;
while (lastMs < endMs) {
  const nowMs = performance.now();
  if (nowMs - lastMs >= minGapMs) gaps.push(nowMs - lastMs);
  lastMs = nowMs;
}
parentPort?.postMessage(gaps);
