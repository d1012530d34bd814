import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectRedis } from "@diegetic/hot-state";
import { startTestRedis } from "@diegetic/testing/redis";
import { describe, expect, it } from "@jest/globals";
import { faultsOf } from "../nemesis/nemesis.ts";
import { type Patch, REDIS_CLOCK, RESTORE_GATE, replaceOnce, SAFEGUARDS } from "./safeguards.mjs";

const ROOT = new URL("../../../", import.meta.url);
const CHECKER = new URL("../checker/", import.meta.url);
const COMPILE = "local chunk, problem = loadstring(ARGV[1]) return problem or 'fine'";

/** Scripts lie in one package, modules in the services and in what they have in common. */
function urlOf(file: string): URL {
  const dir = file.endsWith(".lua")
    ? "packages/hot-state"
    : file.startsWith("/service-kit/")
      ? "packages"
      : "services";
  return new URL(dir + file, ROOT);
}

/** Each patched file as it is without the safeguard, under a name that says which. */
const patched = [
  ...Object.entries(SAFEGUARDS),
  ["clock-of-redis", { patches: [REDIS_CLOCK] }] as const,
  ["gate-of-restores", { patches: [RESTORE_GATE] }] as const,
].flatMap(([name, { patches }]) =>
  [...new Set(patches.map(({ file }) => file))].map((file) => {
    const own: Patch[] = patches.filter((patch) => patch.file === file);
    const text = own.reduce(replaceOnce, readFileSync(urlOf(file), "utf8"));
    return { name: `${name}-${basename(file)}`, text };
  }),
);

/** npm run faults:bite verifies that the suite fails without them. */
describe("safeguards that the fault suite is tried without", () => {
  it.each(Object.entries(SAFEGUARDS))("%s stands where its patch takes it out", (_name, { patches }) => {
    expect(patches).not.toHaveLength(0);
    for (const patch of patches) {
      const text = readFileSync(urlOf(patch.file), "utf8");
      expect(replaceOnce(text, patch)).not.toBe(text);
    }
  });

  it.each(Object.entries(SAFEGUARDS))("%s has faults and a check that exist", (_name, safeguard) => {
    const names = faultsOf("single").map(({ name }) => name);
    for (const part of safeguard.faults) expect(names).toContainEqual(expect.stringContaining(part));
    const files = [...readdirSync(CHECKER), "../suite.ts"];
    const sources = files.map((file) => readFileSync(new URL(file, CHECKER), "utf8"));
    expect(sources.join("\n")).toContain(`"${safeguard.noticedBy}"`);
  });

  it("leaves modules that parse and name nothing that is not there", () => {
    const dir = mkdtempSync(join(tmpdir(), "diegetic-patched-"));
    try {
      for (const { name, text } of patched) if (name.endsWith(".js")) writeFileSync(join(dir, name), text);
      const biome = fileURLToPath(new URL("node_modules/.bin/biome", ROOT));
      const lint = spawnSync(biome, ["lint", "--only=correctness/noUndeclaredVariables", dir], {
        cwd: dir,
        encoding: "utf8",
      });
      expect(`${lint.stdout}${lint.stderr}`).toMatch(/^Checked [1-9]\d* files? in .*No fixes applied\.\s*$/);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it("leaves scripts that compile", async () => {
    const server = await startTestRedis();
    const redis = connectRedis(server.url, { name: "compile" });
    try {
      for (const { name, text } of patched) {
        if (!name.endsWith(".lua")) continue;
        expect([name, await redis.eval(COMPILE, 0, text)]).toEqual([name, "fine"]);
      }
    } finally {
      redis.disconnect();
      await server.stop();
    }
  });
});
