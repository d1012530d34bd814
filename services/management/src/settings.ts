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
  webhookAddressesSetting,
} from "@diegetic/service-kit";

export const SIGN_UP_MODES = ["open", "invited"] as const;

export const MANAGEMENT_SETTINGS = {
  settings: {
    ...processSettings("management"),
    ...apiSettings,
    ...rateLimitSettings,
    ...playerSettings,
    /** Sign-in and sign-up attempts per minute, for each client address and each known browser of a user. */
    rateLimitSignIn: rateLimitSetting("RATE_LIMIT_SIGN_IN", 10),
    /** Who may sign up once there is an operator. */
    signUp: choiceSetting("SIGN_UP", SIGN_UP_MODES, "open"),
    webhookAddresses: webhookAddressesSetting,
  },
  secrets: {
    databaseUrl: databaseUrlSetting,
    redisUrl: redisUrlSetting,
    playerHashKey: playerHashKeySetting,
    authSecret: authSecretSetting,
    /** Token for the first sign-up; empty: the first sign-up must come from this machine. */
    setupToken: textSetting("SETUP_TOKEN", { fallback: "", minLength: 16, maxLength: 200 }),
    /** The key with which browsers play the demo game; empty: no demo. */
    demoGameKey: textSetting("DEMO_GAME_KEY", { fallback: "", maxLength: 100 }),
  },
};

/** Reads and validates the environment; throws SettingsError. Addresses of stores are secrets. */
export function readManagementSettings(environment: Environment) {
  const { settings, secrets } = readSettings(environment, MANAGEMENT_SETTINGS);
  return { ...settings, secrets };
}

export type ManagementSettings = ReturnType<typeof readManagementSettings>;
