/**
 * Preloaded into a measured process: reports its memory, after a collection on request (`--expose-gc`), and, when it is
 * to watch, the longest stall of its event loop until the next report. On request it also reports where its processor time
 * goes. Otherwise it only observes collections.
 */
import { existsSync, openSync, readSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

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

const SAMPLE_EVERY_MICROSECONDS = 100;
/** What ends the sampling, a tenth of the samples, is none of the program. */
const SAMPLER = "node:inspector";
/** In place of an address: code that a program has compiled, such as a validator. */
const COMPILED = "(compiled)";

/**
 * Samples for a while what the main thread does. Returns the microseconds of each module, or of what V8 itself names in
 * parentheses, such as "(garbage collector)". What native functions take belongs to the module that calls them.
 */
async function profile(durationMs) {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: SAMPLE_EVERY_MICROSECONDS });
  await session.post("Profiler.start");
  await sleep(durationMs);
  const { nodes, samples, timeDeltas } = (await session.post("Profiler.stop")).profile;
  session.disconnect();
  const modules = new Map();
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const moduleOf = (id) => {
    const { functionName, url, scriptId } = frames.get(id);
    if (url !== "") return url;
    if (scriptId !== "0") return COMPILED;
    if (functionName.startsWith("(")) return functionName;
    const caller = moduleOf(parents.get(id));
    return caller === "(root)" ? "(program)" : caller;
  };
  for (const [index, id] of samples.entries()) {
    const name = moduleOf(id);
    if (name === SAMPLER) continue;
    modules.set(name, (modules.get(name) ?? 0) + timeDeltas[index]);
  }
  return Object.fromEntries(modules);
}

function probe({ collect, watch: isWatched }) {
  const loop = {
    // The delay beyond the timer's interval.
    maxMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS),
    maxCollectionMs,
    maxTurnMs,
  };
  watch += 1; // Ends the watch.
  delay.disable();
  const residentBytes = process.memoryUsage.rss();
  if (collect) globalThis.gc?.();
  // Only this one includes shared buffers.
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  delay.reset();
  maxCollectionMs = 0;
  countsFromMs = performance.now();
  if (isWatched) watchLoop();
  return { loop, residentBytes, usedBytes: heapUsed + arrayBuffers };
}

// A failure ends the process, which its parent reports.
process.on("message", async (message) => {
  if (message?.type === "profile") {
    process.send?.({ type: "profiled", modules: await profile(message.durationMs) });
  } else if (message?.type === "probe") {
    process.send?.({ type: "probed", ...probe(message) });
  }
});
