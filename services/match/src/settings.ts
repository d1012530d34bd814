import {
  apiSettings,
  type Environment,
  integerSetting,
  processSettings,
  rateLimitSetting,
  rateLimitSettings,
  readSettings,
  redisUrlSetting,
  type SettingValues,
  textSetting,
} from "@diegetic/service-kit";

const DAY_SECONDS = 24 * 60 * 60;

const settings = {
  ...processSettings("match"),
  ...apiSettings,
  ...rateLimitSettings,
  /** Requests per minute and game, whichever key they carry (semantics: Rate limits, the second set). */
  rateLimitMatchPerGame: rateLimitSetting("RATE_LIMIT_MATCH_PER_GAME", "unlimited"),
  rateLimitImpressionsPerGame: rateLimitSetting("RATE_LIMIT_IMPRESSIONS_PER_GAME", "unlimited"),
  /** How long a match holds its price (semantics: Hold lifetime). */
  holdTtlSeconds: integerSetting("HOLD_TTL_SECONDS", { min: 1, max: DAY_SECONDS, fallback: 600 }),
  /** After so long without a match request a player session without session_id ends. */
  sessionIdleSeconds: integerSetting("SESSION_IDLE_SECONDS", { min: 1, max: DAY_SECONDS, fallback: 1_800 }),
};

const secrets = {
  redisUrl: redisUrlSetting,
  /** Key of the hash under which player ids are stored; the same on every instance, for good. */
  playerHashKey: textSetting("PLAYER_HASH_KEY", { minLength: 32 }),
};

export type MatchSettings = SettingValues<typeof settings>;
export type MatchSecrets = SettingValues<typeof secrets>;

/** Throws SettingsError. */
export function readMatchSettings(environment: Environment): {
  settings: MatchSettings;
  secrets: MatchSecrets;
} {
  return readSettings(environment, { settings, secrets });
}
