import {
  choiceSetting,
  integerSetting,
  listSetting,
  numberSetting,
  optional,
  optionsOfProcess,
} from "@diegetic/service-kit";
import { failures } from "./report.ts";
import { SAFEGUARDS } from "./sabotage/safeguards.mjs";
import { runSuite } from "./suite.ts";
import type { Variant } from "./topology/world.ts";

/**
 * `npm run faults:bite [-- --only NAME,… --seconds N --seeds N --variant single|cluster]`: runs the suite once without
 * each safeguard. Every run must fail the check that the safeguard names, without broken programs; prints the results
 * as a table.
 */
const values = optionsOfProcess(
  {
    only: optional(listSetting("--only", Object.keys(SAFEGUARDS))),
    seconds: numberSetting("--seconds", { min: 1, max: 3_600, fallback: 25 }),
    seeds: integerSetting("--seeds", { min: 1, max: 1_000, fallback: 3 }),
    variant: choiceSetting<Variant>("--variant", ["single", "cluster"], "single"),
  },
  "Usage: npm run faults:bite [-- --only SAFEGUARD,… --seconds N --seeds N --variant single|cluster]",
);

interface Trial {
  /** Failed checks, as reported by the checker. */
  found: string[];
  /** Whether the expected check failed, and nothing else can be the reason. */
  isProof: boolean;
}

const say = (line: string) => process.stdout.write(`${line}\n`);
const { only } = values;
const rows: string[] = [];
let unnoticed = 0;
for (const [name, safeguard] of Object.entries(SAFEGUARDS)) {
  if (only !== undefined && !only.includes(name)) continue;
  const { found, isProof } = await tryWithout(name, safeguard);
  if (!isProof) unnoticed += 1;
  const names = found.map(checkOf);
  const verdict = isProof ? names.join("; ") : `**not by "${safeguard.noticedBy}"**: ${names.join("; ")}`;
  rows.push(`| ${name}: ${safeguard.what} | ${verdict} |`);
}
say(["", "| Taken out | What the checker noticed |", "| --- | --- |", ...rows].join("\n"));
say(unnoticed === 0 ? "\nThe suite noticed every one." : `\n${unnoticed} went unnoticed.`);
process.exit(unnoticed === 0 ? 0 : 1);

/** Failures without a safeguard; retries a run without failures with other seeds. */
async function tryWithout(name: string, { faults, noticedBy }: (typeof SAFEGUARDS)[string]): Promise<Trial> {
  let last: Trial = { found: [], isProof: false };
  for (let seed = 1; seed <= values.seeds; seed += 1) {
    say(`without ${name}, seed ${seed}`);
    const report = await runSuite({
      seed,
      variant: values.variant,
      durationMs: values.seconds * 1_000,
      withoutSafeguard: name,
      pick: (all) => all.filter((fault) => faults.some((part) => fault.name.includes(part))),
      quietWithinMs: 20_000,
    });
    // A fault that did not happen, or errors in logs, would prove nothing.
    const found = failures(report).filter(
      (failure) => !/^(every fault|no service logs)|: nothing was seen$/.test(failure),
    );
    const broken = report.brokenCode;
    last = { found, isProof: broken.length === 0 && found.some((failure) => checkOf(failure) === noticedBy) };
    for (const line of [...found, ...broken.map((line) => `broken code: ${line}`)]) {
      say(`  ${line.split("\n", 1)[0]?.slice(0, 300)}`);
    }
    if (last.isProof) break;
  }
  return last;
}

function checkOf(failure: string): string {
  return failure.split(": ", 1)[0] ?? failure;
}
