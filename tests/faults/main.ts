import { choiceSetting, numberSetting, optional, optionsOfProcess } from "@diegetic/service-kit";
import type { Fault } from "./nemesis/fault.ts";
import { faultsOf } from "./nemesis/nemesis.ts";
import { answerLines, describeChecks, failures, injectionTable } from "./report.ts";
import { SAFEGUARDS } from "./sabotage/safeguards.mjs";
import { runSuite, type SuiteReport } from "./suite.ts";
import type { Variant } from "./topology/world.ts";

/**
 * `npm run faults [-- --seeds 1..20 --minutes 1 --variant both|single|cluster --only NAME,… --except NAME,… --without
 * SAFEGUARD]`: one run per seed, alternating between a single Redis and a cluster, then a table of the injected faults. Of four
 * seeds, two run the services' bundles, without the fault that replaces a module (`--only` chooses it always).
 * Exits with 1 when an invariant did not hold, with 2 for wrong use.
 */
const MAX_SEEDS = 1_000;
const values = optionsOfProcess(
  {
    seeds: { variable: "--seeds", parse: parseSeeds, fallback: { value: [1] } },
    minutes: numberSetting("--minutes", { min: 0.1, max: 600, fallback: 2 }),
    variant: choiceSetting<Variant | "both">("--variant", ["both", "single", "cluster"], "both"),
    only: optional({ variable: "--only", parse: parseFaults }),
    except: optional({ variable: "--except", parse: parseFaults }),
    without: optional(choiceSetting("--without", Object.keys(SAFEGUARDS))),
  },
  `Usage: npm run faults [-- --seeds 1..20 --minutes 1 --variant both|single|cluster --only NAME,… --except NAME,… --without SAFEGUARD]
NAME is a part of a fault's name, as the table at the end shows them.`,
);

/** Parts of names, each of at least one fault. */
function parseFaults(text: string): string[] {
  const names = [...new Set([...faultsOf("single"), ...faultsOf("cluster")].map(({ name }) => name))];
  const parts = text.split(",").map((part) => part.trim());
  if (parts.every((part) => part !== "" && names.some((name) => name.includes(part)))) return parts;
  throw new Error(`parts of these names, divided by commas:\n  ${names.sort().join("\n  ")}`);
}

/** `7`, or `1..20`. */
function parseSeeds(text: string): number[] {
  const [, first = "", last = first] = /^(\d{1,9})(?:\.\.(\d{1,9}))?$/.exec(text) ?? [];
  const count = Number(last) - Number(first) + 1;
  if (first === "" || count < 1 || count > MAX_SEEDS) {
    throw new Error(`a seed, or the first and last of at most ${MAX_SEEDS}, such as 7 or 1..20`);
  }
  return Array.from({ length: count }, (_, index) => Number(first) + index);
}

function variantOf(seed: number): Variant {
  if (values.variant !== "both") return values.variant;
  return seed % 2 === 0 ? "cluster" : "single";
}

function pick(faults: Fault[], seed: number): Fault[] {
  const runsBundles = seed % 4 >= 2;
  const isOf = (parts: string[] | undefined, { name }: Fault) => parts?.some((part) => name.includes(part));
  return faults.filter(
    (fault) =>
      (isOf(values.only, fault) ?? !(runsBundles && fault.replacesModules)) &&
      !(isOf(values.except, fault) ?? false),
  );
}

const say = (line: string) => process.stdout.write(`${line}\n`);
const reports: SuiteReport[] = [];
const failed: string[] = [];
for (const seed of values.seeds) {
  const report = await runSuite({
    seed,
    variant: variantOf(seed),
    durationMs: values.minutes * 60_000,
    withoutSafeguard: values.without,
    keepsEvidence: true,
    pick: (faults) => pick(faults, seed),
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
