import { auditBooks, auditText } from "@diegetic/billing";
import type { World } from "../topology/world.ts";
import { type Check, CheckBuilder } from "./report.ts";

const QUIET_WITHIN_MS = 10_000;

/** What `npm run audit` says of the stack: every figure that two stores know is the same in both. */
export async function checkAudit(world: World): Promise<Check> {
  const check = new CheckBuilder("npm run audit finds no difference");
  const { databaseUrl, redisUrl } = world.stack.describe();
  const report = await auditBooks({ databaseUrl, redisUrl, quietWithinMs: QUIET_WITHIN_MS });
  check.expect(report.verdict === "agrees", () => `${report.verdict}:\n${auditText(report)}`);
  return check.end();
}
