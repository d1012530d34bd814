export { type AuditOptions, type AuditReport, reconcileAll } from "./audit.ts";
export { auditJson, auditText } from "./audit-report.ts";
export {
  type Erased,
  type EraseOptions,
  erasePlayer,
  OtherPlayerHashKey,
  UnknownAccount,
} from "./erase/erase-player.ts";
export type { BillingPace } from "./pace.ts";
export { writeRecords } from "./write/write-records.ts";
