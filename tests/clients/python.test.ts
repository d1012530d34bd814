import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { itInLongForm } from "@diegetic/testing/rounds";
import { expect, it } from "@jest/globals";
import { CLIENTS, hasMypy, MYPY_MISSING, PYTHON_MISSING, python } from "./languages.ts";

const TIMEOUT_MS = 300_000;

const run = (program: string, args: string[]) =>
  promisify(execFile)(program, args, {
    cwd: `${CLIENTS}python`,
    env: { ...process.env, PYTHONPATH: "src" },
  });

const program = python;

if (program === undefined) {
  it.skip(`the Python client's own tests do not run here: ${PYTHON_MISSING}`, () => undefined);
} else {
  it(
    "passes the Python client's own tests",
    async () => {
      const args = ["-B", "-W", "error", "-m", "unittest", "discover", "tests", "-p", "test_*.py"];
      const { stderr } = await run(program, args);
      expect(stderr).toMatch(/Ran \d+ tests[\s\S]*OK/);
    },
    TIMEOUT_MS,
  );
}

if (program === undefined || !hasMypy) {
  it.skip(`the types of the Python client are not checked here: ${MYPY_MISSING}`, () => undefined);
} else {
  itInLongForm(
    "has no findings of mypy in the Python client and its tests",
    async () => {
      const { stdout } = await run(program, ["-m", "mypy", "--cache-dir", "/dev/null"]).catch(
        (findings: { stdout: string }) => findings,
      );
      expect(stdout).toMatch(/^Success: no issues found in \d+ source files\n$/);
    },
    TIMEOUT_MS,
  );
}
