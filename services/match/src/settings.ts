import { MAX_MATCH_AGE_MS } from "@diegetic/contracts";
import {
  apiSettings,
  type Environment,
  integerSetting,
  optional,
  playerHashKeySetting,
  playerSettings,
  processSettings,
  rateLimitSetting,
  rateLimitSettings,
  readSettings,
  redisUrlSetting,
  type SettingValues,
  schemaSetting,
} from "@diegetic/service-kit";

const DAY_SECONDS = 24 * 60 * 60;

const settings = {
  ...processSettings("match"),
  ...apiSettings,
  ...rateLimitSettings,
  ...playerSettings,
  /** Requests per minute and game, whichever key they carry (docs/behaviour.md#rate-limits). */
  rateLimitMatchPerGame: rateLimitSetting("RATE_LIMIT_MATCH_PER_GAME", "unlimited"),
  rateLimitImpressionsPerGame: rateLimitSetting("RATE_LIMIT_IMPRESSIONS_PER_GAME", "unlimited"),
  /** How long a match holds its price (docs/behaviour.md#holds). */
  holdTtlSeconds: integerSetting("HOLD_TTL_SECONDS", { min: 1, max: DAY_SECONDS, fallback: 600 }),
  /** Maximum age of a match that is billed by its match_id (docs/behaviour.md#late-impressions). */
  lateImpressionSeconds: integerSetting("LATE_IMPRESSION_SECONDS", {
    min: 1,
    max: MAX_MATCH_AGE_MS / 1_000,
    fallback: DAY_SECONDS,
  }),
  /** Without match_id, a match is billed until this time after its hold lapses (docs/behaviour.md#which-match). */
  matchWithoutIdSeconds: integerSetting("MATCH_WITHOUT_ID_SECONDS", {
    min: 0,
    max: DAY_SECONDS,
    fallback: 3_600,
  }),
};

/** Keys of match ids: the first encrypts, all of them decrypt. Undefined: PLAYER_HASH_KEY serves for both. */
const matchIdKeysSetting = optional(
  schemaSetting<[string, ...string[]]>("MATCH_ID_KEYS", {
    type: "array",
    items: { type: "string", minLength: 32 },
  }),
);

const secrets = {
  redisUrl: redisUrlSetting,
  playerHashKey: playerHashKeySetting,
  matchIdKeys: matchIdKeysSetting,
};

export const MATCH_SETTINGS = { settings, secrets };

export type MatchSettings = SettingValues<typeof settings>;
export type MatchSecrets = SettingValues<typeof secrets>;

/** Throws SettingsError. */
export function readMatchSettings(environment: Environment): {
  settings: MatchSettings;
  secrets: MatchSecrets;
} {
  return readSettings(environment, MATCH_SETTINGS);
}
