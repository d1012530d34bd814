import { expect, it } from "@jest/globals";
import { runQuietly } from "./run.ts";

const FAILING = "echo beginning; echo 'tool: error: no space'; echo tidying up; exit 1";

it.each([
  ["the line that names an error", ["sh", "-c", FAILING], "sh failed: tool: error: no space"],
  [
    "its own name, also when another one runs it",
    ["env", "--", "/bin/sh", "-c", FAILING],
    "sh failed: tool: error: no space",
  ],
  ["its last line when none names an error", ["sh", "-c", "echo one; echo two; exit 1"], "sh failed: two"],
])("a program that fails is reported by %s", async (_what, command, sentence) => {
  await expect(runQuietly(command)).rejects.toThrow(sentence);
});
