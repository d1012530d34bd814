import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import ipaddr from "ipaddr.js";
import { isAddress } from "../addresses.ts";

/**
 * Environment variables, read once at start. Errors name every wrong variable and its allowed values before anything
 * runs. An empty variable counts as unset.
 */

/** A variable or an option of a command. `parse` returns the value, or throws an `Error` whose message is what is allowed. */
export interface Setting<T> {
  variable: string;
  parse(text: string): T;
  /** Used when the variable is unset; without it, the variable is required. */
  fallback?: { value: T };
  schema?: SettingSchema;
}

/** A JSON schema. A list is written with commas. */
export interface SettingSchema {
  type?: "integer" | "number" | "string" | "array" | "boolean";
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  enum?: readonly string[];
  items?: SettingSchema;
  anyOf?: readonly SettingSchema[];
}

type Shape = Record<string, Setting<unknown>>;
export type SettingValues<S extends Shape> = { [K in keyof S]: S[K] extends Setting<infer T> ? T : never };
export type Environment = Record<string, string | undefined>;

/** Thrown by `readSettings`; the message is one sentence per wrong variable. */
export class SettingsError extends Error {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(problems.join("\n"));
    this.name = "SettingsError";
    this.problems = problems;
  }
}

/** Reads plain settings and secrets; errors never contain the text of a secret. */
export function readSettings<S extends Shape, P extends Shape>(
  environment: Environment,
  shape: { settings: S; secrets: P },
): { settings: SettingValues<S>; secrets: SettingValues<P> } {
  const problems: string[] = [];
  const textOf = (variable: string) => environment[variable]?.trim() || undefined;
  const texts = { textOf, missing: "is not set" };
  const settings = readValues(shape.settings, texts, problems);
  const secrets = readValues(shape.secrets, { ...texts, isSecret: true }, problems);
  if (problems.length > 0) throw new SettingsError(problems);
  return { settings, secrets };
}

/** Reads each value, or adds a sentence to `problems`. `missing` describes a required one without a text. */
export function readValues<S extends Shape>(
  shape: S,
  texts: { textOf(variable: string): string | undefined; missing: string; isSecret?: boolean },
  problems: string[],
): SettingValues<S> {
  const values: Record<string, unknown> = {};
  for (const [name, { variable, parse, fallback }] of Object.entries(shape)) {
    const text = texts.textOf(variable);
    try {
      values[name] =
        text === undefined && fallback !== undefined ? fallback.value : parse(text?.trim() ?? "");
    } catch (error) {
      const wrong = texts.isSecret ? "has an unusable value" : `is "${text?.slice(0, 80)}"`;
      const found = text === undefined ? texts.missing : wrong;
      problems.push(`${variable} ${found}: it must be ${(error as Error).message}.`);
    }
  }
  return values as SettingValues<S>;
}

// Every process compiles these at its start; their type already allows no wrong schema.
const ajv = new Ajv2020({ validateSchema: false });
const NUMBERS = { integer: /^-?\d{1,15}$/, number: /^\d{1,9}(\.\d{1,9})?$/ };

/** A setting whose value has this JSON schema. */
export function schemaSetting<T>(variable: string, schema: SettingSchema, fallback?: T): Setting<T> {
  // Most settings keep their fallback.
  let isValid: ValidateFunction<T> | undefined;
  const parse = (text: string) => {
    const value = fromText(text, schema);
    isValid ??= ajv.compile<T>(schema);
    if (isValid(value)) return value;
    throw new Error(allowed(schema));
  };
  return { variable, schema, parse, ...(fallback !== undefined && { fallback: { value: fallback } }) };
}

function fromText(text: string, { type = "integer", items }: SettingSchema): unknown {
  if (items !== undefined) return text.split(",").map((part) => fromText(part.trim(), items));
  return (type === "integer" || type === "number") && NUMBERS[type].test(text) ? Number(text) : text;
}

/** The allowed values, as the end of "it must be …". */
function allowed({ type, items, anyOf, enum: words, ...limits }: SettingSchema): string {
  if (anyOf !== undefined) return anyOf.map(allowed).join(", or ");
  if (items?.enum !== undefined) return `some of ${items.enum.join(", ")}, divided by commas`;
  if (items !== undefined) return `texts of at least ${items.minLength} characters, divided by commas`;
  if (words !== undefined) return words.length === 1 ? `"${words}"` : `one of ${words.join(", ")}`;
  if (type === "string") return `a text of ${limits.minLength} to ${limits.maxLength} characters`;
  return `a ${type === "integer" ? "whole number" : "number"} from ${limits.minimum} to ${limits.maximum}`;
}

