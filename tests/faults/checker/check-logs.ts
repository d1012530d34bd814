import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { World } from "../topology/world.ts";
import { type Check, CheckBuilder } from "./report.ts";

const ERROR_LEVEL = 50;

/** Lines that a fault explains: a loss in Redis is reported. */
const EXPLAINED: RegExp[] = [
  // Counted by the check of quarantined records.
  /: the money was spent again after Redis lost data\b/,
  /"reason":"the outbox entry is damaged\b/,
  /"check":"quarantined",.*"reconciliation difference found"/,
];

/**
 * A cluster client that cannot reach a node for its subscription ends the lost connection again with each attempt; Node
 * counts its listeners meanwhile.
 */
const SUBSCRIBER_WARNING =
  /^\(node:\d+\) MaxListenersExceededWarning: .*\[Socket\].*\n(?: {4}at .*\n)*? {4}at ClusterSubscriber\..*\n(?: {4}at .*\n)*/gm;

/** Errors that only broken code logs. An unreachable `fetch` also throws a TypeError. */
const BROKEN_CODE =
  /\b(ReferenceError|SyntaxError|TypeError)\b(?!.{0,40}fetch failed)|[Ee]rror compiling script|nonexistent global variable|\battempt to (index|call|compare|concatenate|perform arithmetic on)\b/;
const MAX_BROKEN = 5;

/** Lines, of any level, that report broken code: apart from its safeguard, a sabotaged service must work. */
export function brokenCode(world: World): string[] {
  return linesOf(world)
    .filter(({ line }) => BROKEN_CODE.test(line))
    .slice(0, MAX_BROKEN)
    .map(({ file, line }) => `${file}: ${line.slice(0, 600)}`);
}

function linesOf(world: World): { file: string; line: string }[] {
  const dir = join(world.dataDir, "logs");
  return readdirSync(dir).flatMap((file) =>
    readFileSync(join(dir, file), "utf8")
      .replace(SUBSCRIBER_WARNING, "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => ({ file, line })),
  );
}

/** A service that meets faults of others warns; an error means that the service itself is at fault. */
export function checkLogs(world: World): Check {
  const check = new CheckBuilder("no service logs an error, or prints what is not a log line");
  for (const { file, line } of linesOf(world)) {
    check.expect(isFine(line), () => `${file}: ${line.slice(0, 600)}`);
  }
  return check.end();
}

function isFine(line: string): boolean {
  try {
    const { level } = JSON.parse(line) as { level: number | string };
    const isError = typeof level === "number" ? level >= ERROR_LEVEL : ["error", "fatal"].includes(level);
    return !isError || EXPLAINED.some((pattern) => pattern.test(line));
  } catch {
    // A line that was cut off by a kill is the beginning of one.
    return line.startsWith("{") || EXPLAINED.some((pattern) => pattern.test(line));
  }
}
