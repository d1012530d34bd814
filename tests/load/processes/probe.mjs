/**
 * Preloaded into a process that is measured: answers how much memory it has, after a collection where that is asked for
 * (`--expose-gc`), and how long its event loop was held up since the last question.
 */
import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";

const RESOLUTION_MS = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

let longestCollectionMs = 0;
/** Collections before this are told late, or were asked for here. */
let countsFromMs = 0;
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) {
    if (startTime >= countsFromMs) longestCollectionMs = Math.max(longestCollectionMs, duration);
  }
}).observe({ entryTypes: ["gc"] });

process.on("message", (message) => {
  if (message?.type !== "probe") return;
  const loop = {
    p50Ms: delay.percentile(50) / 1e6,
    p99Ms: delay.percentile(99) / 1e6,
    // What is measured is the time between two turns, which are due that far apart.
    longestMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS),
    longestCollectionMs,
  };
  const residentBytes = process.memoryUsage.rss();
  if (message.collect) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  delay.reset();
  longestCollectionMs = 0;
  countsFromMs = performance.now();
  process.send?.({ type: "probed", loop, residentBytes, usedBytes: heapUsed + external });
});
