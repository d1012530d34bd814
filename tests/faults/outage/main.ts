import { integerSetting, numberSetting, optionsOfProcess } from "@diegetic/service-kit";
import { runOutage } from "./outage.ts";

/** `npm run faults:outage [-- --seconds 60 --rate 1000]`: measures an outage of Postgres under load. */
const values = optionsOfProcess(
  {
    seconds: numberSetting("--seconds", { min: 1, max: 3_600, fallback: 60 }),
    rate: integerSetting("--rate", { min: 1, max: 100_000, fallback: 1_000 }),
  },
  "Usage: npm run faults:outage [-- --seconds 60 --rate 1000]",
);

const say = (line: string) => process.stdout.write(`${line}\n`);
const report = await runOutage({
  rate: values.rate,
  outageSeconds: values.seconds,
  calmSeconds: 5,
  say,
});
const counts = (map: ReadonlyMap<string, number>) =>
  [...map].map(([what, count]) => `${what}: ${count}`).join(", ") || "none";
say(`| Postgres unavailable | ${values.seconds} s |`);
say(`| Impressions a second, aimed at and reached | ${values.rate}, ${Math.round(report.reachedRate)} |`);
say(`| Impressions before, during, after | ${Object.values(report.answered).join(", ")} |`);
say(`| Refusals by the match tier during the outage | ${counts(report.unexpected)} |`);
say(`| Management during the outage | ${counts(report.management)} |`);
say(`| Management back after | ${Math.round(report.managementBackAfterMs)} ms |`);
say(`| Billing caught up after | ${Math.round(report.caughtUpAfterMs)} ms |`);
say(`| Answered 201, of those written, rows | ${Object.values(report.ids).join(", ")} |`);
process.exit(report.ids.answered === report.ids.written && report.ids.rows === report.ids.written ? 0 : 1);
