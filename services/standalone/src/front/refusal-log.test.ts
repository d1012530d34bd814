import { createLogger } from "@diegetic/service-kit";
import { eventually } from "@diegetic/testing/eventually";
import { describe, expect, it } from "@jest/globals";
import { createRefusalLog, NoInstance } from "./refusal-log.ts";

const INFO = 30;
const WARN = 40;

/** The log and its lines so far. */
function startLog() {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const logger = createLogger({ service: "front", instance: "test", level: "info" }, destination);
  const { refused, forwarded } = createRefusalLog(logger);
  return { lines, refused, forwarded };
}

describe("the log of refused requests", () => {
  it("logs one warning without a stack at once, and one line with the count after recovery", async () => {
    const { lines, refused, forwarded } = startLog();
    for (let request = 0; request < 50; request += 1) refused("match", new NoInstance("none is running"));
    expect(lines).toEqual([
      expect.objectContaining({ level: WARN, tier: "match", refused: 1, cause: "none is running" }),
    ]);
    forwarded("management");
    forwarded("match");
    await eventually(() => lines.length > 1);
    expect(lines[1]).toMatchObject({ level: INFO, tier: "match", refused: 50 });
    expect(lines).toHaveLength(2);
    expect(JSON.stringify(lines)).not.toContain("stack");
  });

  it("logs each tier separately", () => {
    const { lines, refused } = startLog();
    refused("match", new NoInstance("none is running"));
    refused("management", new NoInstance("none is running"));
    expect(lines.map(({ tier }) => tier)).toEqual(["match", "management"]);
  });

  it.each(["ECONNREFUSED", "ECONNRESET"])("names the code of a connection, %s, without a stack", (code) => {
    const { lines, refused } = startLog();
    refused("match", Object.assign(new Error("connect"), { code }));
    expect(lines).toEqual([expect.objectContaining({ cause: code })]);
    expect(lines[0]).not.toHaveProperty("err");
  });

  it("logs the stack of a defect, also while instances are unavailable", () => {
    const { lines, refused } = startLog();
    refused("match", new NoInstance("none is running"));
    refused("match", new TypeError("undefined is not a function"));
    expect(lines[1]).toMatchObject({ err: { type: "TypeError", stack: expect.stringContaining("at ") } });
  });
});
