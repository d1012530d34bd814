/**
 * Preloaded into a measured process: reports its memory, after a collection on request (`--expose-gc`), and, when it is
 * to watch, the longest stall of its event loop until the next report. Otherwise it costs the process nothing.
 */
import { existsSync, openSync, readSync } from "node:fs";
import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";

const RESOLUTION_MS = 1;
/** Wakes the process once per interval: enabled only during a watch. */
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

let maxCollectionMs = 0;
/** Earlier collections are reported late, or were requested here. */
let countsFromMs = 0;
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) {
    if (startTime >= countsFromMs) maxCollectionMs = Math.max(maxCollectionMs, duration);
  }
}).observe({ entryTypes: ["gc"] });

const SCHEDULER_STATISTICS = "/proc/thread-self/schedstat";
const statistics = existsSync(SCHEDULER_STATISTICS) ? openSync(SCHEDULER_STATISTICS, "r") : null;
const line = Buffer.alloc(128);

/** Processor time of this thread so far, hardly affected by other processes; NaN where unavailable. */
function processorMs() {
  if (statistics === null) return Number.NaN;
  process.cpuUsage(); // Makes the kernel update the number.
  return Number.parseInt(line.toString("latin1", 0, readSync(statistics, line, 0, line.length, 0)), 10) / 1e6;
}

/** Id of the active watch; a turn of an earlier one may still follow. */
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

/** Observes each turn of the event loop, which then never sleeps. */
function watchLoop() {
  delay.enable();
  maxTurnMs = 0;
  turnBeganMs = processorMs();
  setImmediate(turn, watch);
}

process.on("message", (message) => {
  if (message?.type !== "probe") return;
  const loop = {
    // The delay beyond the timer's interval.
    maxMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS),
    maxCollectionMs,
    maxTurnMs,
  };
  watch += 1; // Ends the watch.
  delay.disable();
  const residentBytes = process.memoryUsage.rss();
  if (message.collect) globalThis.gc?.();
  // Only this one includes shared buffers.
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  delay.reset();
  maxCollectionMs = 0;
  countsFromMs = performance.now();
  if (message.watch) watchLoop();
  process.send?.({ type: "probed", loop, residentBytes, usedBytes: heapUsed + arrayBuffers });
});
