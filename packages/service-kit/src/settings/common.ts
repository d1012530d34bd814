import {
  choiceSetting,
  integerSetting,
  originSetting,
  pathPrefixSetting,
  rateLimitSetting,
  type SettingValues,
  textSetting,
  trustedProxiesSetting,
} from "./settings.ts";
import { tracingSettings } from "./tracing.ts";

const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** Settings of every process. Port 0 means any free port. `instanceName` distinguishes processes of one service. */
export function processSettings(serviceName: string) {
  return {
    host: textSetting("HOST", { fallback: "127.0.0.1", maxLength: 255 }),
    metricsPort: integerSetting("METRICS_PORT", { min: 0, max: 65_535, fallback: 0 }),
    instanceName: textSetting("INSTANCE_NAME", { fallback: serviceName, maxLength: 100 }),
    logLevel: choiceSetting("LOG_LEVEL", logLevels, "info"),
    ...tracingSettings(serviceName),
  };
}

/** Further settings of a service with an HTTP API. */
export const apiSettings = {
  port: integerSetting("PORT", { min: 0, max: 65_535, fallback: 0 }),
  basePath: pathPrefixSetting("BASE_PATH", "/api"),
  /** The origin at which browsers reach the service. */
  publicUrl: originSetting("PUBLIC_URL"),
  /** Default: only this machine. */
  trustedProxies: trustedProxiesSetting("TRUSTED_PROXIES", ["loopback"]),
  maxConcurrentRequests: integerSetting("MAX_CONCURRENT_REQUESTS", { min: 1, max: 100_000, fallback: 2_000 }),
};

/** Requests per minute and key (docs/behaviour.md#rate-limits). */
export const rateLimitSettings = {
  rateLimitMatch: rateLimitSetting("RATE_LIMIT_MATCH", 1_000),
  rateLimitImpressions: rateLimitSetting("RATE_LIMIT_IMPRESSIONS", 1_000),
  rateLimitManagement: rateLimitSetting("RATE_LIMIT_MANAGEMENT", 100),
  rateLimitAnalytics: rateLimitSetting("RATE_LIMIT_ANALYTICS", 60),
  rateLimitExplain: rateLimitSetting("RATE_LIMIT_EXPLAIN", 60),
  /** The limit of all keys of an account together, as a multiple of the limit of one key. */
  rateLimitAccountFactor: integerSetting("RATE_LIMIT_ACCOUNT_FACTOR", { min: 1, max: 1_000, fallback: 10 }),
};

/** The options of `createApp` that settings name. */
export function apiOptions(settings: SettingValues<typeof apiSettings & typeof rateLimitSettings>) {
  const { basePath, publicUrl, trustedProxies, maxConcurrentRequests, rateLimitAccountFactor } = settings;
  return {
    basePath,
    publicUrl,
    trustedProxies,
    maxConcurrentRequests,
    rateLimits: {
      match: settings.rateLimitMatch,
      impressions: settings.rateLimitImpressions,
      management: settings.rateLimitManagement,
      analytics: settings.rateLimitAnalytics,
      explain: settings.rateLimitExplain,
    },
    rateLimitAccountFactor,
  };
}

/** How players and player sessions are identified. Must be equal in all processes. */
export const playerSettings = {
  /** A player session without session_id ends after this time without a match request (docs/behaviour.md#player-sessions). */
  sessionIdleSeconds: integerSetting("SESSION_IDLE_SECONDS", { min: 1, max: 86_400, fallback: 1_800 }),
  /** The same for a player session with session_id. */
  namedSessionIdleSeconds: integerSetting("NAMED_SESSION_IDLE_SECONDS", {
    min: 1,
    max: 86_400,
    fallback: 21_600,
  }),
};

/** HMAC key of stored player ids. */
export const playerHashKeySetting = textSetting("PLAYER_HASH_KEY", { minLength: 32 });

/** Signing key of session cookies. */
export const authSecretSetting = textSetting("AUTH_SECRET", { minLength: 32 });

/** Where webhooks may lead. `public`: https to public addresses; `any`: http and private addresses as well. */
export type WebhookAddresses = "public" | "any";

export const webhookAddressesSetting = choiceSetting("WEBHOOK_ADDRESSES", ["public", "any"], "public");
