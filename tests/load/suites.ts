import { analytics } from "./analytics/analytics.ts";
import { billing } from "./billing/billing.ts";
import { statements } from "./billing/statements.ts";
import { cluster } from "./cluster/cluster.ts";
import type { Suite } from "./frame/suite.ts";
import { machine } from "./machine/machine.ts";
import { management } from "./management/management.ts";
import { memory } from "./memory/memory.ts";
import { scripts } from "./scripts/scripts.ts";
import { profile } from "./serving/profile.ts";
import { serving } from "./serving/serving.ts";
import { tracing } from "./serving/tracing.ts";
import { snapshot } from "./snapshot/snapshot.ts";
import { start } from "./start/start.ts";
import { writeBack } from "./write-back/write-back.ts";

/** All suites of `npm run bench`, in this order. */
export const suites: readonly Suite[] = [
  machine,
  scripts,
  cluster,
  memory,
  serving,
  profile,
  tracing,
  snapshot,
  writeBack,
  billing,
  statements,
  analytics,
  management,
  start,
];
