import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "@diegetic/testing/eventually";
import { itInLongForm } from "@diegetic/testing/rounds";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { startPostgres } from "./postgres.ts";
import { findPostgresBinaries, openToAll } from "./postgres-binaries.ts";
import { processIdentity, type RunningStore } from "./process.ts";
import { startRedis } from "./redis.ts";
import { redisCommand } from "./redis-command.ts";

const BUILT = fileURLToPath(new URL("../dist/index.js", import.meta.url));

let dir = "";
const started: RunningStore[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "diegetic-stores-"));
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((store) => store.stop()));
  rmSync(dir, { recursive: true, force: true });
});

async function keep(store: Promise<RunningStore>): Promise<RunningStore> {
  started.push(await store);
  return store;
}

/** Starts a store from another process, kills that process, and returns the pid of the store. */
async function startAndKillOwner(call: string): Promise<number> {
  const code = `const s = await import(${JSON.stringify(BUILT)}); console.log((await s.${call}).pid); setInterval(() => {}, 1000)`;
  const owner = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pid = await new Promise<number>((resolve) =>
    owner.stdout.once("data", (text) => resolve(Number(text))),
  );
  owner.kill("SIGKILL");
  return pid;
}

describe("a local Redis", () => {
  it("keeps every write after a kill in append-only mode, and evicts nothing", async () => {
    const first = await keep(startRedis({ dir, appendonly: true }));
    await redisCommand(first.port, "SET money 1");
    process.kill(first.pid, "SIGKILL");
    await first.exited;
    const second = await keep(startRedis({ dir, appendonly: true, port: first.port }));
    expect(second.url).toBe(first.url);
    expect(await redisCommand(second.port, "GET money")).toContain("1");
    expect(await redisCommand(second.port, "CONFIG GET maxmemory-policy")).toContain("noeviction");
    expect(await redisCommand(second.port, "CONFIG GET appendfsync")).toContain("always");
  });

  it("logs to a file that only its owner can read, even if the file existed", async () => {
    const log = join(dir, "redis.log");
    writeFileSync(log, "of an earlier start", { mode: 0o644 });
    await keep(startRedis({ dir }));
    expect(statSync(log).mode & 0o777).toBe(0o600);
  });

  it("keeps the log of the start before, which says why that server ended", async () => {
    const log = join(dir, "redis.log");
    writeFileSync(log, "Killed: out of memory", { mode: 0o644 });
    const previous = join(dir, "redis.previous.log");
    const first = await keep(startRedis({ dir }));
    expect(readFileSync(previous, "utf8")).toBe("Killed: out of memory");
    expect(statSync(previous).mode & 0o777).toBe(0o600);
    await first.stop();
    await keep(startRedis({ dir }));
    expect(readFileSync(previous, "utf8")).toContain("ready to exit");
    expect(readFileSync(log, "utf8")).not.toContain("ready to exit");
  });

  it("reports that a given port is in use", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await expect(startRedis({ dir, port })).rejects.toThrow("Redis did not start");
    server.close();
  });

  it("is not mistaken for another one that answers on its port", async () => {
    const other = await keep(startRedis({ dir: join(dir, "other") }));
    await expect(startRedis({ dir: join(dir, "own"), port: other.port })).rejects.toThrow(
      "Redis did not start",
    );
    expect(other.hasExited()).toBe(false);
  });

  it("ends with the process that started it, even when that is killed", async () => {
    const pid = await startAndKillOwner(`startRedis({ dir: ${JSON.stringify(dir)} })`);
    await eventually(() => processIdentity(pid) === undefined);
  });

  it("stops a server that still runs in its directory", async () => {
    const left = await keep(startRedis({ dir }));
    const next = await keep(startRedis({ dir }));
    await eventually(() => left.hasExited());
    expect(await redisCommand(next.port, "PING")).toContain("PONG");
  });
});

