import { type RunningStore, startPostgres, startRedis } from "@diegetic/local-stores";
import { freePort } from "@diegetic/testing/free-port";
import { hang } from "./signals.ts";

const START_ATTEMPTS = 3;

/** A store that can be stopped and restarted on the same data and port. */
export class KillableStore {
  readonly name: string;
  /** Its data directory. */
  readonly dir: string;
  readonly #launch: (port: number) => Promise<RunningStore>;
  #running: RunningStore;

  private constructor(
    name: string,
    dir: string,
    launch: (port: number) => Promise<RunningStore>,
    running: RunningStore,
  ) {
    this.name = name;
    this.dir = dir;
    this.#launch = launch;
    this.#running = running;
  }

  static async start(
    name: string,
    dir: string,
    launch: (port: number) => Promise<RunningStore>,
  ): Promise<KillableStore> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return new KillableStore(name, dir, launch, await launch(await freePort()));
      } catch (error) {
        // Another server may have taken the port meanwhile.
        if (attempt === START_ATTEMPTS) throw error;
      }
    }
  }

  get port(): number {
    return this.#running.port;
  }

  get url(): string {
    return this.#running.url;
  }

  get pid(): number {
    return this.#running.pid;
  }

  /** Resolves when the process has ended. */
  async takeAway(signal: "SIGKILL" | "stop"): Promise<void> {
    if (signal === "stop") await this.#running.stop();
    else process.kill(this.#running.pid, "SIGKILL");
    await this.#running.exited;
  }

  /** Resolves when it answers again. */
  async bringBack(): Promise<void> {
    if (this.#running.hasExited()) this.#running = await this.#launch(this.#running.port);
  }

  /** Restarts on older data: `exchange` replaces the current data. */
  async bringBackOn(exchange: (dir: string) => void): Promise<void> {
    exchange(this.dir);
    await this.bringBack();
  }

  async hang(forMs: number): Promise<void> {
    await hang(this.#running.pid, forMs);
  }

  async stop(): Promise<void> {
    await this.#running.stop();
  }
}

/** A Redis that loses nothing when it is killed. */
export function startKillableRedis(
  dir: string,
  name = "redis",
  flags: string[] = [],
): Promise<KillableStore> {
  return KillableStore.start(name, dir, (port) => startRedis({ dir, appendonly: true, flags, port }));
}

/** Without fsync: the operating system survives the kill, and keeps what was written. */
export function startKillablePostgres(dir: string): Promise<KillableStore> {
  return KillableStore.start("postgres", dir, (port) =>
    startPostgres({ dir, settings: ["fsync=off"], port }),
  );
}
