import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RunningStore, startPostgres, startRedis } from "@diegetic/local-stores";
import { demoGameKey } from "@diegetic/management";
import { MATCH_NODE_OPTIONS } from "@diegetic/match";
import { putAwayLeftoverLogs } from "./data-directory/leftover-logs.ts";
import type { StackSecrets } from "./data-directory/secrets.ts";
import { type StackDescription, writeStackFile } from "./data-directory/stack-file.ts";
import { expectUsable } from "./external-stores.ts";
import type { Targets, TargetsMessage } from "./front/targets.ts";
import { isLoopbackHost, type StackSettings } from "./settings.ts";
import { launchService, type ServiceProcess } from "./supervise/service-process.ts";
import { type Launched, Supervised } from "./supervise/supervised.ts";

const FRONT = "front";

export interface StackOptions {
  settings: StackSettings;
  secrets: StackSecrets;
  /** What the first sign-up has to know; empty: nothing. */
  setupToken: string;
  /** Brings the database to the newest schema, and creates what has to be there before management starts. */
  prepareStores(databaseUrl: string, redisUrl: string): Promise<void>;
  /** One line for the person at the terminal. */
  say(line: string): void;
}

/**
 * The whole topology on this machine, each part its own process: starts it in the order of its dependencies, restarts
 * what dies, keeps `stack.json` true, and stops everything in the opposite order.
 */
export class Stack {
  readonly #options: StackOptions;
  readonly #front: Supervised<ServiceProcess>;
  readonly #match: Supervised<ServiceProcess>[];
  readonly #billing: Supervised<ServiceProcess>;
  readonly #management: Supervised<ServiceProcess>;
  readonly #redis: Supervised<RunningStore> | undefined;
  readonly #postgres: Supervised<RunningStore> | undefined;
  #databaseUrl = "";
  #redisUrl = "";
  #ready = false;
  #stopping: Promise<void> | undefined;

