/** Keeps a core busy for a while, and reports when it stood still although no other thread had the core. */
import { readFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

const { durationMs, minStallMs } = workerData as { durationMs: number; minStallMs: number };

/** How long this thread has waited for a core so far; 0 without /proc. */
function waitedMs(): number {
  try {
    const [, waitedNs] = readFileSync("/proc/thread-self/schedstat", "latin1").split(" ");
    return Number(waitedNs) / 1e6;
  } catch {
    return 0;
  }
}

const READ_EVERY_MS = 1;
const stalls: number[] = [];
let waited = waitedMs();
let lastMs = performance.now();
let readMs = lastMs;
const endMs = lastMs + durationMs;
while (lastMs < endMs) {
  const nowMs = performance.now();
  const goneMs = nowMs - lastMs;
  lastMs = nowMs;
  if (goneMs < minStallMs && nowMs - readMs < READ_EVERY_MS) continue;
  const before = waited;
  waited = waitedMs();
  // Waits of the last millisecond may count, too; earlier ones do not.
  if (goneMs - (waited - before) >= minStallMs) stalls.push(goneMs - (waited - before));
  lastMs = performance.now();
  readMs = lastMs;
}
parentPort?.postMessage(stalls);
