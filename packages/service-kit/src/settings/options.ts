import { parseArgs } from "node:util";
import { readValues, type Setting, SettingsError, type SettingValues } from "./settings.ts";

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

/** The `variable` of an option is its name, such as `--wait`. */
type Options = Record<string, Setting<unknown>>;

/** An option without a value. */
export function flagOption(variable: string): Setting<boolean> {
  return { variable, schema: { type: "boolean" }, parse: () => true, fallback: { value: false } };
}

const isFlag = ({ schema }: Setting<unknown>) => schema?.type === "boolean";

/** An optional option; undefined when absent. */
export function optional<T>(setting: Setting<T>): Setting<T | undefined> {
  return { ...setting, fallback: { value: undefined } };
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
  const textOf = (variable: string) => {
    const text = texts[variable.slice(2)];
    return text === undefined ? undefined : String(text);
  };
  const values = readValues(options, { textOf, missing: "is needed" }, problems);
  if (problems.length > 0) throw new UsageError(problems, usage);
  return values;
}

function parse(args: readonly string[], options: Options, usage: string): Record<string, unknown> {
  const known = Object.values(options).map((option) => [
    option.variable.slice(2),
    { type: isFlag(option) ? ("boolean" as const) : ("string" as const) },
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
  const valued = Object.values(options).filter((option) => !isFlag(option));
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
