import {
  databaseUrlSetting,
  type Environment,
  integerSetting,
  processSettings,
  readSettings,
  redisUrlSetting,
  type SettingValues,
  webhookAddressesSetting,
} from "@diegetic/service-kit";

const settings = {
  ...processSettings("billing"),
  /** Maximum concurrent jobs of this process: being written together, waiting, or being acknowledged. */
  webhookAddresses: webhookAddressesSetting,
  webhookTimeoutSeconds: integerSetting("WEBHOOK_TIMEOUT_SECONDS", { min: 1, max: 30, fallback: 10 }),
  /** Pause before the second of twelve attempts; each further one is twice as long. */
  webhookRetryMs: integerSetting("WEBHOOK_RETRY_MS", { min: 1, max: 600_000, fallback: 30_000 }),
  webhookRetentionDays: integerSetting("WEBHOOK_RETENTION_DAYS", { min: 1, max: 365, fallback: 30 }),
  billingConcurrency: integerSetting("BILLING_CONCURRENCY", { min: 1, max: 128, fallback: 96 }),
};

const secrets = { redisUrl: redisUrlSetting, databaseUrl: databaseUrlSetting };

export type BillingSettings = SettingValues<typeof settings>;
export type BillingSecrets = SettingValues<typeof secrets>;

/** Throws SettingsError. */
export function readBillingSettings(environment: Environment): {
  settings: BillingSettings;
  secrets: BillingSecrets;
} {
  return readSettings(environment, { settings, secrets });
}
