import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createDatabase } from "@diegetic/database";
import { eventually } from "@diegetic/testing/eventually";
import { itInLongForm, rounds } from "@diegetic/testing/rounds";
import type { TestStack } from "@diegetic/testing/stack";
import { beforeAll, describe, expect, it } from "@jest/globals";
import {
  CLIENTS,
  EXAMPLE_GAMES,
  hasMono,
  MONO_MISSING,
  PYTHON_MISSING,
  python,
} from "../clients/languages.ts";
import { createKey } from "./create-key.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TIMEOUT_MS = 300_000;
const run = promisify(execFile);

/** What the README of a client says to write and run, as a shell script for a service that runs already. */
function readmeScript(readme: string): string {
  const text = readFileSync(join(ROOT, readme), "utf8");
  const section = /\n## An ad in a fresh game server\n.*?(?=\n## )/s.exec(text)?.[0] ?? "";
  const blocks = [...section.matchAll(/Write `([^`]+)`|^ {3}```(\w+)\n(.*?)^ {3}```/gms)];
  let file = "";
  const steps = blocks.map(([, named, language, indented = ""]) => {
    file = named ?? file;
    const block = indented.replaceAll(/^ {3}/gm, "");
    if (language === "sh") return block === "npm start\n" ? "" : block;
    return named === undefined ? `cat > ${file} <<'END'\n${block}END\n` : "";
  });
  return steps.join("");
}

/**
 * Tests of the examples, and of what the clients' READMEs say, on a running stack with its demo campaign.
 * @param dataDir of the stack
 */
export function describeExamples(dataDir: string, running: () => TestStack): void {
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    environment = {
      ...process.env,
      DATA_DIR: dataDir,
      DIEGETIC_URL: running().describe().baseUrl,
      DIEGETIC_KEY: await createKey(running(), "examples"),
      OUTBOX: join(dataDir, "impressions.jsonl"),
      VERBOSE: "1",
    };
  }, TIMEOUT_MS);

  /** Under load a match can miss the client's budget: the game then goes on without an ad, and so may the next run. */
  const untilBilled = (play: () => Promise<string>) =>
    eventually(async () => {
      expect(await play()).toContain("impression_recorded");
      return true;
    });

  it(
    "plays the text adventure with an ad that is billed",
    async () => {
      await untilBilled(async () => {
        const game = spawn(process.execPath, ["examples/text-adventure/main.js"], {
          cwd: ROOT,
          env: environment,
        });
        let output = "";
        for (const stream of [game.stdout, game.stderr]) {
          stream.on("data", (chunk) => {
            output += chunk;
          });
        }
        game.stdin.end("go north\ntalk\ndrink\nquit\n");
        await new Promise((resolve) => game.once("close", resolve));
        expect(output).toContain("You leave Lantern Keep.");
        return output;
      });
    },
    TIMEOUT_MS,
  );

  describe.each(EXAMPLE_GAMES)("the $name", ({ program, args }) => {
    if (program === undefined) {
      it.skip(`is not run here: ${PYTHON_MISSING}`, () => undefined);
      return;
    }
    itInLongForm(
      "stops in order at SIGTERM",
      async () => {
        const env = { ...environment, PYTHONPATH: `${CLIENTS}python/src`, PYTHONUNBUFFERED: "1" };
        const game = spawn(program, args, { cwd: ROOT, env });
        // Early in the story: a signal during Python's own exit would end it with another code.
        game.stdout.once("data", () => game.kill("SIGTERM"));
        const [code] = await once(game, "close");
        expect(code).toBe(0);
      },
      TIMEOUT_MS,
    );
  });

  const readmes = [
    { readme: "packages/client/README.md", missing: undefined },
    { readme: "clients/python/README.md", missing: python === undefined ? PYTHON_MISSING : undefined },
    { readme: "clients/csharp/README.md", missing: hasMono ? undefined : MONO_MISSING },
  ];
  describe.each(readmes.slice(0, rounds(1, 3)))("what $readme says", ({ readme, missing }) => {
    if (missing !== undefined) {
      it.skip(`is not run here: ${missing}`, () => undefined);
      return;
    }
    it(
      "works on another port than the usual one",
      async () => {
        const home = join(dataDir, "home", readme);
        mkdirSync(home, { recursive: true });
        const env = {
          ...environment,
          DIEGETIC_URL: undefined,
          HOME: home,
          PORT: new URL(running().describe().baseUrl).port,
          PYTHONPATH: `${CLIENTS}python/src`,
        };
        // The client comes from its folder: pip would ask its registry.
        const script = readmeScript(readme)
          .replace(/^python3 -m venv .*\npip install .*$/m, "")
          .replace("python3 server.py", `${python} -B server.py`);
        await untilBilled(async () => {
          const { stdout, stderr } = await run("bash", ["-ec", script], { cwd: ROOT, env });
          return stdout + stderr;
        });
      },
      TIMEOUT_MS,
    );
  });

  const story = python === undefined ? it.skip : itInLongForm;
  story(
    `tells the story with ads${python === undefined ? ` (not run here: ${PYTHON_MISSING})` : ""}`,
    async () => {
      const env = { ...environment, PYTHONPATH: `${CLIENTS}python/src` };
      const args = ["-B", "examples/narrative-game/main.py", "--verbose"];
      await untilBilled(async () => (await run(python ?? "", args, { cwd: ROOT, env })).stdout);
    },
    TIMEOUT_MS,
  );

  itInLongForm(
    "sends traffic, sums it up and leaves no campaign active",
    async () => {
      const options = ["--players", "100", "--minutes", "0.05", "--rate", "50"];
      const args = ["--conditions=@diegetic/source", "tests/traffic/main.ts", ...options];
      const { stdout } = await run(process.execPath, args, { cwd: ROOT, env: environment });
      const [, recorded] = /Impressions recorded +(\d+)/.exec(stdout) ?? [];
      expect(Number(recorded)).toBeGreaterThan(0);
      expect(stdout).toMatch(/Impressions without an answer +0\n/);
      expect(stdout).toMatch(/p99 +[\d.]+ ms/);
      const database = createDatabase(running().describe().databaseUrl, { poolSize: 1 });
      try {
        const campaigns = await database.campaign.findMany({
          where: { advertiser: { companyName: { startsWith: "Traffic " } } },
        });
        expect(campaigns.map(({ status }) => status)).toEqual(["paused", "paused", "paused", "paused"]);
      } finally {
        await database.$disconnect();
      }
    },
    TIMEOUT_MS,
  );
}
