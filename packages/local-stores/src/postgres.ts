import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { freePort } from "./free-port.ts";
import { findPostgresBinaries, type PostgresBinaries } from "./postgres-binaries.ts";
import { commandAs, findPostgresUser, type PostgresUser } from "./postgres-user.ts";
import {
  becomesReady,
  keepPreviousLog,
  type RunningStore,
  type ServerProcess,
  SetupError,
  type StartOptions,
  startServerProcess,
  stopStrayProcess,
} from "./process.ts";
import { runQuietly } from "./run.ts";

const START_ATTEMPTS = 5;
const DATABASE = "diegetic";
const SUPERUSER = "diegetic";

export interface PostgresOptions extends StartOptions {
  /** Data directory; created if missing. A server that a killed process left running in it is stopped first. */
  dir: string;
  /** Default: a free port. */
  port?: number;
  /** Further server settings, such as `["fsync=off"]`. */
  settings?: string[];
  /** Directory with the programs of another Postgres. Default: those of the npm package. */
  programs?: string;
}

/** Starts the Postgres of the npm package, only on 127.0.0.1; creates an empty database at the first start. */
export async function startPostgres(options: PostgresOptions): Promise<RunningStore> {
  const { programs } = options;
  const binaries =
    programs === undefined
      ? await findPostgresBinaries()
      : { postgres: join(programs, "postgres"), initdb: join(programs, "initdb") };
  const dir = resolve(options.dir);
  const dataDir = join(dir, "data");
  mkdirSync(dir, { recursive: true });
  const user = findPostgresUser(dir);
  const password = createPasswordOnce(join(dir, "password"));
  if (!existsSync(join(dataDir, "PG_VERSION"))) {
    options.onProgress?.("Creating the Postgres data directory (once) …");
    await createDataDirectory(binaries, user, dataDir, join(dir, "password"));
  }
  await stopLeftover(dataDir);
  const logFile = join(dir, "postgres.log");
  keepPreviousLog(logFile);
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    const server = startServer(binaries, user, dataDir, port, logFile, options.settings ?? []);
    if (await becomesReady("Postgres", server, () => isReady(server, dataDir), options)) {
      // Without TLS, also where PGSSLMODE asks for it: the server has none.
      const url = `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}?sslmode=disable`;
      return { ...server, port, url };
    }
    await server.stop();
    options.signal?.throwIfAborted();
    const log = readFileSync(logFile, "utf8").trim();
    if (attempt === START_ATTEMPTS || !mayBeUnavailable(log)) {
      throw new SetupError(
        `Postgres did not start in ${dir}: ${log.split("\n").at(-1) || "it printed nothing"}`,
      );
    }
    await new Promise((wait) => setTimeout(wait, 100 * 2 ** attempt));
  }
}

/** The port was taken meanwhile, or processes of a killed server have not yet released their shared memory. */
function mayBeUnavailable(log: string): boolean {
  return log.includes("could not bind") || log.includes("is still in use");
}

function startServer(
  binaries: PostgresBinaries,
  user: PostgresUser | undefined,
  dataDir: string,
  port: number,
  logFile: string,
  settings: string[],
): ServerProcess {
  // No Unix socket: its path is limited to about a hundred characters, the path of a data directory is not.
  const fixed = [
    `port=${port}`,
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=200",
    // The detail of a constraint violation quotes the row, for example an e-mail address.
    "log_error_verbosity=terse",
  ];
  const flags = [...fixed, ...settings].flatMap((setting) => ["-c", setting]);
  const [executable = "", ...args] = commandAs(user, binaries.postgres, ["-D", dataDir, ...flags]);
  // SIGINT is the fast shutdown of Postgres: it closes open connections instead of waiting for them.
  return startServerProcess({ executable, args, logFile, stopSignal: "SIGINT" });
}

/**
 * Checks readiness as pg_ctl does: the last line of postmaster.pid is `ready` once the server accepts connections. The
 * first line distinguishes the file of this server from a stale one.
 */
function isReady(server: ServerProcess, dataDir: string): boolean {
  const lines = readPidFile(dataDir);
  return Number(lines?.[0]) === server.pid && lines?.[7]?.trim() === "ready";
}

async function createDataDirectory(
  binaries: PostgresBinaries,
  user: PostgresUser | undefined,
  dataDir: string,
  passwordFile: string,
): Promise<void> {
  rmSync(dataDir, { recursive: true, force: true });
  const newDir = `${dataDir}.new`;
  rmSync(newDir, { recursive: true, force: true });
  mkdirSync(newDir, { mode: 0o700 });
  if (user !== undefined) {
    chownSync(newDir, user.uid, user.gid);
    chownSync(passwordFile, user.uid, user.gid);
  }
  const initdbFlags = [
    `--pgdata=${newDir}`,
    `--username=${SUPERUSER}`,
    "--auth=scram-sha-256",
    `--pwfile=${passwordFile}`,
    "--encoding=UTF8",
    "--locale=C",
    "--no-instructions",
  ];
  await runQuietly(commandAs(user, binaries.initdb, initdbFlags));
  const createDatabase = commandAs(user, binaries.postgres, [
    "--single",
    // Otherwise it goes on after an error, and exits with 0.
    "-c",
    "exit_on_error=on",
    "-D",
    newDir,
    "postgres",
  ]);
  await runQuietly(createDatabase, `CREATE DATABASE ${DATABASE}\n`);
  renameSync(newDir, dataDir);
}

async function stopLeftover(dataDir: string): Promise<void> {
  const lines = readPidFile(dataDir);
  const pid = Number(lines?.[0]);
  if (!Number.isInteger(pid) || pid <= 1 || !isServerOf(dataDir, pid)) return;
  await stopStrayProcess(pid, "SIGINT");
}

/** A pid in a stale file may belong to another process by now, also to a Postgres of another directory. */
function isServerOf(dataDir: string, pid: number): boolean {
  try {
    if (process.platform === "linux") {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(dataDir);
    }
    const ps = execFileSync("ps", ["-ww", "-o", "command=", "-p", String(pid)], { encoding: "utf8" });
    return ps.includes(dataDir);
  } catch {
    return false;
  }
}

function readPidFile(dataDir: string): string[] | undefined {
  try {
    return readFileSync(join(dataDir, "postmaster.pid"), "utf8").split("\n");
  } catch {
    return undefined;
  }
}

/** A start on a full disk leaves the file behind empty. */
function createPasswordOnce(file: string): string {
  const kept = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  if (kept !== "") return kept;
  const created = randomBytes(24).toString("base64url");
  writeFileSync(file, created, { mode: 0o600 });
  return created;
}
