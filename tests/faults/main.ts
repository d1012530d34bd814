import { parseArgs } from "node:util";
import type { Fault } from "./nemesis/fault.ts";
import { answerLines, describeChecks, failures, injectionTable } from "./report.ts";
import { runSuite, type SuiteReport } from "./suite.ts";
import type { Variant } from "./topology/world.ts";

/**
 * `npm run faults [-- --seeds 1..20 --minutes 1 --variant both|single|cluster --only NAME,… --except NAME,… --without SAFEGUARD]`:
 * one run a seed, in turn on a single Redis and on a cluster, then a table of what was injected. Exits with 1 when an
 * invariant did not hold.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    minutes: { type: "string", default: "2" },
    variant: { type: "string", default: "both" },
    only: { type: "string" },
    except: { type: "string" },
    without: { type: "string" },
  },
});

/** `7`, or `1..20`. */
function seedsOf(text: string): number[] {
  const [, first = "", last = first] = /^(\d+)(?:\.\.(\d+))?$/.exec(text) ?? [];
  const count = Number(last) - Number(first) + 1;
  if (first === "" || count < 1) throw new RangeError(`--seeds must be like 7 or 1..20, not ${text}`);
  return Array.from({ length: count }, (_, index) => Number(first) + index);
}

function variantOf(seed: number): Variant {
  if (values.variant === "single" || values.variant === "cluster") return values.variant;
  return seed % 2 === 0 ? "cluster" : "single";
}

function pick(faults: Fault[]): Fault[] {
  const isOf = (names: string | undefined, { name }: Fault) =>
    names?.split(",").some((part) => name.includes(part));
  return faults.filter(
    (fault) => (isOf(values.only, fault) ?? true) && !(isOf(values.except, fault) ?? false),
  );
}

const say = (line: string) => process.stdout.write(`${line}\n`);
const reports: SuiteReport[] = [];
const failed: string[] = [];
for (const seed of seedsOf(values.seeds)) {
  const report = await runSuite({
    seed,
    variant: variantOf(seed),
    durationMs: Number(values.minutes) * 60_000,
    withoutSafeguard: values.without,
    pick,
    say,
  });
  reports.push(report);
  say(describeChecks(report));
  say(answerLines(report));
  say(
    `${report.impressions} impressions, ${report.samples} samples, quiet after ${report.quietAfterMs} ms\n`,
  );
  for (const failure of failures(report)) failed.push(`seed ${seed}: ${failure}`);
}
say(injectionTable(reports));
say(failed.length === 0 ? "\nAll invariants held." : `\nFAILED\n${failed.join("\n")}`);
process.exit(failed.length === 0 ? 0 : 1);
