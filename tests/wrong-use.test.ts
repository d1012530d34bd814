import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { rounds } from "@diegetic/testing/rounds";
import { describe, expect, it } from "@jest/globals";

const root = fileURLToPath(new URL("..", import.meta.url));
const TYPESCRIPT = ["--conditions=@diegetic/source"];
const THROW_USAGE = `
  import { runMain } from "./scripts/lib/setup.mjs";
  const { UsageError } = await import("./packages/service-kit/dist/index.js");
  await runMain(() => { throw new UsageError(["--wait is wrong."], "Usage: npm run thing"); });`;

/** Notices of npm, and of steps that have nothing to do but are slow on a busy machine. */
const NOTICES = /^(npm warn .*|(Generating|Building|Bundling) .*…| {2}… \d+ s)\n/gm;

function run(args: string[]): Promise<{ code: unknown; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
}

describe("a command that is called wrongly", () => {
  it.each(
    [
      [
        "npm run faults",
        "tests/faults/main.ts",
        "--minutes=soon",
        '--minutes is "soon": it must be a number',
      ],
      [
        "npm run bench",
        "tests/load/main.ts",
        "--only=x",
        '--only is "x": it must be some of machine, scripts,',
      ],
      [
        "npm run traffic",
        "tests/traffic/main.ts",
        "--players=x",
        '--players is "x": it must be a whole number from 1 to 2000.',
      ],
      [
        "npm run faults",
        "tests/faults/main.ts",
        "--only=x-y",
        '--only is "x-y": it must be parts of these names',
      ],
      ["npm run faults:bite", "tests/faults/bite.ts", "--only=x", '--only is "x": it must be some of'],
      ["npm run faults:outage", "tests/faults/outage/main.ts", "--rate=0", '--rate is "0": it must be'],
      ["npm run bench:recovery", "tests/recovery/bench.ts", "--fast", "Unknown option '--fast'."],
      [
        "npm run bench:index",
        "packages/ad-rules/bench/bench-index.ts",
        "--rounds=x",
        '--rounds is "x": it must',
      ],
    ].slice(0, rounds(3, 8)),
  )("%s says what is allowed and exits with 2", async (command, file, argument, sentence) => {
    const { code, output } = await run([...TYPESCRIPT, file, argument]);
    expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(sentence) });
    expect(output).toContain(`Usage: ${command}`);
    expect(output).not.toMatch(/^\s+at /m);
  });

  it("is also reported by the product's scripts", async () => {
    expect(await run(["--input-type=module", "-e", THROW_USAGE])).toEqual({
      code: 2,
      output: "--wait is wrong.\nUsage: npm run thing\n",
    });
  });
});

describe("--help", () => {
  it.each(["start", "key", "import", "audit", "erase", "slices", "migrate"].slice(0, rounds(2, 7)))(
    "of npm run %s stands on standard output alone",
    async (command) => {
      const printed = await new Promise((resolve) => {
        execFile(
          "npm",
          ["run", "--silent", command, "--", "--help"],
          { cwd: root },
          (error, stdout, stderr) =>
            resolve({ code: error?.code ?? 0, stdout, stderr: stderr.replace(NOTICES, "") }),
        );
      });
      expect(printed).toEqual({ code: 0, stdout: expect.stringMatching(/^Usage: .*npm /), stderr: "" });
    },
    300_000,
  );
});
