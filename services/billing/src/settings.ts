import {
  databaseUrlSetting,
  type Environment,
  integerSetting,
  optional,
  processSettings,
  readSettings,
  redisUrlSetting,
  type SettingValues,
  webhookAddressesSetting,
} from "@diegetic/service-kit";
import { MAX_RETENTION_DAYS, MIN_RETENTION_DAYS } from "./retention/limits.ts";

const settings = {
  ...processSettings("billing"),
  webhookAddresses: webhookAddressesSetting,
  webhookTimeoutSeconds: integerSetting("WEBHOOK_TIMEOUT_SECONDS", { min: 1, max: 30, fallback: 10 }),
  /** Pause before the second of twelve attempts; each further one is twice as long. */
  webhookRetryMs: integerSetting("WEBHOOK_RETRY_MS", { min: 1, max: 600_000, fallback: 30_000 }),
  webhookRetentionDays: integerSetting("WEBHOOK_RETENTION_DAYS", { min: 1, max: 365, fallback: 30 }),
  /** Maximum concurrent jobs of this process: being written together, waiting, or being acknowledged. */
  billingConcurrency: integerSetting("BILLING_CONCURRENCY", { min: 1, max: 128, fallback: 96 }),
  /** Undefined: impressions are kept for ever (docs/behaviour.md#retention). */
  impressionRetentionDays: optional(
    integerSetting("IMPRESSION_RETENTION_DAYS", { min: MIN_RETENTION_DAYS, max: MAX_RETENTION_DAYS }),
  ),
};

const secrets = { redisUrl: redisUrlSetting, databaseUrl: databaseUrlSetting };

export const BILLING_SETTINGS = { settings, secrets };

export type BillingSettings = SettingValues<typeof settings>;
export type BillingSecrets = SettingValues<typeof secrets>;

/** Throws SettingsError. */
export function readBillingSettings(environment: Environment): {
  settings: BillingSettings;
  secrets: BillingSecrets;
} {
  return readSettings(environment, BILLING_SETTINGS);
}
