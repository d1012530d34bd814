import { parseArgs } from "node:util";
import { type Setting, SettingsError, type SettingValues } from "./settings.ts";

/** Exit code for wrong usage of a command. */
export const WRONG_USE_EXIT_CODE = 2;

/** Wrong usage of a command; the message has a sentence for every wrong option, and the usage. */
export class UsageError extends SettingsError {
  constructor(problems: string[], usage = "") {
    super(problems);
    this.name = "UsageError";
    if (usage !== "") this.message = `${this.message}\n${usage}`;
  }
}

/** Reads one option; its `variable` is the option name, such as `--wait`. */
type Option = Setting<unknown> & { isFlag?: true };
type Options = Record<string, Option>;

/** An option without a value. */
export function flagOption(name: string): Setting<boolean> & { isFlag: true } {
  return { variable: name, parse: () => true, fallback: { value: false }, isFlag: true };
}

/** An optional option; undefined when absent. */
export function optional<T>({ variable, parse }: Setting<T>): Setting<T | undefined> {
  return { variable, parse, fallback: { value: undefined } };
}

/** A number between two bounds, both included; may have decimals. */
export function numberSetting(
  variable: string,
  { min, max, fallback }: { min: number; max: number; fallback: number },
): Setting<number> {
  const parse = (text: string) => {
    const value = Number(text);
    if (/^\d{1,9}(\.\d{1,9})?$/.test(text) && value >= min && value <= max) return value;
    throw new Error(`a number from ${min} to ${max}`);
  };
  return { variable, parse, fallback: { value: fallback } };
}

/** A comma-separated subset of some words. */
export function listSetting<T extends string>(variable: string, words: readonly T[]): Setting<T[]> {
  const parse = (text: string) =>
    text.split(",").map((part) => {
      const word = words.find((candidate) => candidate === part.trim());
      if (word === undefined) throw new Error(`some of ${words.join(", ")}, divided by commas`);
      return word;
    });
  return { variable, parse };
}

/** Reads a command line; returns `help` for `--help`. Throws UsageError. */
export function readOptions<S extends Options>(
  args: readonly string[],
  options: S,
  usage: string,
): SettingValues<S> | "help" {
  const texts = parse(args, options, usage);
  if (texts.help === true) return "help";
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options)) {
    const text = texts[option.variable.slice(2)];
    if (text === undefined && option.fallback !== undefined) {
      values[name] = option.fallback.value;
      continue;
    }
    try {
      values[name] = option.parse(typeof text === "string" ? text.trim() : "");
    } catch (error) {
      const found = text === undefined ? "is needed" : `is "${String(text).slice(0, 80)}"`;
      problems.push(`${option.variable} ${found}: it must be ${(error as Error).message}.`);
    }
  }
  if (problems.length > 0) throw new UsageError(problems, usage);
  return values as SettingValues<S>;
}

function parse(args: readonly string[], options: Options, usage: string): Record<string, unknown> {
  const known = Object.values(options).map(({ variable, isFlag }) => [
    variable.slice(2),
    { type: isFlag ? ("boolean" as const) : ("string" as const) },
  ]);
  try {
    const all = { help: { type: "boolean" as const }, ...Object.fromEntries(known) };
    return parseArgs({ args: withValues(args, options), options: all, allowPositionals: false }).values;
  } catch (error) {
    // Later sentences describe conventions that these commands do not use.
    const [sentence = ""] = (error as Error).message.split(/\. |\n/);
    throw new UsageError([`${sentence.replace(/\.$/, "")}.`], usage);
  }
}

/** Converts `--wait -1` to `--wait=-1`: otherwise `-1` would be read as an option, and the error would not say what is allowed. */
function withValues(args: readonly string[], options: Options): string[] {
  const valued = Object.values(options).filter(({ isFlag }) => !isFlag);
  const joined: string[] = [];
  for (const arg of args) {
    const last = joined.at(-1);
    const isValue = /^-[^-]/.test(arg) && valued.some(({ variable }) => variable === last);
    if (isValue) joined.splice(-1, 1, `${last}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}

/** The options of this process. Exits after `--help`, and with a sentence and code 2 for wrong usage. */
export function optionsOfProcess<S extends Options>(options: S, usage: string): SettingValues<S> {
  try {
    const values = readOptions(process.argv.slice(2), options, usage);
    if (values !== "help") return values;
    process.stdout.write(`${usage}\n`);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(WRONG_USE_EXIT_CODE);
  }
  process.exit(0);
}
