import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SetupError } from "@diegetic/local-stores";
import {
  apiSettings,
  choiceSetting,
  type Environment,
  integerSetting,
  readSettings,
  textSetting,
  urlSetting,
} from "@diegetic/service-kit";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));
const MATCH_INSTANCES_MAX = 32;
const NOT_GIVEN = "";

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
  matchInstances: number;
}

/** Reads environment and command line of `npm start`; every problem is one sentence. */
export function readStackSettings(environment: Environment, args: string[]): StackSettings {
  const { settings } = readSettings(environment, {
    settings: {
      host: textSetting("HOST", { fallback: "127.0.0.1", maxLength: 255 }),
      port: integerSetting("PORT", { min: 0, max: 65_535, fallback: 8080 }),
      basePath: apiSettings.basePath,
      databaseUrl: urlSetting("DATABASE_URL", { schemes: ["postgres", "postgresql"], fallback: NOT_GIVEN }),
      redisUrl: urlSetting("REDIS_URL", {
        schemes: ["redis", "rediss", "redis-cluster"],
        fallback: NOT_GIVEN,
      }),
      demo: choiceSetting("DEMO", ["0", "1"], "1"),
    },
    secrets: {},
  });
  return {
    ...settings,
    dataDir: readDataDir(environment),
    databaseUrl: settings.databaseUrl === NOT_GIVEN ? undefined : settings.databaseUrl,
    redisUrl: settings.redisUrl === NOT_GIVEN ? undefined : settings.redisUrl,
    demo: settings.demo === "1",
    matchInstances: readMatchInstances(args),
  };
}

/** DATA_DIR; a relative path starts at the root of the repository. */
export function readDataDir(environment: Environment): string {
  const { settings } = readSettings(environment, {
    settings: { dataDir: textSetting("DATA_DIR", { fallback: ".data", maxLength: 4_096 }) },
    secrets: {},
  });
  return isAbsolute(settings.dataDir) ? settings.dataDir : join(REPOSITORY, settings.dataDir);
}

function readMatchInstances(args: string[]): number {
  const text = matchInstancesArgument(args);
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > MATCH_INSTANCES_MAX) {
    throw new SetupError(
      `--match-instances is "${text}": it must be a whole number from 1 to ${MATCH_INSTANCES_MAX}.`,
    );
  }
  return count;
}

function matchInstancesArgument(args: string[]): string {
  try {
    const options = { "match-instances": { type: "string", default: "1" } } as const;
    return parseArgs({ args, options, allowPositionals: false }).values["match-instances"];
  } catch {
    throw new SetupError("npm start takes one option: npm start -- --match-instances N");
  }
}
