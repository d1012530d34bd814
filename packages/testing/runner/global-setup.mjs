import { randomBytes } from "node:crypto";
import { mkdtemp, rm, statfs } from "node:fs/promises";
import { createServer } from "node:http";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { RedisServers } from "./redis-servers.mjs";
import { isTracing, TRACED_POSTGRES, tracePostgres } from "./trace-stores.mjs";

/** A file system in memory, on Linux. */
const MEMORY_FILE_SYSTEM = "/dev/shm";
/** Ten times what the databases of concurrent test files take. */
const MIN_FREE_BYTES = 4 * 1_024 ** 3;

/**
 * Jest's globalSetup: serves databases and Redis servers to test files at a local address (see database.ts and
 * redis.ts). Each kind starts on the first request, so pure tests start none.
 */
export default async function globalSetup() {
  let starting;
  const redisServers = new RedisServers();
  const answer = async ({ method, url }) => {
    const [kind, name = ""] = url.slice(1).split("/").map(decodeURIComponent);
    if (kind === "redis" || kind === "redis-clusters") {
      if (method === "POST") return kind === "redis" ? redisServers.take() : redisServers.takeCluster();
      await redisServers.stop(name);
      return {};
    }
    starting ??= startPostgresWithTemplate();
    const databases = await starting;
    if (method === "POST") return databases.create();
    await databases.drop(name);
    return {};
  };
  const server = createServer((request, response) => {
    answer(request).then(
      (body) => response.end(JSON.stringify(body)),
      (error) => response.writeHead(500).end(String(error?.stack ?? error)),
    );
  });
  // A kept-alive connection must not end when a test file reuses it.
  server.keepAliveTimeout = 0;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  process.env.DIEGETIC_TEST_STORES = `http://127.0.0.1:${server.address().port}`;
  globalThis.stopTestStores = async () => {
    server.close();
    server.closeAllConnections();
    await redisServers.stopAll();
    await (await starting?.catch(() => undefined))?.stop();
  };
}

async function startPostgresWithTemplate() {
  const { startPostgres } = await import("@diegetic/local-stores");
  const { migrate } = await import("@diegetic/database");
  const { default: pg } = await import("pg");
  const dir = await mkdtemp(join(await databasesDirectory(), "diegetic-test-postgres-"));
  // Far from UTC, which all times must be read and written in, whatever the server's zone.
  const settings = [
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "timezone=Pacific/Kiritimati",
  ];
  if (isTracing) settings.push(...TRACED_POSTGRES);
  const postgres = await startPostgres({ dir, settings });
  const removeAll = async () => {
    await postgres.stop();
    await rm(dir, { recursive: true, force: true });
  };
  try {
    // The template is the server's first database; copying requires that nothing is connected to it.
    if (migrate !== undefined) await migrate(postgres.url);
  } catch (error) {
    await removeAll();
    throw error;
  }
  if (isTracing) tracePostgres(join(dir, "postgres.log"));
  const template = new URL(postgres.url).pathname.slice(1);
  const withDatabase = (name) => Object.assign(new URL(postgres.url), { pathname: `/${name}` }).toString();
  const admin = new pg.Pool({ connectionString: withDatabase("postgres"), max: 1 });
  admin.on("error", () => {}); // The end of the server may overtake the end of the idle connection.
  return {
    async create() {
      const name = `test_${randomBytes(8).toString("hex")}`;
      // By default Postgres writes all of a copy to its log, which takes two to eight times as long.
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
      await becomeInstallation(pg, withDatabase(name));
      return { name, url: withDatabase(name) };
    },
    drop: (name) => admin.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`),
    async stop() {
      await admin.end();
      await removeAll();
    },
  };
}

/** In memory where there is room: ext4 creates files ever more slowly while databases come and go (docs/notes/test-time.md). */
async function databasesDirectory() {
  if (freemem() < MIN_FREE_BYTES) return tmpdir();
  const room = await statfs(MEMORY_FILE_SYSTEM).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return room < MIN_FREE_BYTES ? tmpdir() : MEMORY_FILE_SYSTEM;
}

/** A copy has the template's installation id, so each copy gets a new one, as a separately migrated database would. */
async function becomeInstallation(pg, connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query("UPDATE installation SET id = $1", [`inst_${randomBytes(16).toString("hex")}`]);
  } finally {
    await client.end();
  }
}
