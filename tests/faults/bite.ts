import { parseArgs } from "node:util";
import { failures } from "./report.ts";
import { SAFEGUARDS } from "./sabotage/safeguards.mjs";
import { runSuite } from "./suite.ts";

/**
 * `npm run faults:bite [-- --only NAME,… --seconds N]`: runs the suite once without each safeguard. Every run has to
 * fail; what it noticed is printed as a table.
 */
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    seconds: { type: "string", default: "25" },
    seeds: { type: "string", default: "3" },
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);
const only = values.only?.split(",");
const rows: string[] = [];
let unnoticed = 0;
for (const [name, { what, faults }] of Object.entries(SAFEGUARDS)) {
  if (only !== undefined && !only.includes(name)) continue;
  const noticed = await tryWithout(name, faults);
  if (noticed.length === 0) unnoticed += 1;
  const names = noticed.map((failure) => failure.split(": ", 1)[0]);
  rows.push(`| ${name}: ${what} | ${names.join("; ") || "**nothing**"} |`);
  say(noticed.map((failure) => `  ${failure.split("\n", 1)[0]?.slice(0, 300)}`).join("\n"));
}
say(["", "| Taken out | What the checker noticed |", "| --- | --- |", ...rows].join("\n"));
say(unnoticed === 0 ? "\nThe suite noticed every one." : `\n${unnoticed} went unnoticed.`);
process.exit(unnoticed === 0 ? 0 : 1);

/** What broke without a safeguard; a run that had no bad luck is tried with other seeds. */
async function tryWithout(name: string, faults: readonly string[]): Promise<string[]> {
  for (let seed = 1; seed <= Number(values.seeds); seed += 1) {
    say(`without ${name}, seed ${seed}`);
    const report = await runSuite({
      seed,
      variant: "single",
      durationMs: Number(values.seconds) * 1_000,
      withoutSafeguard: name,
      pick: (all) => all.filter((fault) => faults.some((part) => fault.name.includes(part))),
      quietWithinMs: 20_000,
    });
    // That a fault did not happen, or that services say what they suffer from, would prove nothing.
    const found = failures(report).filter(
      (failure) => !/^(every fault|no service logs)|: nothing was seen$/.test(failure),
    );
    if (found.length > 0) return found;
  }
  return [];
}
