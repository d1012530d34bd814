import { eventually } from "@diegetic/testing/eventually";
import { expect, it } from "@jest/globals";
import { createLogger } from "./logger.ts";
import { createMetrics } from "./metrics.ts";
import { createConnectionLogs, OutageLog, type OutageOptions } from "./outage-log.ts";

type Line = Record<string, unknown>;

function startLogger() {
  const lines: Line[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { lines, logger: createLogger({ service: "match", instance: "test", level: "info" }, destination) };
}

/** A log with a clock of its own; the end of an outage waits for a real timer. */
function startLog(options: Partial<OutageOptions> = {}) {
  const { lines, logger } = startLogger();
  const clock = { ms: 0 };
  const log = new OutageLog(logger, {
    failing: "it fails",
    recovered: "it works",
    nowMs: () => clock.ms,
    ...options,
  });
  const logged = () =>
    lines.map(({ level, msg, failures, outageSeconds }) => [level, msg, failures, outageSeconds]);
  const recovered = () => eventually(() => lines.some(({ msg }) => msg === "it works"));
  return { log, clock, logged, recovered };
}

it("logs an outage at once, then once in ten seconds with all failures so far, and once when it is over", async () => {
  const { log, clock, logged, recovered } = startLog();
  for (; clock.ms <= 25_000; clock.ms += 500) log.failed(new Error("no answer"));
  clock.ms = 26_400;
  log.succeeded();
  clock.ms = 40_000;
  log.succeeded();
  await recovered();
  log.succeeded();
  expect(logged()).toEqual([
    [40, "it fails", 1, 0],
    [40, "it fails", 21, 10],
    [40, "it fails", 41, 20],
    [30, "it works", 51, 26.4],
  ]);
});

it("continues the outage when something fails again soon after a success, and begins a new one later", async () => {
  const { log, clock, logged, recovered } = startLog();
  log.failed();
  log.succeeded();
  clock.ms = 1_000;
  log.failed();
  clock.ms = 4_000;
  log.succeeded();
  await recovered();
  clock.ms = 4_100;
  log.failed(undefined, { count: 5 });
  expect(logged()).toEqual([
    [40, "it fails", 1, 0],
    [30, "it works", 2, 4],
    [40, "it fails", 5, 0],
  ]);
});

it("logs a condition that usually ends by itself as info first", () => {
  const { log, clock, logged } = startLog({ firstLevel: "info", countField: "waits" });
  for (; clock.ms <= 15_000; clock.ms += 1_000) log.failed();
  expect(logged().map(([level]) => level)).toEqual([30, 40]);
});

it("logs and measures each part separately", async () => {
  const { lines, logger } = startLogger();
  const metrics = createMetrics({ service: "match" });
  const partOf = createConnectionLogs(logger, metrics);
  const [commands, snapshot] = [partOf("commands"), partOf("snapshot")];
  const up = async (part: string) =>
    new RegExp(`dependency_up\\{part="${part}"[^}]*\\} (\\d)`).exec((await metrics.exposition()).text)?.[1];
  expect([await up("commands"), await up("snapshot")]).toEqual(["1", "1"]);
  for (let time = 0; time < 3; time += 1) commands.failed(new Error("no answer in time"));
  expect([await up("commands"), await up("snapshot")]).toEqual(["0", "1"]);
  commands.succeeded();
  snapshot.succeeded();
  await eventually(() => lines.length > 1);
  expect(await up("commands")).toBe("1");
  expect(lines).toEqual([
    expect.objectContaining({ level: 40, part: "commands", failures: 1, outageSeconds: 0 }),
    expect.objectContaining({ level: 30, msg: "redis recovered", part: "commands", failures: 3 }),
  ]);
});

it("measures further dependencies at each scrape", async () => {
  const metrics = createMetrics({ service: "billing" });
  let fails = false;
  createConnectionLogs(startLogger().logger, metrics, {
    postgres: () => (fails ? Promise.reject(new Error("no answer in time")) : undefined),
  });
  const scrape = async () =>
    /dependency_up\{part="postgres"[^}]*\} (\d)/.exec((await metrics.exposition()).text)?.[1];
  expect(await scrape()).toBe("1");
  fails = true;
  expect(await scrape()).toBe("0");
});
