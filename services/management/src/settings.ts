import {
  apiSettings,
  authSecretSetting,
  choiceSetting,
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

export const SIGN_UP_MODES = ["open", "invited"] as const;

const SERVICE_NAME = "management";

/** Reads and checks the environment of the service; throws SettingsError. The addresses of the stores are secrets. */
export function readManagementSettings(environment: Environment) {
  const { settings, secrets } = readSettings(environment, {
    settings: {
      ...processSettings(SERVICE_NAME),
      ...apiSettings,
      ...rateLimitSettings,
      ...playerSettings,
      /** Attempts to sign in or up a minute, for each client address and each browser that a user is known by. */
      rateLimitSignIn: rateLimitSetting("RATE_LIMIT_SIGN_IN", 10),
      /** Who may sign up once there is an operator. */
      signUp: choiceSetting("SIGN_UP", SIGN_UP_MODES, "open"),
    },
    secrets: {
      databaseUrl: databaseUrlSetting,
      redisUrl: redisUrlSetting,
      playerHashKey: playerHashKeySetting,
      authSecret: authSecretSetting,
      /** What the first sign-up has to know; empty: it has to come from this machine. */
      setupToken: textSetting("SETUP_TOKEN", { fallback: "", minLength: 16, maxLength: 200 }),
      /** The key with which browsers play the demo game; empty: there is none. */
      demoGameKey: textSetting("DEMO_GAME_KEY", { fallback: "", maxLength: 100 }),
    },
  });
  return { ...settings, secrets };
}

export type ManagementSettings = ReturnType<typeof readManagementSettings>;
