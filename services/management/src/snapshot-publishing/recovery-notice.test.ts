import { describe, expect, it } from "@jest/globals";
import { recoveryNotice } from "./recovery-notice.ts";

describe("what is told of Redis", () => {
  it.each([
    ["nothing of the same servers with a snapshot", ["a", "b"], false, undefined],
    ["that data were lost, of the same servers without a snapshot", ["a", "b"], true, "lost"],
    [
      "that a server was restarted, also when the snapshot has to be published",
      ["a", "c"],
      true,
      "restarted",
    ],
    ["that a server was restarted, which the snapshot does not live on", ["a", "c"], false, "restarted"],
    ["that a server was added", ["a", "b", "c"], false, "restarted"],
    ["that a server is away", ["a", "away"], false, "away"],
  ] as const)("is %s", (_words, lineages, needsRebuild, notice) => {
    expect(recoveryNotice(["a", "b"], { lineages, needsRebuild })).toBe(notice);
  });
});