describe("a local Postgres", () => {
  /** Of a server that has stopped. Creating one takes eight times as long as copying it. */
  const created = mkdtempSync(join(tmpdir(), "diegetic-postgres-"));
  beforeAll(async () => {
    await (await startPostgres({ dir: created })).stop();
  });
  afterAll(() => rmSync(created, { recursive: true, force: true }));
  const createdIn = (place: string): string => {
    execFileSync("cp", ["-a", created, join(dir, place)]);
    return join(dir, place);
  };

  it("starts again in its directory and replaces a server that still runs", async () => {
    const own = createdIn("own");
    const left = await keep(startPostgres({ dir: own }));
    const next = await keep(startPostgres({ dir: own, port: left.port }));
    await eventually(() => left.hasExited());
    expect(next.url).toBe(left.url);
    expect(next.hasExited()).toBe(false);
  });

  it("restarts after its main process was killed", async () => {
    const own = createdIn("own");
    const first = await keep(startPostgres({ dir: own }));
    process.kill(first.pid, "SIGKILL");
    await first.exited;
    const second = await keep(startPostgres({ dir: own, port: first.port }));
    expect(second.url).toBe(first.url);
    const [pid] = readFileSync(join(own, "data", "postmaster.pid"), "utf8").split("\n");
    expect(Number(pid)).toBe(second.pid);
  });

  it("leaves the server of another directory alone whose pid is in a stale file", async () => {
    const other = await keep(startPostgres({ dir: createdIn("other") }));
    const own = createdIn("own");
    writeFileSync(join(own, "data", "postmaster.pid"), `${other.pid}\n`);
    await startPostgres({ dir: own }).catch(() => undefined);
    expect(other.hasExited()).toBe(false);
  });

  itInLongForm("starts after a start that had no space for the password", async () => {
    writeFileSync(join(dir, "password"), "");
    const { url } = await keep(startPostgres({ dir }));
    expect(new URL(url).password).not.toBe("");
  });

  itInLongForm(
    "keeps nothing of a start that could not create its database, such as on a full disk",
    async () => {
      const real = await findPostgresBinaries();
      const programs = join(dir, "programs");
      mkdirSync(programs);
      const write = (name: string, script: string) =>
        writeFileSync(join(programs, name), `#!/bin/sh\n${script} "$@"\n`, { mode: 0o755 });
      write("initdb", `exec "${real.initdb}"`);
      write("postgres", `[ "$1" = --single ] || exit 1; echo "SELECT 'no space'::int" | "${real.postgres}"`);
      await expect(startPostgres({ dir, programs })).rejects.toThrow(/^postgres failed: .*"no space"/);
      expect(existsSync(join(dir, "data"))).toBe(false);
    },
  );

  it("is reached without TLS, also where PGSSLMODE asks for it", async () => {
    const { url } = await keep(startPostgres({ dir: createdIn("own") }));
    expect(new URL(url).searchParams.get("sslmode")).toBe("disable");
  });

  it("ends with the process that started it, even when that is killed", async () => {
    const own = createdIn("own");
    const pid = await startAndKillOwner(`startPostgres({ dir: ${JSON.stringify(own)} })`);
    await eventually(() => processIdentity(pid) === undefined);
  });

  it("can be read by everybody although root's umask closed its copy", () => {
    mkdirSync(join(dir, "copy", "bin"), { recursive: true, mode: 0o700 });
    writeFileSync(join(dir, "copy", "bin", "postgres"), "", { mode: 0o700 });
    writeFileSync(join(dir, "copy", "postgres.bki"), "", { mode: 0o600 });
    openToAll(join(dir, "copy"));
    const modes = ["copy", "copy/bin", "copy/bin/postgres", "copy/postgres.bki"].map(
      (path) => statSync(join(dir, path)).mode & 0o777,
    );
    expect(modes).toEqual([0o755, 0o755, 0o755, 0o644]);
  });

  itInLongForm("runs below a directory that is closed to other users, such as a home directory", async () => {
    const closed = join(dir, "closed");
    mkdirSync(closed);
    chmodSync(closed, 0o700);
    const store = await keep(startPostgres({ dir: join(closed, "postgres") }));
    expect(store.hasExited()).toBe(false);
    expect(statSync(join(closed, "postgres", "data")).uid).not.toBe(0);
  });
});
