import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const CONFIG = join(ROOT, ".dependency-cruiser.cjs");
const CRUISER = join(ROOT, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");

interface CruiseResult {
  modules: { source: string; dependencies: { resolved: string }[] }[];
  summary: { violations: { rule: { name: string }; from: string }[] };
}

/** Runs dependency-cruiser with the real configuration on a tree. It exits with an error when there are violations. */
function cruise(directory: string, paths: string[]): Promise<CruiseResult> {
  const args = [CRUISER, ...paths, "--config", CONFIG, "--output-type", "json"];
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      args,
      { cwd: directory, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (stdout.startsWith("{")) resolve(JSON.parse(stdout));
        else reject(error ?? new Error(stderr));
      },
    );
  });
}

/** Rule, file, and the line in it that breaks the rule. */
const planted: [rule: string, file: string, line: string][] = [
  ["collections-uses-only", "packages/collections/src/a.ts", 'import "../../money/src/index.ts";'],
  ["money-uses-only", "packages/money/src/a.ts", 'import "../../contracts/src/index.ts";'],
  ["ad-rules-uses-only", "packages/ad-rules/src/a.ts", 'import "../../hot-state/src/index.ts";'],
  ["rules-take-types-of-contracts", "packages/ad-rules/src/c.ts", 'import "../../contracts/src/index.ts";'],
  ["client-uses-only", "packages/client/src/a.ts", 'import "../../contracts/src/index.ts";'],
  ["contracts-uses-only", "packages/contracts/src/a.ts", 'import "../../hot-state/src/index.ts";'],
  ["tracing-uses-only", "packages/tracing/src/a.ts", 'import "../../contracts/src/index.ts";'],
  ["hot-state-uses-only", "packages/hot-state/src/a.ts", 'import "../../ad-rules/src/index.ts";'],
  ["database-uses-only", "packages/database/src/a.ts", 'import "../../hot-state/src/index.ts";'],
  ["service-kit-uses-only", "packages/service-kit/src/a.ts", 'import "../../hot-state/src/index.ts";'],
  ["local-stores-uses-only", "packages/local-stores/src/a.ts", 'import "../../money/src/index.ts";'],
  ["management-uses-only", "services/management/src/a.ts", 'import "../../match/src/index.ts";'],
  ["match-uses-only", "services/match/src/a.ts", 'import "../../../packages/database/src/index.ts";'],
  [
    "match-uses-only",
    "services/match/src/b.ts",
    'import type { name } from "../../management/src/index.ts";\nexport type Name = typeof name;',
  ],
  ["testing-uses-only", "packages/testing/src/a.ts", 'import "../../ad-rules/src/index.ts";'],
  ["dashboard-uses-only", "services/dashboard/src/a.tsx", 'import "../../management/src/index.ts";'],
  ["billing-uses-only", "services/billing/src/a.ts", 'import "../../../packages/ad-rules/src/index.ts";'],
  [
    "standalone-uses-only",
    "services/standalone/src/a.ts",
    'import "../../../packages/ad-rules/src/index.ts";',
  ],
  [
    "traces-only-in-tracing",
    "services/match/src/e.ts",
    'import { trace } from "@opentelemetry/api";\ntrace.disable();',
  ],
  ["redis-only-in-hot-state", "services/match/src/c.ts", 'import { Redis } from "ioredis";\nnew Redis();'],
  ["redis-only-in-hot-state", "services/billing/src/b.ts", 'import { Worker } from "bullmq";\nnew Worker();'],
  ["postgres-only-in-database", "services/management/src/b.ts", 'import pg from "pg";\nnew pg.Pool();'],
  [
    "postgres-only-in-database",
    "services/billing/src/c.ts",
    'import type { PrismaClient } from "@prisma/client";\nexport type Client = PrismaClient;',
  ],
  [
    "pure-packages-use-nothing",
    "packages/money/src/b.ts",
    'import { randomInt } from "node:crypto";\nrandomInt(2);',
  ],
  ["pure-packages-use-nothing", "packages/ad-rules/src/b.ts", 'import pg from "pg";\nnew pg.Pool();'],
  ["tests-only-from-tests", "packages/contracts/src/b.ts", 'import "../../testing/src/helper.ts";'],
  ["core-knows-no-feature", "services/management/src/core/a.ts", 'import "../features/b.ts";'],
  ["no-cycles", "packages/contracts/src/c.ts", 'import "./cc.ts";'],
  ["no-unresolvable", "packages/contracts/src/d.ts", 'import "./nowhere.ts";'],
];

