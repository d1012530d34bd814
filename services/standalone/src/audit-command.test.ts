import { describe, expect, it } from "@jest/globals";
import { readAuditOptions } from "./audit-command.ts";

describe("options of npm run audit", () => {
  it("are a format and a waiting time", () => {
    expect(readAuditOptions([])).toEqual({ json: false, waitSeconds: 10 });
    expect(readAuditOptions(["--json", "--wait", "0"])).toEqual({ json: true, waitSeconds: 0 });
  });

  it("are printed by --help", () => {
    expect(readAuditOptions(["--help"])).toBe("help");
  });

  it.each([
    ["--wait=-1", '--wait is "-1": it must be a whole number from 0 to 3600.'],
    ["--wait=soon", '--wait is "soon": it must be a whole number from 0 to 3600.'],
    ["--wait=3601", '--wait is "3601": it must be a whole number from 0 to 3600.'],
    ["--verbose", "Unknown option '--verbose'."],
    ["now", "Unexpected argument 'now'."],
  ])("refuse %s", (argument, sentence) => {
    expect(() => readAuditOptions([argument])).toThrow(
      expect.objectContaining({
        name: "UsageError",
        message: `${sentence}\nUsage: npm run --silent audit -- [--json] [--wait SECONDS]`,
      }),
    );
  });
});
