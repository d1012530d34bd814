/**
 * `npm run bench`: measures the product relative to the machine's limits, see docs/performance.md. `-- --only
 * match,impressions` selects suites, `--quick` takes about two minutes, `--rounds N`, `--out FILE`, `--page FILE`
 * writes the table into a page such as docs/performance.md.
 */
import {
  flagOption,
  integerSetting,
  listSetting,
  optional,
  optionsOfProcess,
  textSetting,
} from "@diegetic/service-kit";
import { currentLoad, describeMachine } from "./frame/machine.ts";
import { replaceTable, writeResults } from "./frame/results.ts";
import { runSuite } from "./frame/run-suite.ts";
import type { Metric } from "./frame/suite.ts";
import { tableOf, tableOfGoals } from "./frame/table.ts";
import { suites } from "./suites.ts";

const known = suites.flatMap(({ names }) => names);
const values = optionsOfProcess(
  {
    only: optional(listSetting("--only", known)),
    quick: flagOption("--quick"),
    rounds: optional(integerSetting("--rounds", { min: 1, max: 1_000 })),
    page: optional(textSetting("--page")),
    out: textSetting("--out", { fallback: "tests/load/results/last.json" }),
  },
  `Usage: npm run bench [-- --only NAME,… --quick --rounds N --out FILE --page FILE]
Names: ${known.join(", ")}.`,
);
const { quick, rounds = quick ? 3 : 5, only: chosen = known } = values;
if (values.page !== undefined && values.only !== undefined) {
  process.stderr.write("--page replaces the whole table: leave out --only.\n");
  process.exit(2);
}

const startedMs = performance.now();
const say = (line: string) => {
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
  process.stderr.write(`${seconds.padStart(4)} s  ${line}\n`);
};
const machine = describeMachine();
say(`load average ${machine.load_average[0]}, ${machine.cores} cores, ${rounds} rounds`);
const metrics: Metric[] = [];
for (const suite of suites) {
  const wanted = new Set(suite.names.filter((name) => chosen.includes(name)));
  if (wanted.size === 0) continue;
  say([...wanted].join(", "));
  metrics.push(...(await runSuite(suite, { quick, rounds, wanted, say })));
}
machine.load_average.push(currentLoad());
const seconds = Math.round((performance.now() - startedMs) / 1_000);
writeResults(values.out, { machine, quick, duration_seconds: seconds, metrics });
const machineLines = [
  "",
  `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, ${machine.started_at.slice(0, 10)}; ${rounds} rounds in ${seconds} s;`,
  `load average before and after ${machine.load_average.join(" and ")}.`,
];
const withMachine = (table: string) => [table, ...machineLines].join("\n");
process.stdout.write(`${withMachine(tableOf(metrics))}\n\n${values.out}\n`);
if (values.page !== undefined) replaceTable(values.page, withMachine(tableOfGoals(metrics)));
