import ipaddr from "ipaddr.js";
import { isAddress } from "../addresses.ts";

/**
 * Environment variables, read once at start. Errors name every wrong variable and its allowed values before anything
 * runs. An empty variable counts as unset.
 */

/** Reads one variable. `parse` returns the value, or throws an `Error` whose message is what is allowed. */
export interface Setting<T> {
  variable: string;
  parse(text: string): T;
  /** Used when the variable is unset; without it, the variable is required. */
  fallback?: { value: T };
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
  const settings = readShape(environment, shape.settings, false, problems);
  const secrets = readShape(environment, shape.secrets, true, problems);
  if (problems.length > 0) throw new SettingsError(problems);
  return { settings, secrets };
}

function readShape<S extends Shape>(
  environment: Environment,
  shape: S,
  secret: boolean,
  problems: string[],
): SettingValues<S> {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(shape)) {
    const text = environment[setting.variable]?.trim() ?? "";
    if (text === "" && setting.fallback !== undefined) {
      values[name] = setting.fallback.value;
      continue;
    }
    try {
      values[name] = setting.parse(text);
    } catch (error) {
      const allowed = error instanceof Error ? error.message : String(error);
      const found =
        text === "" ? "is not set" : secret ? "has an unusable value" : `is "${text.slice(0, 80)}"`;
      problems.push(`${setting.variable} ${found}: it must be ${allowed}.`);
    }
  }
  return values as SettingValues<S>;
}

interface IntegerRange<F> {
  min: number;
  max: number;
  fallback?: F;
}

function withFallback<T>(setting: Setting<T>, value: T | undefined): Setting<T> {
  return value === undefined ? setting : { ...setting, fallback: { value } };
}

function parseInteger(text: string, min: number, max: number): number | undefined {
  if (!/^-?\d{1,15}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

/** An integer between two bounds, both included. */
export function integerSetting(variable: string, range: IntegerRange<number>): Setting<number> {
  const parse = (text: string) => {
    const value = parseInteger(text, range.min, range.max);
    if (value === undefined) throw new Error(`a whole number from ${range.min} to ${range.max}`);
    return value;
  };
  return withFallback({ variable, parse }, range.fallback);
}

/** Requests per minute, or `unlimited`. */
export type RateLimit = number | "unlimited";

const MAX_RATE_LIMIT = 1_000_000_000;

/** Requests per minute: an integer of at least 1, or `unlimited`. */
export function rateLimitSetting(variable: string, fallback: RateLimit): Setting<RateLimit> {
  const parse = (text: string): RateLimit => {
    if (text === "unlimited") return "unlimited";
    const value = parseInteger(text, 1, MAX_RATE_LIMIT);
    if (value === undefined) throw new Error(`a whole number from 1 to ${MAX_RATE_LIMIT}, or "unlimited"`);
    return value;
  };
  return { variable, parse, fallback: { value: fallback } };
}

/** A text whose length is between two bounds. */
export function textSetting(
  variable: string,
  options: { minLength?: number; maxLength?: number; fallback?: string } = {},
): Setting<string> {
  const minLength = options.minLength ?? 1;
  const maxLength = options.maxLength ?? 2_000;
  const parse = (text: string) => {
    if (text.length >= minLength && text.length <= maxLength) return text;
    throw new Error(`a text of ${minLength} to ${maxLength} characters`);
  };
  return withFallback({ variable, parse }, options.fallback);
}

/** One of some words. */
export function choiceSetting<T extends string>(
  variable: string,
  choices: readonly T[],
  fallback?: T,
): Setting<T> {
  const parse = (text: string) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new Error(`one of ${choices.join(", ")}`);
    return choice;
  };
  return withFallback({ variable, parse }, fallback);
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
