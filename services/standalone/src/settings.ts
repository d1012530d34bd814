import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readBillingSettings } from "@diegetic/billing/settings";
import { readManagementSettings } from "@diegetic/management/settings";
import { readMatchSettings } from "@diegetic/match/settings";
import {
  apiSettings,
  choiceSetting,
  databaseUrlSetting,
  type Environment,
  integerSetting,
  isLoopbackHost,
  optional,
  readOptions,
  readSettings,
  redisUrlSetting,
  SettingsError,
  textSetting,
  UsageError,
} from "@diegetic/service-kit";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));
const MAX_MATCH_INSTANCES = 32;
export const START_USAGE = `Usage: npm start [-- --match-instances N]
Runs the whole product on this machine until Ctrl-C, with N match instances: 1 to ${MAX_MATCH_INSTANCES}, 1 by default. Settings (environment): PORT, BASE_PATH, DATA_DIR, DEMO and more in docs/operating.md.`;

export interface StackSettings {
  /** Address and port of the front; everything else listens on 127.0.0.1. */
  host: string;
  port: number;
  basePath: string;
  /** Absolute path. */
  dataDir: string;
  /** Undefined: the embedded store. */
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  demo: boolean;
  /** Other machines may reach the front. */
  isReachable: boolean;
  /** Token for the first sign-up; empty: the stack creates one when other machines can reach it. */
  setupToken: string;
  matchInstances: number;
}

/** The stores that the operator sets; undefined: the stack's own. Addresses may contain passwords. */
export const STORE_SETTINGS = {
  databaseUrl: optional(databaseUrlSetting),
  redisUrl: optional(redisUrlSetting),
};

/** Settings that the stack overrides for its services; read here only for validation. */
const GIVEN_TO_SERVICES = {
  HOST: "127.0.0.1",
  PORT: "0",
  METRICS_PORT: "0",
  INSTANCE_NAME: "service",
  TRUSTED_PROXIES: "loopback",
  DATABASE_URL: "postgres://127.0.0.1/given",
  REDIS_URL: "redis://127.0.0.1",
  PLAYER_HASH_KEY: "given".repeat(8),
  DEMO_GAME_KEY: "",
  AUTH_SECRET: "given".repeat(8),
};

/**
 * Reads the environment and the command line of `npm start` before anything is started, including settings that only a
 * service uses. Throws SettingsError with a sentence for every problem, or UsageError when the command line is wrong too.
 */
export function readStackSettings(environment: Environment, args: string[]): StackSettings | "help" {
  const problems = new Set<string>();
  let isWrongUse = false;
  const read = <T>(reader: () => T): T | undefined => {
    try {
      return reader();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      for (const problem of error.problems) problems.add(problem);
      isWrongUse ||= error instanceof UsageError;
      return undefined;
    }
  };
  const own = read(() => readOwnSettings(environment));
  const dataDir = read(() => readDataDir(environment));
  const options = read(() => readOptions(args, START_OPTIONS, ""));
  if (options === "help") return "help";
  for (const reader of [readManagementSettings, readMatchSettings, readBillingSettings]) {
    read(() => reader({ ...environment, ...GIVEN_TO_SERVICES }));
  }
  if (own === undefined || dataDir === undefined || options === undefined || problems.size > 0) {
    throw isWrongUse ? new UsageError([...problems], START_USAGE) : new SettingsError([...problems]);
  }
  return { ...own, dataDir, ...options };
}

function readOwnSettings(environment: Environment): Omit<StackSettings, "dataDir" | "matchInstances"> {
  const { settings, secrets } = readSettings(environment, {
    settings: {
      host: textSetting("HOST", { fallback: "127.0.0.1", maxLength: 255 }),
      port: integerSetting("PORT", { min: 0, max: 65_535, fallback: 8080 }),
      basePath: apiSettings.basePath,
      demo: choiceSetting("DEMO", ["0", "1"], "1"),
      publicUrl: apiSettings.publicUrl,
    },
    secrets: { ...STORE_SETTINGS, setupToken: textSetting("SETUP_TOKEN", { fallback: "", maxLength: 200 }) },
  });
  const { publicUrl, ...own } = settings;
  const publicHost = publicUrl === undefined ? "localhost" : new URL(publicUrl).hostname;
  const isReachable = !isLoopbackHost(own.host) || !isLoopbackHost(publicHost);
  return { ...own, ...secrets, demo: own.demo === "1", isReachable };
}

/** How URLs on this machine name the host that a server listens on. */
export function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/** DATA_DIR; a relative path is resolved against the root of the repository. */
export function readDataDir(environment: Environment): string {
  const { settings } = readSettings(environment, {
    settings: { dataDir: textSetting("DATA_DIR", { fallback: ".data", maxLength: 4_096 }) },
    secrets: {},
  });
  return isAbsolute(settings.dataDir) ? settings.dataDir : join(REPOSITORY, settings.dataDir);
}

const START_OPTIONS = {
  matchInstances: integerSetting("--match-instances", { min: 1, max: MAX_MATCH_INSTANCES, fallback: 1 }),
};
