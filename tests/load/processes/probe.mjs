/**
 * Preloaded into a process that is measured: answers how much memory it has, after a collection where that is asked for
 * (`--expose-gc`), and how long its event loop was held up since the last question; by processor time, too, if that one asked it to watch.
 */
import { existsSync, openSync, readSync } from "node:fs";
import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";

const RESOLUTION_MS = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

let maxCollectionMs = 0;
/** Collections before this are told late, or were asked for here. */
let countsFromMs = 0;
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) {
    if (startTime >= countsFromMs) maxCollectionMs = Math.max(maxCollectionMs, duration);
  }
}).observe({ entryTypes: ["gc"] });

const SCHEDULER_STATISTICS = "/proc/thread-self/schedstat";
const statistics = existsSync(SCHEDULER_STATISTICS) ? openSync(SCHEDULER_STATISTICS, "r") : null;
const line = Buffer.alloc(128);

/** Processor time of this thread so far, which others that use the machine hardly change; NaN where it is not told. */
function processorMs() {
  if (statistics === null) return Number.NaN;
  process.cpuUsage(); // Has the kernel bring the number up to date.
  return Number.parseInt(line.toString("latin1", 0, readSync(statistics, line, 0, line.length, 0)), 10) / 1e6;
}

/** Of the watch that may run; a turn of an earlier one may still be about to come. */
let watch = 0;
let maxTurnMs = 0;
let turnBeganMs = 0;
function turn(ofWatch) {
  if (ofWatch !== watch) return;
  const nowMs = processorMs();
  maxTurnMs = Math.max(maxTurnMs, nowMs - turnBeganMs);
  turnBeganMs = nowMs;
  setImmediate(turn, ofWatch);
}

/** Looks at each turn of the event loop, which then never sleeps. */
function watchTurns() {
  maxTurnMs = 0;
  turnBeganMs = processorMs();
  setImmediate(turn, watch);
}

process.on("message", (message) => {
  if (message?.type !== "probe") return;
  const loop = {
    p50Ms: delay.percentile(50) / 1e6,
    p99Ms: delay.percentile(99) / 1e6,
    // What is measured is the time between two turns, which are due that far apart.
    maxMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS),
    maxCollectionMs,
    maxTurnMs,
  };
  watch += 1; // Ends the watch.
  const residentBytes = process.memoryUsage.rss();
  if (message.collect) globalThis.gc?.();
  // Of shared buffers only this one knows.
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  delay.reset();
  maxCollectionMs = 0;
  countsFromMs = performance.now();
  if (message.watch) watchTurns();
  process.send?.({ type: "probed", loop, residentBytes, usedBytes: heapUsed + arrayBuffers });
});
