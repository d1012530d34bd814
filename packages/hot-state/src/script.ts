import { readFileSync } from "node:fs";
import type { RedisConnection } from "./connection.ts";
import type { ScriptReply } from "./reply.ts";

const LUA_DIRECTORY = new URL("../lua/", import.meta.url);
const INCLUDE_LINE = /^--\s*@include\s+"([a-z_-]+)"\s*$/gm;

export type ScriptCall = (...keysAndArguments: (string | number)[]) => Promise<ScriptReply>;

/**
 * Reads `lua/<name>.lua` and puts `lua/include/<piece>.lua` in the place of each line `-- @include "<piece>"`.
 * Includes do not nest: a script shows at its head everything that it is made of.
 */
export function loadScript(name: string): string {
  const source = readFileSync(new URL(`${name}.lua`, LUA_DIRECTORY), "utf8");
  return source.replace(INCLUDE_LINE, (_line, piece: string) =>
    readFileSync(new URL(`include/${piece}.lua`, LUA_DIRECTORY), "utf8"),
  );
}

/** A script whose number of keys depends on the call. */
export type VariadicScriptCall = (
  keys: readonly string[],
  values: readonly (string | number)[],
) => Promise<ScriptReply>;

/** Like `defineScript`, for a script that is called with any number of keys. */
export function defineVariadicScript(redis: RedisConnection, name: string): VariadicScriptCall {
  const call = commandOf(redis, name, { lua: loadScript(name) });
  // The client flattens lists: tens of thousands of arguments would not fit on the stack.
  return (keys, values) => call.call(redis, keys.length, keys, values);
}

/**
 * Defines a script on a connection and returns the function that calls it with its keys, then its arguments.
 * The number of keys is fixed, and `defineCommand` re-sends the source when a server has forgotten it.
 */
export function defineScript(redis: RedisConnection, name: string, numberOfKeys: number): ScriptCall {
  const call = commandOf(redis, name, { numberOfKeys, lua: loadScript(name) });
  return (...keysAndArguments) => call.apply(redis, keysAndArguments);
}

type Command = (...values: (string | number | readonly (string | number)[])[]) => Promise<ScriptReply>;

function commandOf(
  redis: RedisConnection,
  name: string,
  definition: { lua: string; numberOfKeys?: number },
): Command {
  const command = `diegetic_${name}`;
  redis.defineCommand(command, definition);
  const call = (redis as unknown as Record<string, Command>)[command];
  if (call === undefined) throw new Error(`script ${name} was not defined`);
  return call;
}
