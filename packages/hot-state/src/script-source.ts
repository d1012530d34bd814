import { readFileSync } from "node:fs";

const LUA_DIRECTORY = new URL("../lua/", import.meta.url);
const INCLUDE_LINE = /^--\s*@include\s+"([a-z_-]+)"\s*$/gm;
const COMMENT = /--.*$/gm;
const FUNCTION = "local function ";
const NAME = /\w+/g;

/** By name: every connection uses the same scripts. */
const loaded = new Map<string, string>();

/**
 * Reads `lua/<name>.lua` and replaces each line `-- @include "<piece>"` by `lua/include/<piece>.lua`. Includes do not
 * nest, so the head of a script lists everything it uses.
 */
export function loadScript(name: string): string {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const own = readFileSync(new URL(`${name}.lua`, LUA_DIRECTORY), "utf8");
  const source = own.replace(INCLUDE_LINE, (_line, piece: string) =>
    readFileSync(new URL(`include/${piece}.lua`, LUA_DIRECTORY), "utf8"),
  );
  const script = source === own ? own : withoutUnused(source);
  loaded.set(name, script);
  return script;
}

/**
 * Removes unused functions, because every call of a script creates all its functions. Relies on the files' format: a
 * function begins in the first column and ends with a lone `end` in the first column, and no text contains `--`.
 */
function withoutUnused(source: string): string {
  const parts = partsOf(source);
  const functions = new Map(parts.map((part) => [part.name, part]));
  const used = new Set<string>();
  const use = ({ text }: Part) => {
    for (const name of text.replace(COMMENT, "").match(NAME) ?? []) {
      const called = functions.get(name);
      if (called === undefined || used.has(name)) continue;
      used.add(name);
      use(called);
    }
  };
  for (const part of parts) if (part.name === undefined) use(part);
  return parts.map(({ name, text }) => (name === undefined || used.has(name) ? text : "")).join("\n");
}

/** A function, or, without a name, a line outside functions. */
interface Part {
  name: string | undefined;
  text: string;
}

function partsOf(source: string): Part[] {
  const parts: Part[] = [];
  const lines = source.split("\n");
  for (let start = 0; start < lines.length; start += 1) {
    const line = lines[start] ?? "";
    if (!line.startsWith(FUNCTION)) {
      parts.push({ name: undefined, text: line });
      continue;
    }
    const [name] = line.slice(FUNCTION.length).match(NAME) ?? [];
    const end = lines.indexOf("end", start);
    if (end < 0) throw new Error(`no end: ${line}`);
    parts.push({ name, text: lines.slice(start, end + 1).join("\n") });
    start = end;
  }
  return parts;
}
