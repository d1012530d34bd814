import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "@jest/globals";
import { CLIENTS, PYTHON_MISSING, python } from "./languages.ts";

const TIMEOUT_MS = 300_000;

const program = python;

if (program === undefined) {
  it.skip(`the Python client's own tests do not run here: ${PYTHON_MISSING}`, () => undefined);
} else {
  it(
    "passes the Python client's own tests",
    async () => {
      const options = { cwd: `${CLIENTS}python`, env: { ...process.env, PYTHONPATH: "src" } };
      const args = ["-B", "-W", "error", "-m", "unittest", "discover", "tests", "-p", "test_*.py"];
      const { stderr } = await promisify(execFile)(program, args, options);
      expect(stderr).toMatch(/Ran \d+ tests[\s\S]*OK/);
    },
    TIMEOUT_MS,
  );
}
