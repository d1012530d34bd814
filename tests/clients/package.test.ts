import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const TIMEOUT_MS = 300_000;
const run = promisify(execFile);

const GAME = `
import { type Campaign, type ClientEvent, type CreativeType, DiegeticClient, DiegeticError, type Match } from "@diegetic/client";
// @ts-expect-error the names of generated code stay inside
import type { Error as ApiError, routes } from "@diegetic/client";
import { FileOutbox } from "@diegetic/client/file-outbox";
import { FakeDiegetic } from "@diegetic/client/testing";

const real = new DiegeticClient({
  baseUrl: "http://127.0.0.1:9/api",
  apiKey: "key",
  matchBudgetMs: 100,
  outbox: new FileOutbox({ path: "impressions.jsonl", capacity: 100 }),
  fetch,
  onEvent: (event: ClientEvent) => { if (event.type === "impression_dropped") console.error(event.reason); },
});
const nothing: Match | null = await real.match({ game_id: "game", user_id: "player", game_context: {} });
// @ts-expect-error a scene names its game
const untyped = () => real.match({ user_id: "player", game_context: {} });
// @ts-expect-error a budget is a number
const wrong = () => real.api.createCampaign({ body: { name: "n", budget_cents: "1", cpm_bid_cents: 100 } });
const typed = async (): Promise<"draft" | "active" | "paused"> => {
  const campaign: Campaign = await real.api.getCampaign({ campaign_id: "camp_1" });
  return campaign.status;
};
const creativeType: CreativeType = "narrative_hook";
const failed = await typed().catch((error: unknown) => error instanceof DiegeticError);

const diegetic = new FakeDiegetic();
const client = diegetic.client();
const match = await client.match({ game_id: "game", user_id: "player", game_context: { location: "tavern" } });
if (match !== null) client.recordImpression(match);
await client.close();
await real.close();
console.log(JSON.stringify([nothing, failed, match?.narrative_hook, diegetic.impressions.length, typeof untyped, typeof wrong, creativeType]));
`;

describe("the packed TypeScript client in an empty project", () => {
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "diegetic-package-"));
    const pack = ["pack", join(ROOT, "packages/client"), "--pack-destination", directory];
    await run("npm", pack, { cwd: directory });
    writeFileSync(join(directory, "package.json"), '{ "name": "game", "private": true, "type": "module" }');
    const [tarball] = readdirSync(directory).filter((name) => name.endsWith(".tgz"));
    const install = ["install", "--offline", "--no-audit", "--no-fund", `./${tarball}`];
    await run("npm", install, { cwd: directory });
    writeFileSync(join(directory, "game.ts"), GAME);
  }, TIMEOUT_MS);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it("brings nothing else, no test and no file of the workspace", () => {
    expect(readdirSync(join(directory, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "@diegetic",
    ]);
    const files = readdirSync(join(directory, "node_modules/@diegetic/client"), { recursive: true });
    expect(files).toEqual(expect.arrayContaining(["README.md", "dist/index.js", "dist/index.d.ts"]));
    expect(files.filter((name) => /test\.|tsbuildinfo|tsconfig/.test(String(name)))).toEqual([]);
  });

  it("is not packed before it is built", async () => {
    const unbuilt = join(directory, "unbuilt");
    const isSource = (path: string) => !/node_modules|dist/.test(relative(ROOT, path));
    cpSync(join(ROOT, "packages/client"), unbuilt, { recursive: true, filter: isSource });
    const packed = run("npm", ["pack", unbuilt], { cwd: unbuilt });
    await expect(packed).rejects.toMatchObject({
      stderr: expect.stringContaining(
        "@diegetic/client is not built: ./dist/index.d.ts is missing. Run `npm start`",
      ),
    });
    expect(readdirSync(unbuilt).filter((name) => name.endsWith(".tgz"))).toEqual([]);
  });

  it.each([
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ])(
    "is typed with module %s and checks its own declarations",
    async (module, resolution) => {
      const options = ["--strict", "--target", "es2023", "--lib", "es2023,dom", "--types", ""];
      const modules = ["--module", module, "--moduleResolution", resolution, "--skipLibCheck", "false"];
      const outcome = await run(process.execPath, [TSC, ...options, ...modules, "game.ts"], {
        cwd: directory,
      }).catch((error: { stdout: string }) => error);
      expect(outcome.stdout).toBe("");
    },
    TIMEOUT_MS,
  );

  it("runs", async () => {
    const { stdout } = await run(process.execPath, ["game.js"], { cwd: directory });
    expect(JSON.parse(stdout)).toEqual([
      null,
      true,
      "The innkeeper pours you a Hearthwell ale.",
      1,
      "function",
      "function",
      "narrative_hook",
    ]);
  });
});
