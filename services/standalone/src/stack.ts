import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  processIdentity,
  type RunningStore,
  type StartOptions,
  startPostgres,
  startRedis,
} from "@diegetic/local-stores";
import { MATCH_NODE_OPTIONS } from "@diegetic/match";
import { isLoopbackHost } from "@diegetic/service-kit";
import { rotateLeftoverLogs } from "./data-directory/leftover-logs.ts";
import type { StackSecrets } from "./data-directory/secrets.ts";
import { type StackDescription, type StackProcess, writeStackFile } from "./data-directory/stack-file.ts";
import type { Targets, TargetsMessage } from "./front/targets.ts";
import type { PreparedStores } from "./prepare-stores.ts";
import { hostInUrl, type StackSettings } from "./settings.ts";
import { launchService, type ServiceProcess } from "./supervise/service-process.ts";
import { type Launched, Supervised } from "./supervise/supervised.ts";

const FRONT = "front";

export interface StackOptions {
  settings: StackSettings;
  secrets: StackSecrets;
  /** Token for the first sign-up; empty: none required. */
  setupToken: string;
  /** One line for the terminal. */
  say(line: string): void;
}

export interface StartedStack extends PreparedStores {
  description: StackDescription;
}

/**
 * Runs all services on this machine, each as its own process: starts them in dependency order, restarts crashed ones, keeps
 * `stack.json` current, and stops them in reverse order.
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
  /** The key of the game at `/play`; empty: the stack runs without the demo. */
  #playKey = "";
  #ready = false;
  #stopping: Promise<void> | undefined;

  constructor(options: StackOptions) {
    this.#options = options;
    const { settings } = options;
    const playerHashKey = () => ({ PLAYER_HASH_KEY: options.secrets.playerHashKey });
    const numbers = Array.from({ length: settings.matchInstances }, (_, index) => index + 1);
    this.#front = this.#service(FRONT, import.meta.resolve("@diegetic/standalone/front"), () => ({
      HOST: settings.host,
    }));
    this.#match = numbers.map((number) =>
      this.#service(
        `match-${number}`,
        import.meta.resolve("@diegetic/match/main"),
        playerHashKey,
        MATCH_NODE_OPTIONS,
      ),
    );
    const databaseUrl = () => ({ DATABASE_URL: this.#databaseUrl });
    this.#billing = this.#service("billing", import.meta.resolve("@diegetic/billing/main"), databaseUrl);
    this.#management = this.#service("management", import.meta.resolve("@diegetic/management/main"), () => ({
      ...databaseUrl(),
      ...playerHashKey(),
      AUTH_SECRET: options.secrets.authSecret,
      SETUP_TOKEN: options.setupToken,
      // Everyone who can open the page gets this key, so there is none when other machines can reach it.
      DEMO_GAME_KEY: isLoopbackHost(settings.host) ? this.#playKey : "",
    }));
    const dir = (name: string) => join(settings.dataDir, name);
    if (settings.redisUrl === undefined) {
      this.#redis = this.#store("redis", (start) =>
        startRedis({ dir: dir("redis"), appendonly: true, ...start }),
      );
    }
    if (settings.databaseUrl === undefined) {
      this.#postgres = this.#store("postgres", (start) => startPostgres({ dir: dir("postgres"), ...start }));
    }
  }

  /** Resolves when every service is ready. After a rejection the caller must still call `stop`. */
  async start(): Promise<StartedStack> {
    const { settings, secrets, say } = this.#options;
    mkdirSync(this.#logDir(), { recursive: true, mode: 0o700 });
    rotateLeftoverLogs(this.#logDir(), settings.matchInstances);
    if (settings.databaseUrl !== undefined || settings.redisUrl !== undefined) {
      await (await import("./stores.ts")).expectUsable(settings);
    }
    say("Starting Postgres and Redis …");
    const [postgres, [redis, { prepareStores }]] = await Promise.all([
      this.#postgres?.start(),
      this.#startRedisAndLoad(),
      this.#front.start(),
    ]);
    this.#databaseUrl = settings.databaseUrl ?? postgres?.url ?? "";
    this.#redisUrl = settings.redisUrl ?? redis?.url ?? "";
    say("Bringing the database up to date …");
    const stores = { databaseUrl: this.#databaseUrl, redisUrl: this.#redisUrl };
    const { demoSecret } = secrets;
    const prepared = await prepareStores(stores, { withDemo: settings.demo, demoSecret, say });
    this.#playKey = prepared.demo?.playKey ?? "";
    say("Starting management, match and billing …");
    await Promise.all([
      this.#management.start(),
      this.#billing.start(),
      ...this.#match.map((instance) => instance.start()),
    ]);
    this.#ready = true;
    this.#updateTargets();
    return { ...prepared, description: this.describe() };
  }

  /** The modules that prepare the stores load for as long as Postgres takes to start. */
  async #startRedisAndLoad() {
    const redis = await this.#redis?.start();
    return [redis, await import("./prepare-stores.ts")] as const;
  }

  /** Stops everything that was started, in an order that loses nothing; a second call waits for the first. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopInOrder();
    return this.#stopping;
  }

  describe(): StackDescription {
    const { basePath, host } = this.#options.settings;
    const api = (service: Supervised<ServiceProcess>) => `${originOf(service)}${basePath}`;
    return {
      baseUrl: `http://${hostInUrl(host)}:${this.#front.last?.port}${basePath}`,
      managementUrl: api(this.#management),
      matchUrls: this.#match.map(api),
      databaseUrl: this.#databaseUrl,
      redisUrl: this.#redisUrl,
      processes: [
        ...[this.#front, this.#management, ...this.#match, this.#billing].map((service) => ({
          name: service.name,
          ...processOf(service),
          metricsUrl: `http://127.0.0.1:${service.last?.metricsPort}/metrics`,
        })),
        ...[this.#redis, this.#postgres]
          .filter((store) => store !== undefined)
          .map((store) => ({ name: store.name, ...processOf(store), metricsUrl: null })),
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
      // A restarted service keeps its ports, so that its addresses stay valid, unless another process took them.
      const ports = attempt === 0 ? previous : undefined;
      const isFront = name === FRONT;
      const environment = {
        HOST: "127.0.0.1",
        PORT: String(ports?.port ?? (isFront ? settings.port : 0)),
        METRICS_PORT: String(ports?.metricsPort ?? 0),
        INSTANCE_NAME: name,
        // The services' only client is the front on this machine.
        TRUSTED_PROXIES: "loopback",
        // Only services that use the address get it; empty means unset.
        DATABASE_URL: "",
        PLAYER_HASH_KEY: "",
        AUTH_SECRET: "",
        SETUP_TOKEN: "",
        DEMO_GAME_KEY: "",
        REDIS_URL: this.#redisUrl,
        ...ownEnvironment(),
      };
      return launchService({
        name,
        entry: fileURLToPath(entryUrl),
        nodeOptions,
        environment,
        logFile: join(this.#logDir(), `${name}.log`),
        isRestart: previous !== undefined,
        // The front becomes ready after the other services, which start after it.
        untilReady: !isFront,
        signal,
      });
    });
  }

  #store(
    name: string,
    launch: (start: StartOptions & { port?: number }) => Promise<RunningStore>,
  ): Supervised<RunningStore> {
    const onProgress = this.#options.say;
    return this.#supervise<RunningStore>(name, ({ previous, signal }) =>
      launch({ signal, onProgress, ...(previous === undefined ? {} : { port: previous.port }) }),
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
        try {
          this.#updateTargets();
        } catch (error) {
          // A full disk must not end what runs.
          say(`stack.json could not be updated: ${(error as Error).message}`);
        }
      },
      onFailedRestart: (error) => say(`${name} could not be restarted: ${(error as Error).message}`),
    });
  }

  /** Updates the targets of the front, and `stack.json`. */
  #updateTargets(): void {
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

function processOf({ last }: Supervised<Launched>): Pick<StackProcess, "pid" | "identity"> {
  const pid = last?.pid ?? 0;
  return { pid, identity: processIdentity(pid) };
}

function originOf(service: Supervised<ServiceProcess>): string {
  return `http://127.0.0.1:${service.last?.port}`;
}
