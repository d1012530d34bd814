import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "@jest/globals";
import { rotateLeftoverLogs } from "./leftover-logs.ts";

const dir = mkdtempSync(join(tmpdir(), "diegetic-logs-"));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it("rotates the logs of instances that are not started, and removes them at the next start", () => {
  const others = ["billing.log", "match-1.log", "match-1.previous.log", "match-x.log"];
  for (const name of [...others, "match-2.log", "match-3.log", "match-3.previous.log"]) {
    writeFileSync(join(dir, name), `was ${name}`);
  }
  rotateLeftoverLogs(dir, 1);
  expect(readdirSync(dir).sort()).toEqual([...others, "match-2.previous.log", "match-3.previous.log"].sort());
  expect(readFileSync(join(dir, "match-3.previous.log"), "utf8")).toBe("was match-3.log");
  rotateLeftoverLogs(dir, 1);
  expect(readdirSync(dir).sort()).toEqual(others.sort());
});
