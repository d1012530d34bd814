export {
  type BillingPace,
  type BillingService,
  type BillingServiceOptions,
  createBillingService,
} from "./service.ts";
export { type BillingSecrets, type BillingSettings, readBillingSettings } from "./settings.ts";
