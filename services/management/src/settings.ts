import {
  apiSettings,
  databaseUrlSetting,
  type Environment,
  playerHashKeySetting,
  playerSettings,
  processSettings,
  rateLimitSettings,
  readSettings,
  redisUrlSetting,
} from "@diegetic/service-kit";

const SERVICE_NAME = "management";

/** Reads and checks the environment of the service; throws SettingsError. The addresses of the stores are secrets. */
export function readManagementSettings(environment: Environment) {
  const { settings, secrets } = readSettings(environment, {
    settings: { ...processSettings(SERVICE_NAME), ...apiSettings, ...rateLimitSettings, ...playerSettings },
    secrets: {
      databaseUrl: databaseUrlSetting,
      redisUrl: redisUrlSetting,
      playerHashKey: playerHashKeySetting,
    },
  });
  return { ...settings, secrets };
}

export type ManagementSettings = ReturnType<typeof readManagementSettings>;