interface Range {
  min: number;
  max: number;
  fallback?: number;
}

/** An integer between two bounds, both included. */
export function integerSetting(variable: string, { min, max, fallback }: Range): Setting<number> {
  return schemaSetting(variable, { type: "integer", minimum: min, maximum: max }, fallback);
}

/** A number between two bounds, both included; may have decimals. */
export function numberSetting(variable: string, { min, max, fallback }: Range): Setting<number> {
  return schemaSetting(variable, { type: "number", minimum: min, maximum: max }, fallback);
}

/** Requests per minute, or `unlimited`. */
export type RateLimit = number | "unlimited";

/** Requests per minute: an integer of at least 1, or `unlimited`. */
export function rateLimitSetting(variable: string, fallback: RateLimit): Setting<RateLimit> {
  const limit: SettingSchema = { type: "integer", minimum: 1, maximum: 1_000_000_000 };
  return schemaSetting(variable, { anyOf: [limit, { enum: ["unlimited"] }] }, fallback);
}

/** A text whose length is between two bounds. */
export function textSetting(
  variable: string,
  {
    minLength = 1,
    maxLength = 2_000,
    fallback,
  }: { minLength?: number; maxLength?: number; fallback?: string } = {},
): Setting<string> {
  return schemaSetting(variable, { type: "string", minLength, maxLength }, fallback);
}

/** One of some words. */
export function choiceSetting<T extends string>(
  variable: string,
  words: readonly T[],
  fallback?: T,
): Setting<T> {
  return schemaSetting(variable, { type: "string", enum: words }, fallback);
}

/** A comma-separated subset of some words. */
export function listSetting<T extends string>(variable: string, words: readonly T[]): Setting<T[]> {
  return schemaSetting(variable, { type: "array", items: { type: "string", enum: words } });
}

/** A path prefix such as `/api`; `/` means no prefix. The value has no trailing slash. */
export function pathPrefixSetting(variable: string, fallback: string): Setting<string> {
  const parse = (text: string) => {
    if (!/^\/(?:[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*\/?)?$/.test(text)) {
      throw new Error("a path that starts with a slash, such as /api");
    }
    return text.replace(/\/$/, "");
  };
  return { variable, parse, fallback: { value: fallback } };
}

/** The origin that browsers use: scheme, host and port; undefined when unset. */
export function originSetting(variable: string): Setting<string | undefined> {
  const parse = (text: string) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isWeb = url !== undefined && ["http:", "https:"].includes(url.protocol);
    if (isWeb && [url.origin, `${url.origin}/`].includes(text)) return url.origin;
    throw new Error(
      "scheme, host and port of the service as browsers name it, such as https://diegetic.example.com",
    );
  };
  return { variable, parse, fallback: { value: undefined } };
}

const NETWORKS_BY_NAME = ["loopback", "linklocal", "uniquelocal"];
const MAX_PROXIES = 100;

/**
 * Comma-separated addresses and networks of proxies whose `X-Forwarded-For` is trusted: `10.1.2.0/24, 2001:db8::7`,
 * `loopback`, `linklocal`, `uniquelocal`; `none` for nobody. Rejects a network that contains every address: clients could
 * then forge their address.
 */
export function trustedProxiesSetting(
  variable: string,
  fallback: readonly string[],
): Setting<readonly string[]> {
  const parse = (text: string): readonly string[] => {
    if (text === "none") return [];
    const proxies = text.split(",").map((proxy) => proxy.trim());
    if (proxies.length <= MAX_PROXIES && proxies.every(isProxy)) return proxies;
    throw new Error(
      `"none", or addresses and networks divided by commas, such as 10.1.2.0/24, 2001:db8::7, ${NETWORKS_BY_NAME.join(", ")}`,
    );
  };
  return { variable, parse, fallback: { value: fallback } };
}

function isProxy(text: string): boolean {
  if (NETWORKS_BY_NAME.includes(text)) return true;
  const [address = "", bits, ...rest] = text.split("/");
  if (rest.length > 0 || !isAddress(address)) return false;
  if (bits === undefined) return true;
  const maxBits = ipaddr.parse(address).kind() === "ipv4" ? 32 : 128;
  return /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= maxBits;
}
