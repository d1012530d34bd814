/** Generates the Prisma client if it is missing or older than the schema. Needs no network, because it uses no native engine. */
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const schema = fileURLToPath(new URL("../prisma/schema.prisma", import.meta.url));
const client = fileURLToPath(new URL("../packages/database/src/generated/client.ts", import.meta.url));

if (!existsSync(client) || statSync(client).mtimeMs < statSync(schema).mtimeMs) {
  const prisma = createRequire(import.meta.url).resolve("prisma/build/index.js");
  const run = spawnSync(process.execPath, [prisma, "generate", "--no-hints", `--schema=${schema}`], {
    cwd: root,
    encoding: "utf8",
    env: {
      ...process.env,
      // Any executable works: generating runs no engine, but without this setting Prisma tries to download one.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      CHECKPOINT_DISABLE: "1",
      PRISMA_HIDE_UPDATE_MESSAGE: "1",
    },
  });
  if (run.status !== 0) {
    process.stderr.write(`Generating the database client failed.\n${run.stdout}${run.stderr}`);
    process.exit(1);
  }
}
