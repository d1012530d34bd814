import {
  choiceSetting,
  integerSetting,
  originSetting,
  pathPrefixSetting,
  rateLimitSetting,
  textSetting,
  trustedProxiesSetting,
} from "./settings.ts";

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** What every process reads; ports of 0 mean any free port. `instanceName` tells processes of one service apart. */
export function processSettings(serviceName: string) {
  return {
    host: textSetting("HOST", { fallback: "127.0.0.1", maxLength: 255 }),
    metricsPort: integerSetting("METRICS_PORT", { min: 0, max: 65_535, fallback: 0 }),
    instanceName: textSetting("INSTANCE_NAME", { fallback: serviceName, maxLength: 100 }),
    logLevel: choiceSetting("LOG_LEVEL", logLevels, "info"),
  };
}

/** Whom `X-Forwarded-For` is believed unless told otherwise: nobody but this machine. */
const DEFAULT_TRUSTED_PROXIES: readonly string[] = ["loopback"];

/** What a service with an HTTP API reads on top. */
export const apiSettings = {
  port: integerSetting("PORT", { min: 0, max: 65_535, fallback: 0 }),
  basePath: pathPrefixSetting("BASE_PATH", "/api"),
  /** Where browsers find the service. */
  publicUrl: originSetting("PUBLIC_URL"),
  trustedProxies: trustedProxiesSetting("TRUSTED_PROXIES", DEFAULT_TRUSTED_PROXIES),
  requestsAtATime: integerSetting("MAX_CONCURRENT_REQUESTS", { min: 1, max: 100_000, fallback: 2_000 }),
};

/** Requests per minute and key (docs/behaviour.md#rate-limits). */
export const rateLimitSettings = {
  rateLimitMatch: rateLimitSetting("RATE_LIMIT_MATCH", 1_000),
  rateLimitImpressions: rateLimitSetting("RATE_LIMIT_IMPRESSIONS", 1_000),
  rateLimitManagement: rateLimitSetting("RATE_LIMIT_MANAGEMENT", 100),
  rateLimitAnalytics: rateLimitSetting("RATE_LIMIT_ANALYTICS", 60),
  rateLimitExplain: rateLimitSetting("RATE_LIMIT_EXPLAIN", 60),
  /** All keys of an account together have this many times the limit of one. */
  rateLimitAccountFactor: integerSetting("RATE_LIMIT_ACCOUNT_FACTOR", { min: 1, max: 1_000, fallback: 10 }),
};

/** How players and their sessions are told apart; the same on every process that looks at them, for good. */
export const playerSettings = {
  /** After so long without a match request a player session without session_id ends (docs/behaviour.md#matching). */
  sessionIdleSeconds: integerSetting("SESSION_IDLE_SECONDS", { min: 1, max: 86_400, fallback: 1_800 }),
  /** Likewise with session_id. */
  namedSessionIdleSeconds: integerSetting("NAMED_SESSION_IDLE_SECONDS", {
    min: 1,
    max: 86_400,
    fallback: 21_600,
  }),
};

/** Key of the hash under which player ids are stored. */
export const playerHashKeySetting = textSetting("PLAYER_HASH_KEY", { minLength: 32 });

/** Key of the signatures of session cookies. */
export const authSecretSetting = textSetting("AUTH_SECRET", { minLength: 32 });
