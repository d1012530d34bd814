import {
  apiSettings,
  authSecretSetting,
  databaseUrlSetting,
  type Environment,
  playerHashKeySetting,
  playerSettings,
  processSettings,
  rateLimitSetting,
  rateLimitSettings,
  readSettings,
  redisUrlSetting,
  textSetting,
} from "@diegetic/service-kit";

const SERVICE_NAME = "management";

/** Reads and checks the environment of the service; throws SettingsError. The addresses of the stores are secrets. */
export function readManagementSettings(environment: Environment) {
  const { settings, secrets } = readSettings(environment, {
    settings: {
      ...processSettings(SERVICE_NAME),
      ...apiSettings,
      ...rateLimitSettings,
      ...playerSettings,
      /** Attempts to sign in or up a minute, for each client address and each user. */
      rateLimitSignIn: rateLimitSetting("RATE_LIMIT_SIGN_IN", 10),
    },
    secrets: {
      databaseUrl: databaseUrlSetting,
      redisUrl: redisUrlSetting,
      playerHashKey: playerHashKeySetting,
      authSecret: authSecretSetting,
      /** The key with which browsers play the demo game; empty: there is none. */
      demoGameKey: textSetting("DEMO_GAME_KEY", { fallback: "", maxLength: 100 }),
    },
  });
  return { ...settings, secrets };
}

export type ManagementSettings = ReturnType<typeof readManagementSettings>;
