import {
  databaseUrlSetting,
  type Environment,
  integerSetting,
  processSettings,
  readSettings,
  redisUrlSetting,
  type SettingValues,
} from "@diegetic/service-kit";

const settings = {
  ...processSettings("billing"),
  /** Maximum concurrent jobs of this process: being written together, waiting, or being acknowledged. */
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