function write(directory: string, file: string, text: string): void {
  mkdirSync(dirname(join(directory, file)), { recursive: true });
  writeFileSync(join(directory, file), `${text}\n`);
}

/** A workspace of the same shape with nothing in it but what is written here. */
function plantTree(directory: string): void {
  write(directory, "package.json", "{}");
  const names = ["money", "ad-rules", "contracts", "hot-state", "database", "service-kit", "local-stores"];
  for (const name of names) write(directory, `packages/${name}/src/index.ts`, "export const name = 1;");
  for (const name of ["management", "match", "billing", "standalone"]) {
    write(directory, `services/${name}/src/index.ts`, "export const name = 1;");
  }
  for (const name of ["ioredis", "bullmq", "pg", "@prisma/client", "@opentelemetry/api"]) {
    write(directory, `node_modules/${name}/package.json`, JSON.stringify({ name, main: "dist/index.js" }));
    write(directory, `node_modules/${name}/dist/index.js`, "module.exports = {};");
  }
  write(directory, "packages/testing/src/helper.ts", "export const helper = 1;");
  write(directory, "tests/fine.test.ts", 'import "../packages/testing/src/helper.ts";');
  write(directory, "services/management/src/features/b.ts", "export const name = 1;");
  write(directory, "packages/contracts/src/cc.ts", 'import "./c.ts";');
  write(directory, "packages/contracts/src/fine.test.ts", 'import "../../testing/src/helper.ts";');
  write(directory, "services/match/src/fine.ts", 'import "../../../packages/hot-state/src/index.ts";');
  write(directory, "services/standalone/src/fine.ts", 'import "../../match/src/index.ts";');
  write(directory, "packages/hot-state/src/fine.ts", 'import { Redis } from "ioredis";\nnew Redis();');
  for (const [, file, line] of planted) write(directory, file, line);
}

describe("the dependency rule", () => {
  const directory = mkdtempSync(join(tmpdir(), "diegetic-dependency-rule-"));
  let found: string[] = [];
  beforeAll(async () => {
    plantTree(directory);
    const { summary } = await cruise(directory, ["packages", "services", "tests"]);
    found = summary.violations.map((violation) => `${violation.rule.name} ${violation.from}`);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each(planted)("%s fires in %s", (rule, file) => {
    expect(found).toContain(`${rule} ${file}`);
  });

  it("has a planted violation for every rule", () => {
    const { forbidden } = createRequire(import.meta.url)(CONFIG) as { forbidden: { name: string }[] };
    expect(new Set(planted.map(([rule]) => rule))).toEqual(new Set(forbidden.map((rule) => rule.name)));
  });

  it("leaves alone what is allowed", () => {
    expect(found.filter((violation) => violation.includes("fine"))).toEqual([]);
  });

  it("sees the modules of this repository and what they import", async () => {
    // Everything that runs is imported from here. The static checks look at all files, which takes ten times as long.
    const { modules } = await cruise(ROOT, ["services/standalone/src/stack.ts"]);
    const sources = modules.map((module) => module.source);
    expect(
      sources.filter((source) => /^(packages|services)\/[^/]+\/src\//.test(source)).length,
    ).toBeGreaterThan(100);
    const stack = modules.find((module) => module.source === "services/standalone/src/stack.ts");
    const uses = stack?.dependencies.map((dependency) => dependency.resolved) ?? [];
    expect(uses).toContain("packages/local-stores/src/index.ts");
  });
});
