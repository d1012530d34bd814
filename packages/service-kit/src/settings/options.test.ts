import { describe, expect, it } from "@jest/globals";
import { flagOption, optional, readOptions, UsageError } from "./options.ts";
import { integerSetting, listSetting, numberSetting, textSetting } from "./settings.ts";

const USAGE = "Usage: npm run thing -- [--wait SECONDS]";
const options = {
  json: flagOption("--json"),
  wait: integerSetting("--wait", { min: 0, max: 60, fallback: 10 }),
  minutes: numberSetting("--minutes", { min: 0.1, max: 5, fallback: 2 }),
  only: optional(listSetting("--only", ["match", "billing"])),
};
const read = (args: string[]) => readOptions(args, options, USAGE);
const problem = (args: string[]): UsageError => {
  try {
    read(args);
  } catch (error) {
    if (error instanceof UsageError) return error;
  }
  throw new Error("nothing was wrong");
};

describe("options", () => {
  it("have defaults and given values", () => {
    expect(read([])).toEqual({ json: false, wait: 10, minutes: 2, only: undefined });
    expect(read(["--json", "--wait=0", "--minutes", "0.5", "--only", "billing, match"])).toEqual({
      json: true,
      wait: 0,
      minutes: 0.5,
      only: ["billing", "match"],
    });
    expect(read(["--help"])).toBe("help");
  });

  it.each([
    [["--wait=soon"], '--wait is "soon": it must be a whole number from 0 to 60.'],
    [["--wait", "-1"], '--wait is "-1": it must be a whole number from 0 to 60.'],
    [["--wait="], '--wait is "": it must be a whole number from 0 to 60.'],
    [["--minutes", "9"], '--minutes is "9": it must be a number from 0.1 to 5.'],
    [["--minutes", "1e3"], '--minutes is "1e3": it must be a number from 0.1 to 5.'],
    [["--only", "match,x"], '--only is "match,x": it must be some of match, billing, divided by commas.'],
    [["--wait"], "Option '--wait <value>' argument missing."],
    [["--wiat", "1"], "Unknown option '--wiat'."],
    [["now"], "Unexpected argument 'now'."],
    [["--json=yes"], "Option '--json' does not take an argument."],
  ])("%j is refused with what is allowed, and the usage", (args, sentence) => {
    expect(problem(args).message).toBe(`${sentence}\n${USAGE}`);
  });

  it("are all refused at once, missing ones included", () => {
    const needed = { ...options, label: textSetting("--label", { maxLength: 9 }) };
    const refuse = () => readOptions(["--wait=x"], needed, USAGE);
    expect(refuse).toThrow(
      expect.objectContaining({
        name: "UsageError",
        problems: [
          '--wait is "x": it must be a whole number from 0 to 60.',
          "--label is needed: it must be a text of 1 to 9 characters.",
        ],
      }),
    );
  });
});