  constructor(options: StackOptions) {
    this.#options = options;
    const { settings } = options;
    const playerHashKey = () => ({ PLAYER_HASH_KEY: options.secrets.playerHashKey });
    const numbers = Array.from({ length: settings.matchInstances }, (_, index) => index + 1);
    this.#front = this.#service(FRONT, new URL("./front/main.js", import.meta.url).href, () => ({
      HOST: settings.host,
    }));
    this.#match = numbers.map((number) =>
      this.#service(`match-${number}`, mainOf("@diegetic/match"), playerHashKey, MATCH_NODE_OPTIONS),
    );
    const databaseUrl = () => ({ DATABASE_URL: this.#databaseUrl });
    this.#billing = this.#service("billing", mainOf("@diegetic/billing"), databaseUrl);
    this.#management = this.#service("management", mainOf("@diegetic/management"), () => ({
      ...databaseUrl(),
      ...playerHashKey(),
      AUTH_SECRET: options.secrets.authSecret,
      SETUP_TOKEN: options.setupToken,
      // Everybody who reaches the page gets this key: other machines get none.
      DEMO_GAME_KEY:
        settings.demo && isLoopbackHost(settings.host) ? demoGameKey(options.secrets.demoSecret) : "",
    }));
    const dir = (name: string) => join(settings.dataDir, name);
    const onProgress = options.say;
    if (settings.redisUrl === undefined) {
      this.#redis = this.#store("redis", (port) =>
        startRedis({ dir: dir("redis"), appendonly: true, onProgress, ...port }),
      );
    }
    if (settings.databaseUrl === undefined) {
      this.#postgres = this.#store("postgres", (port) =>
        startPostgres({ dir: dir("postgres"), onProgress, ...port }),
      );
    }
  }

  /** Returns when every service is ready; on failure the caller still has to `stop`. */
  async start(): Promise<StackDescription> {
    const { settings, say, prepareStores } = this.#options;
    mkdirSync(this.#logDir(), { recursive: true, mode: 0o700 });
    putAwayLeftoverLogs(this.#logDir(), settings.matchInstances);
    // First, because the most likely problem is a port in use, and it is told before anything else has started.
    await this.#front.start();
    await expectUsable(settings);
    say("Starting Postgres and Redis …");
    const [postgres, redis] = await Promise.all([this.#postgres?.start(), this.#redis?.start()]);
    this.#databaseUrl = settings.databaseUrl ?? postgres?.url ?? "";
    this.#redisUrl = settings.redisUrl ?? redis?.url ?? "";
    say("Bringing the database up to date …");
    await prepareStores(this.#databaseUrl, this.#redisUrl);
    say("Starting management, match and billing …");
    await Promise.all([
      this.#management.start(),
      this.#billing.start(),
      ...this.#match.map((instance) => instance.start()),
    ]);
    this.#ready = true;
    this.#tell();
    return this.describe();
  }

  /** Ends everything that was started, in the order in which nothing is lost; a second call waits for the first. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopInOrder();
    return this.#stopping;
  }

  describe(): StackDescription {
    const { basePath } = this.#options.settings;
    const api = (service: Supervised<ServiceProcess>) => `${originOf(service)}${basePath}`;
    return {
      baseUrl: api(this.#front),
      managementUrl: api(this.#management),
      matchUrls: this.#match.map(api),
      databaseUrl: this.#databaseUrl,
      redisUrl: this.#redisUrl,
      processes: [
        ...[this.#front, this.#management, ...this.#match, this.#billing].map((service) => ({
          name: service.name,
          pid: service.last?.pid ?? 0,
          metricsUrl: `http://127.0.0.1:${service.last?.metricsPort}/metrics`,
        })),
        ...[this.#redis, this.#postgres]
          .filter((store) => store !== undefined)
          .map((store) => ({ name: store.name, pid: store.last?.pid ?? 0, metricsUrl: null })),
      ],
    };
  }

  async #stopInOrder(): Promise<void> {
    await this.#front.stop();
    await Promise.all(this.#match.map((instance) => instance.stop()));
    await this.#billing.stop();
    await this.#management.stop();
    await this.#redis?.stop();
    await this.#postgres?.stop();
  }

  #service(
    name: string,
    entryUrl: string,
    ownEnvironment: () => Record<string, string>,
    nodeOptions: readonly string[] = [],
  ): Supervised<ServiceProcess> {
    const { settings } = this.#options;
    return this.#supervise<ServiceProcess>(name, ({ previous, attempt, signal }) => {
      // A restarted service keeps its ports, so that its addresses stay true, unless somebody has taken them.
      const ports = attempt === 0 ? previous : undefined;
      const isFront = name === FRONT;
      const environment = {
        HOST: "127.0.0.1",
        PORT: String(ports?.port ?? (isFront ? settings.port : 0)),
        METRICS_PORT: String(ports?.metricsPort ?? 0),
        INSTANCE_NAME: name,
        // The services see the front alone, which stands on this machine.
        TRUSTED_PROXIES: "loopback",
        // Only the services that use it get an address; empty is unset.
        DATABASE_URL: "",
        PLAYER_HASH_KEY: "",
        AUTH_SECRET: "",
        SETUP_TOKEN: "",
        DEMO_GAME_KEY: "",
        REDIS_URL: this.#redisUrl,
        ...ownEnvironment(),
      };
      const logFile = join(this.#logDir(), `${name}.log`);
      const entry = fileURLToPath(entryUrl);
      const isRestart = previous !== undefined;
      // The front is ready when the others are, and they start after it.
      const untilReady = !isFront;
      return launchService({
        name,
        entry,
        nodeOptions,
        environment,
        logFile,
        isRestart,
        untilReady,
        signal,
      });
    });
  }

  #store(name: string, start: (port: { port?: number }) => Promise<RunningStore>): Supervised<RunningStore> {
    return this.#supervise<RunningStore>(name, ({ previous }) =>
      start(previous === undefined ? {} : { port: previous.port }),
    );
  }

  #supervise<T extends Launched>(
    name: string,
    launch: ConstructorParameters<typeof Supervised<T>>[0]["launch"],
  ): Supervised<T> {
    const { say } = this.#options;
    return new Supervised<T>({
      name,
      launch,
      onChange: (process) => {
        say(
          process === undefined
            ? `${name} has died: restarting it …`
            : `${name} runs again (pid ${process.pid}).`,
        );
        this.#tell();
      },
      onFailedRestart: (error) => say(`${name} could not be restarted: ${(error as Error).message}`),
    });
  }

  /** Tells the front where to send requests, and readers of `stack.json` what runs. */
  #tell(): void {
    if (!this.#ready || this.#stopping !== undefined) return;
    const targets: Targets = {
      management: this.#management.current === undefined ? null : originOf(this.#management),
      match: this.#match.filter((instance) => instance.current !== undefined).map(originOf),
    };
    this.#front.current?.send({ type: "targets", targets } satisfies TargetsMessage);
    writeStackFile(this.#options.settings.dataDir, this.describe());
  }

  #logDir(): string {
    return join(this.#options.settings.dataDir, "logs");
  }
}

function originOf(service: Supervised<ServiceProcess>): string {
  return `http://127.0.0.1:${service.last?.port}`;
}

/** A service package holds its entry file beside its index. */
function mainOf(packageName: string): string {
  return new URL("./main.js", import.meta.resolve(packageName)).href;
}
