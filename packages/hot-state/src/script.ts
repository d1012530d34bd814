import { createHash } from "node:crypto";
import { tracing } from "@diegetic/tracing";
import { Command } from "ioredis";
import type { RedisConnection } from "./connection.ts";
import { ReplyReader, type ScriptReply, UnexpectedReply } from "./reply.ts";
import { loadScript } from "./script-source.ts";

/** No reply contains it. */
const BETWEEN_REPLIES = "|";

type ScriptArgument = string | number;

export type ScriptCall = (...keysAndArguments: ScriptArgument[]) => Promise<ReplyReader>;

export interface ScriptParameters {
  keys: readonly string[];
  values: readonly ScriptArgument[];
}

type VariadicScriptCall = (parameters: ScriptParameters) => Promise<ScriptReply>;

/** Defines a script on a connection, with keys and values as lists, so that their numbers may differ between calls. */
export function defineVariadicScript(redis: RedisConnection, name: string): VariadicScriptCall {
  return callByLists(new Script(redis, name, loadScript(name)));
}

/** Defines a script that returns a list of texts, and returns a function that calls it with its keys, then its arguments. */
export function defineScript(redis: RedisConnection, name: string, numberOfKeys: number): ScriptCall {
  const script = new Script(redis, name, loadScript(name));
  return async (...keysAndArguments) =>
    new ReplyReader(name, await script.call(numberOfKeys, keysAndArguments));
}

/**
 * Like `defineVariadicScript`, for a hot script that returns a list of texts without line breaks: they arrive as lines of one
 * text (`ReplyReader.ofLines`), because the client spends as much time on each part of a reply.
 */
export function defineLinesScript(redis: RedisConnection, name: string): VariadicScriptCall {
  const source = `local function list()\n${loadScript(name)}\nend\nreturn table.concat(list(), '\\n')\n`;
  return callByLists(new Script(redis, name, source));
}

function callByLists(script: Script): VariadicScriptCall {
  return ({ keys, values }) => script.call(keys.length, concatenated(keys, values));
}

/** By `concat`: a literal with several spreads grows step by step, and leaves its earlier copies to the collector. */
function concatenated(...lists: (readonly ScriptArgument[])[]): ScriptArgument[] {
  return ([] as ScriptArgument[]).concat(...lists);
}

/**
 * Two scripts, each as for `defineLinesScript`, in one command: for keys of different hash tags that one server holds.
 * Runs `first`, then `last`, as each call passes their parameters; `splitReplies` divides the reply.
 *
 * @param last takes a fixed number of keys and values
 */
export function defineJoinedScript(
  redis: RedisConnection,
  first: string,
  last: { name: string; keys: number; values: number },
): (ofFirst: ScriptParameters, ofLast: ScriptParameters) => Promise<ScriptReply> {
  const source = `local function first(KEYS, ARGV)
${loadScript(first)}
end
local function last(KEYS, ARGV)
${loadScript(last.name)}
end
local lines = first({ unpack(KEYS, ${last.keys + 1}) }, { unpack(ARGV, ${last.values + 1}) })
return table.concat(lines, '\\n') .. '${BETWEEN_REPLIES}' .. table.concat(last(KEYS, ARGV), '\\n')
`;
  const script = new Script(redis, `${first} and ${last.name}`, source);
  // Those of `last` stand in front, because their number is fixed.
  return (ofFirst, ofLast) =>
    script.call(
      last.keys + ofFirst.keys.length,
      concatenated(ofLast.keys, ofFirst.keys, ofLast.values, ofFirst.values),
    );
}

/** The replies of both scripts of a `defineJoinedScript`. */
export function splitReplies(reply: ScriptReply): [string, string] {
  const at = typeof reply === "string" ? reply.indexOf(BETWEEN_REPLIES) : -1;
  if (typeof reply !== "string" || at < 0) throw new UnexpectedReply("of two in one", reply);
  return [reply.slice(0, at), reply.slice(at + 1)];
}

/**
 * A script on a connection. Sends the source once to each server, then its hash; sends the source again when a server
 * lost it. The client's `defineCommand` does the same at three times the processor time per call.
 */
class Script {
  readonly source: string;
  readonly sha1: string;
  /** Sockets that received the source. */
  readonly knownBy = new WeakSet<object>();
  readonly #redis: RedisConnection;
  readonly #name: string;

  constructor(redis: RedisConnection, name: string, source: string) {
    this.#redis = redis;
    this.#name = name;
    this.source = source;
    this.sha1 = createHash("sha1").update(source).digest("hex");
  }

  call(numberOfKeys: number, keysAndArguments: readonly ScriptArgument[]): Promise<ScriptReply> {
    if (tracing === undefined) return this.#call(numberOfKeys, keysAndArguments);
    const attributes = { "db.system.name": "redis", "db.stored_procedure.name": this.#name };
    return tracing.child({ name: `script ${this.#name}`, kind: "client", attributes }, () =>
      this.#call(numberOfKeys, keysAndArguments),
    );
  }

  #call(numberOfKeys: number, keysAndArguments: readonly ScriptArgument[]): Promise<ScriptReply> {
    const command = new ScriptCommand(this, numberOfKeys, keysAndArguments);
    return this.#send(command).catch((error: unknown) => {
      if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
      if (command.socket !== undefined) this.knownBy.delete(command.socket);
      return this.#send(new ScriptCommand(this, numberOfKeys, keysAndArguments));
    });
  }

  #send(command: ScriptCommand): Promise<ScriptReply> {
    return this.#redis.sendCommand(command) as Promise<ScriptReply>;
  }
}

/** EVALSHA, or EVAL if the server does not know the script yet; a cluster may write one command to several sockets in turn. */
class ScriptCommand extends Command {
  /** The socket that it was last written to. */
  socket: object | undefined;
  readonly #script: Script;

  constructor(script: Script, numberOfKeys: number, keysAndArguments: readonly ScriptArgument[]) {
    // No arguments here: the client would copy and scan them twice.
    super("evalsha", [], { replyEncoding: "utf8" });
    this.#script = script;
    this.args = concatenated([script.sha1, numberOfKeys], keysAndArguments);
  }

  override toWritable(socket: object): string | Buffer {
    const { source, sha1, knownBy } = this.#script;
    const isKnown = knownBy.has(socket);
    this.name = isKnown ? "evalsha" : "eval";
    this.args[0] = isKnown ? sha1 : source;
    if (!isKnown) knownBy.add(socket);
    this.socket = socket;
    const text = asciiText(this.name, this.args as ScriptArgument[]);
    if (text !== undefined) return text;
    this.args = this.args.map(String);
    return super.toWritable(socket);
  }
}

/** What precedes a short argument in the protocol, by its length. */
const LENGTH_PREFIXES = Array.from({ length: 256 }, (_, length) => `$${length}`);

/** The bytes that the client would write; undefined when a character is longer than one byte. */
function asciiText(name: string, values: readonly ScriptArgument[]): string | undefined {
  // Not grown step by step, which leaves its earlier copies to the collector.
  const parts = new Array<string>(2 * values.length + 4);
  parts[0] = `*${values.length + 1}`;
  parts[1] = `$${name.length}`;
  parts[2] = name;
  let at = 3;
  for (const value of values) {
    const text = String(value);
    parts[at++] = LENGTH_PREFIXES[text.length] ?? `$${text.length}`;
    parts[at++] = text;
  }
  parts[at] = "";
  const text = parts.join("\r\n");
  return Buffer.byteLength(text) === text.length ? text : undefined;
}
