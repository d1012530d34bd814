import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Outcome, SCENARIO_FILE } from "./scenarios.ts";
import { runTypeScript } from "./typescript-runner.ts";

export interface Language {
  name: string;
  /** Why the client cannot be run on this machine. */
  missing?: string;
  run(serverUrl: string, directory: string): Promise<Outcome[]>;
  recorder: Recorder;
}

/** A program that records impressions until it is killed, and its arguments: see `recorder.ts`. */
type Recorder = (directory: string) => Promise<string[]>;

export const CLIENTS = fileURLToPath(new URL("../../clients/", import.meta.url));

const run = promisify(execFile);
const RECORDER = new URL("./recorder.ts", import.meta.url);
const SOURCES = "--conditions=@diegetic/source";
const PYTHONS = [process.env.PYTHON ?? "python3", "/usr/bin/python3"];
const PYTHON_NEEDED = "import sys, httpx; assert sys.version_info >= (3, 11)";

/** A Python with httpx; Debian's, too, where another one comes first on the PATH. */
export const python = PYTHONS.find((program) => succeeds(program, ["-c", PYTHON_NEEDED]));
export const PYTHON_MISSING = "no Python 3.11 with httpx (Debian: apt-get install python3-httpx)";

/** The games in `examples`, played from beginning to end. */
export const EXAMPLE_GAMES = [
  { name: "text adventure", program: process.execPath, args: ["examples/text-adventure/main.js"] },
  { name: "story", program: python, args: ["-B", "examples/narrative-game/main.py"] },
];

/** Of that Python, so that mypy sees httpx. */
export const hasMypy = python !== undefined && succeeds(python, ["-m", "mypy", "--version"]);
export const MYPY_MISSING = "no mypy beside httpx (Debian: apt-get install python3-mypy)";

/** A Python that can make an environment and installs from its package registry; asks the registry. */
export function findInstallingPython(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "diegetic-pip-"));
  const ask = [
    "-m",
    "pip",
    "install",
    "--dry-run",
    "--quiet",
    "--retries",
    "0",
    "--no-deps",
    "--target",
    folder,
  ];
  const found = PYTHONS.find(
    (program) => succeeds(program, ["-c", "import venv, ensurepip"]) && succeeds(program, [...ask, "httpx"]),
  );
  rmSync(folder, { recursive: true, force: true });
  return found;
}
export const PIP_MISSING = "no Python with venv and pip, or no package registry";

export const hasDotnet = succeeds("dotnet", ["--version"]);
export const DOTNET_MISSING = "no .NET SDK";

export const hasMono = succeeds("mcs", ["--version"]) && succeeds("mono", ["--version"]);
export const MONO_MISSING =
  "no Mono (Debian: apt-get install mono-mcs mono-runtime libmono-system-net-http4.0-cil)";

/** Starts the client's conformance program; the arguments it shares with every language come last. */
async function runProgram(program: string, args: string[], serverUrl: string, directory: string) {
  const shared = [fileURLToPath(SCENARIO_FILE), serverUrl, directory];
  const { stdout } = await run(program, [...args, ...shared]);
  // Mono may print a warning before.
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Outcome[];
}

function pythonLanguage(kind: "sync" | "async"): Language {
  return {
    name: `Python (${kind})`,
    ...(python === undefined && { missing: PYTHON_MISSING }),
    run: (...target) =>
      runProgram(python ?? "", ["-B", `${CLIENTS}python/tests/conformance.py`, kind], ...target),
    recorder: async () => [python ?? "", "-B", `${CLIENTS}python/tests/recorder.py`],
  };
}

/** Compiled by Mono: Debian has no .NET SDK. */
const csharp: Language = {
  name: "C#",
  ...(!hasMono && { missing: MONO_MISSING }),
  async run(serverUrl, directory) {
    const program = await compiled(directory);
    // Without the trap, the program's check of a full disk would end Mono.
    return runProgram("sh", ["-c", 'trap "" XFSZ; exec mono "$@"', "sh", program], serverUrl, directory);
  },
  recorder: async (directory) => ["mono", await compiled(directory), "record"],
};

async function compiled(directory: string): Promise<string> {
  const program = join(directory, "conformance.exe");
  const sources = ["Runtime", "Tests"].flatMap(csharpSources);
  const options = ["-langversion:7.2", "-warnaserror", "-r:System.Net.Http.dll", `-out:${program}`];
  await run("mcs", [...options, ...sources]);
  return program;
}

/** The source files in a folder of the C# client. */
export function csharpSources(name: string): string[] {
  const folder = `${CLIENTS}csharp/${name}`;
  const names = readdirSync(folder, { recursive: true }) as string[];
  return names.filter((name) => name.endsWith(".cs")).map((name) => join(folder, name));
}

function succeeds(program: string, args: string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}

export const languages: Language[] = [
  {
    name: "TypeScript",
    run: runTypeScript,
    recorder: async () => [process.execPath, "--no-warnings", SOURCES, fileURLToPath(RECORDER)],
  },
  pythonLanguage("sync"),
  pythonLanguage("async"),
  csharp,
];

/** Other runtimes of the TypeScript client. Without all permissions, Deno finds no crashed owner of an outbox file. */
export const runtimes: Pick<Language, "name" | "missing" | "recorder">[] = [
  runtime("bun", []),
  runtime("deno", ["run", "--allow-all"]),
];

function runtime(program: string, args: string[]) {
  return {
    name: `TypeScript (${program})`,
    ...(!succeeds(program, ["--version"]) && { missing: `no ${program}` }),
    recorder: async () => [program, ...args, SOURCES, fileURLToPath(RECORDER)],
  };
}
