/**
 * Preloaded into a process that is measured: answers how much memory it has after a collection (`--expose-gc`), and how
 * long its event loop was held up since the last question.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

process.on("message", (message) => {
  if (message?.type !== "probe") return;
  const loop = { p50Ms: delay.percentile(50) / 1e6, p99Ms: delay.percentile(99) / 1e6 };
  const residentBytes = process.memoryUsage.rss();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  delay.reset();
  process.send?.({ type: "probed", loop, residentBytes, usedBytes: heapUsed + external });
});
