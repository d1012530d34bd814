export {
  type Erased,
  type EraseOptions,
  erasePlayer,
  OtherPlayerHashKey,
  UnknownAccount,
} from "./erase/erase-player.ts";
export type { BillingPace } from "./pace.ts";
export { type AuditOptions, reconcileAll } from "./reconciliation/audit.ts";
export { type AuditReport, auditJson, auditText } from "./reconciliation/audit-report.ts";
export { type BillingSecrets, type BillingSettings, readBillingSettings } from "./settings.ts";
export { writeRecords } from "./write/write-records.ts";
