export { type AuditOptions, type AuditReport, auditBooks } from "./books/audit.ts";
export { auditJson, auditText } from "./books/present.ts";
export {
  type BillingPace,
  type BillingService,
  type BillingServiceOptions,
  createBillingService,
} from "./service.ts";
export { type BillingSecrets, type BillingSettings, readBillingSettings } from "./settings.ts";
export { writeRecords } from "./write/write-records.ts";
