import { auditText, reconcileAll } from "@diegetic/billing";
import type { World } from "../topology/world.ts";
import type { Aftermath } from "./aftermath.ts";
import { type Check, CheckBuilder } from "./report.ts";

const QUIET_WITHIN_MS = 10_000;

/** What `npm run audit` says of the stack: every figure that two stores know is the same in both. */
export async function checkAudit(world: World, { quarantine }: Aftermath): Promise<Check> {
  const check = new CheckBuilder("npm run audit finds no difference");
  const { databaseUrl, redisUrl } = world.stack.describe();
  const report = await reconcileAll({ databaseUrl, redisUrl, quietWithinMs: QUIET_WITHIN_MS });
  // It tells of what was quarantined, as it has to: whether that is in order is a check of its own.
  const others = report.findings.filter((finding) => finding.check !== "quarantined");
  const isRight = quarantine.size === 0 ? report.verdict === "agrees" : others.length === 0;
  check.expect(isRight, () => `${report.verdict}:\n${auditText(report)}`);
  return check.end();
}
