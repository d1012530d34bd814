import { parseArgs } from "node:util";
import { type Setting, SettingsError, type SettingValues } from "./settings.ts";

/** Exit code of every command that is told what it does not understand. */
export const WRONG_USE_EXIT_CODE = 2;

/** A command was called wrongly; the message has a sentence for every wrong option, and the usage. */
export class UsageError extends SettingsError {
  constructor(problems: string[], usage = "") {
    super(problems);
    this.name = "UsageError";
    if (usage !== "") this.message = `${this.message}\n${usage}`;
  }
}

/** How one option is read: its `variable` is its name, such as `--wait`. */
type Option = Setting<unknown> & { isFlag?: true };
type Options = Record<string, Option>;

/** An option without a value: it is there, or not. */
export function flagOption(name: string): Setting<boolean> & { isFlag: true } {
  return { variable: name, parse: () => true, fallback: { value: false }, isFlag: true };
}

/** An option that may be left out, and is undefined then. */
export function optional<T>({ variable, parse }: Setting<T>): Setting<T | undefined> {
  return { variable, parse, fallback: { value: undefined } };
}

/** A number between two bounds, both included, with or without decimals. */
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

/** Some of a few words, divided by commas. */
export function listSetting<T extends string>(variable: string, words: readonly T[]): Setting<T[]> {
  const parse = (text: string) =>
    text.split(",").map((part) => {
      const word = words.find((candidate) => candidate === part.trim());
      if (word === undefined) throw new Error(`some of ${words.join(", ")}, divided by commas`);
      return word;
    });
  return { variable, parse };
}

/** Reads a command line; `help` when that is asked for. Throws UsageError. */
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
    // What follows the first sentence tells of conventions that no command here has.
    const [sentence = ""] = (error as Error).message.split(/\. |\n/);
    throw new UsageError([`${sentence.replace(/\.$/, "")}.`], usage);
  }
}

/** `--wait -1` as `--wait=-1`: by itself such a value would be taken for an option, instead of being told what is allowed. */
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

/** The options of this process's command line; ends the process for `--help`, and with a sentence and code 2 for wrong use. */
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
