import { describe, expect, it } from "@jest/globals";
import { readAuditOptions } from "./audit-command.ts";

describe("options of npm run audit", () => {
  it("are a format and a time to wait", () => {
    expect(readAuditOptions([])).toEqual({ json: false, waitSeconds: 10 });
    expect(readAuditOptions(["--json", "--wait", "0"])).toEqual({ json: true, waitSeconds: 0 });
  });

  it("are told by --help", () => {
    expect(readAuditOptions(["--help"])).toBe("help");
  });

  it.each([["--wait=-1"], ["--wait=soon"], ["--wait=3601"], ["--verbose"], ["now"]])(
    "refuse %s",
    (argument) => {
      expect(() => readAuditOptions([argument])).toThrow(expect.objectContaining({ name: "SetupError" }));
    },
  );
});
