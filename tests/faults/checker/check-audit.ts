import { auditText, reconcileAll } from "@diegetic/billing";
import type { World } from "../topology/world.ts";
import type { Aftermath } from "./aftermath.ts";
import { type Check, CheckBuilder } from "./report.ts";

const QUIET_WITHIN_MS = 90_000;

/** Result of `npm run audit` for the stack: all stores agree on every balance. */
export async function checkAudit(world: World, { quarantine }: Aftermath): Promise<Check> {
  const check = new CheckBuilder("npm run audit finds no difference");
  const { databaseUrl, redisUrl } = world.stack.describe();
  const report = await reconcileAll({ databaseUrl, redisUrl, quietWithinMs: QUIET_WITHIN_MS });
  // The audit must report quarantined records; another check decides whether they are expected.
  const others = report.findings.filter((finding) => finding.check !== "quarantined");
  const isRight = quarantine.size === 0 ? report.verdict === "agrees" : others.length === 0;
  check.expect(isRight, () => `${report.verdict}:\n${auditText(report)}`);
  return check.end();
}
