import { parseArgs } from "node:util";
import { answerLines, describeChecks, failures, injectionTable } from "./report.ts";
import { runSuite, type SuiteReport } from "./suite.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    first: { type: "string", default: "1" },
    minutes: { type: "string", default: "2" },
    variant: { type: "string", default: "both" },
    only: { type: "string" },
    except: { type: "string" },
    without: { type: "string" },
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);
const reports: SuiteReport[] = [];
const failed: string[] = [];
for (let seed = Number(values.first); seed < Number(values.first) + Number(values.seeds); seed += 1) {
  // Every third run is on a cluster.
  const isCluster = values.variant === "cluster" || (values.variant === "both" && seed % 3 === 0);
  const only = values.only?.split(",");
  const except = values.except?.split(",");
  const report = await runSuite({
    seed,
    variant: isCluster ? "cluster" : "single",
    durationMs: Number(values.minutes) * 60_000,
    withoutSafeguard: values.without,
    ...(except && {
      pick: (faults) => faults.filter(({ name }) => !except.some((part) => name.includes(part))),
    }),
    ...(only && { pick: (faults) => faults.filter(({ name }) => only.some((part) => name.includes(part))) }),
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
