import type { ErrorObject } from "ajv/dist/2020.js";
import { GAME_ID } from "../game-id.ts";
import { InvalidInput } from "../http-error.ts";
import { isBlankText } from "./blank.ts";
import { ownFormats } from "./formats.ts";

/** A word, a number or a date: typical typos. Names, addresses and long texts are longer, or contain spaces or an @. */
const SHOWN_TEXT = /^[^\s@]{0,30}$/u;

/** Keywords whose failure means well-formed but not allowed; any other failure is malformed input. */
const NOT_ALLOWED = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "maxLength",
  "maxItems",
  "minItems",
  "uniqueItems",
  "enum",
  "const",
]);

/** Formats that accept any text as well-formed: a violation is not allowed, but not malformed. */
const NOT_ALLOWED_FORMATS = new Set(["advertiser-id"]);

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

/** Personal data and secrets: never repeated in answers, which proxies and clients may log. */
const PERSONAL = new Set([
  "email",
  "password",
  "current_password",
  "new_password",
  "token",
  "invitation_token",
  "user_id",
  "session_id",
  "contact_email",
  "creator_id",
  "player_geo.state_code",
  "player_geo.city_name",
]);
/** Up to this length, a rejected code or number in a place field is harmless; a longer text may be personal. */
const PLACE_CHARACTERS = 4;

const EXAMPLE_ADDRESS = "name@example.com";

interface FieldSchema {
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  maxLength?: number;
  minLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  items?: FieldSchema;
}

/** `1 character`, `2 characters`. */
function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Quotes a value in a sentence: short, on one line, with no more input than is needed to find the mistake. */
export function quoteValue(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length === 1 ? "1 entry" : `${value.length} entries`}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  return SHOWN_TEXT.test(value) ? `"${value.replace(/\p{C}/gu, "\ufffd")}"` : outlined(value);
}

/** Describes a possibly personal value without quoting it. */
function outlined(value: unknown): string {
  if (value === "") return "an empty text";
  if (typeof value === "string") {
    const characters = counted([...value].length, "character");
    return isBlankText(value) ? `a blank text of ${characters}` : `a text of ${characters}`;
  }
  return typeof value === "object" ? quoteValue(value) : `a ${typeof value}`;
}

function isPersonal(path: string, value: unknown): boolean {
  if (PERSONAL.has(path)) return true;
  return /^player_geo\b/.test(path) && typeof value === "string" && value.length >= PLACE_CHARACTERS;
}

function range(schema: FieldSchema): string {
  const { minimum, maximum } = schema;
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  if (maximum !== undefined) return ` of at most ${maximum}`;
  return "";
}

/** The allowed values of a field, as the end of "… must be …". */
export function allowed(schema: FieldSchema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.filter((entry) => entry !== null).join(", ")}`;
  const type = Array.isArray(schema.type) ? schema.type.find((name) => name !== "null") : schema.type;
  const name = TYPE_NAMES[type ?? ""] ?? "a value of the documented shape";
  if (type === "integer" || type === "number") {
    const decimals =
      schema.multipleOf === undefined || type === "integer" ? "" : " with at most two decimals";
    return `${name}${range(schema)}${decimals}`;
  }
  if (type === "array") {
    const least = schema.minItems === undefined ? "" : `at least ${schema.minItems} and `;
    const limit = schema.maxItems === undefined ? "" : ` of ${least}at most ${schema.maxItems} entries`;
    return schema.items === undefined ? `${name}${limit}` : `${name}${limit}, each ${allowed(schema.items)}`;
  }
  if (type === "string") {
    const limit = schema.maxLength === undefined ? "" : ` of at most ${schema.maxLength} characters`;
    if (schema.format === "email") return `an e-mail address${limit || ` such as ${EXAMPLE_ADDRESS}`}`;
    const format = schema.format === undefined ? undefined : ownFormats[schema.format]?.allowed;
    if (format !== undefined) return `${format}${schema.format === "uri" ? limit : ""}`;
    if (schema.pattern === GAME_ID) return `${name}${limit} that is not blank and has no control characters`;
    return schema.minLength === undefined ? `${name}${limit}` : `${name}${limit} that is not blank`;
  }
  return name;
}

/** `/player_geo/lat` as `player_geo.lat`, `/alt_hooks/3` as `alt_hooks[3]`. */
export function fieldPath(instancePath: string): string {
  return instancePath
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((path, part) => {
      if (/^\d+$/.test(part)) return `${path}[${part}]`;
      return path === "" ? part : `${path}.${part}`;
    }, "");
}

/** The control character for which a game_id is rejected: it is invisible in the value itself. */
function controlIn({ keyword, schema, data }: ErrorObject): string | undefined {
  if (keyword !== "pattern" || schema !== GAME_ID) return undefined;
  const code = /\p{Cc}/u.exec(String(data))?.[0].codePointAt(0);
  return code === undefined ? undefined : `one with U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Describes a malformed text without quoting it; its length is not the problem. */
function invalidFormat(format: string | undefined, text: string): string {
  if (isBlankText(text)) return outlined(text);
  if (format !== "email") return "a text that is none";
  const parts = text.split("@");
  if (parts.length === 1) return 'a text without "@"';
  if (parts.length > 2) return 'a text with more than one "@"';
  if (/\s/u.test(text)) return "a text with a space in it";
  const [name = "", domain = ""] = parts;
  if (name === "") return 'a text with nothing before "@"';
  if (domain === "") return 'a text with nothing after "@"';
  return domain.includes(".")
    ? "a text with characters, or dots, in places where an address has none"
    : 'a text without a dot after "@"';
}

/** Turns the first failure of ajv (with `verbose`) into the client's error. */
export function invalidInputFrom(error: ErrorObject): InvalidInput {
  const path = fieldPath(error.instancePath);
  if (error.keyword === "required") {
    const missing = String(error.params.missingProperty);
    const properties = (error.parentSchema as { properties?: Record<string, FieldSchema> }).properties;
    const field = path === "" ? missing : `${path}.${missing}`;
    return new InvalidInput(400, `${field} is required: it must be ${allowed(properties?.[missing] ?? {})}`);
  }
  if (path === "") {
    return new InvalidInput(400, `The body must be a JSON object, but ${outlined(error.data)} was sent.`);
  }
  const isNotAllowed = NOT_ALLOWED.has(error.keyword) || NOT_ALLOWED_FORMATS.has(String(error.schema));
  const status = isNotAllowed ? 422 : 400;
  const { maxLength, ...form } = schemaOf(error);
  // A malformed text is not too long, so the message omits the maximum length.
  const expected = allowed(
    hasInvalidFormat(error) || maxLength === undefined ? form : { ...form, maxLength },
  );
  return new InvalidInput(status, `${path} must be ${expected}, but ${sentIn(error, path)} was sent`);
}

function schemaOf({ parentSchema }: ErrorObject): FieldSchema {
  return (parentSchema ?? {}) as FieldSchema;
}

/** Whether a custom format, such as an address, failed; a pattern next to a format reports the same. */
function hasInvalidFormat(error: ErrorObject): boolean {
  return ["format", "pattern"].includes(error.keyword) && schemaOf(error).format !== undefined;
}

function sentIn(error: ErrorObject, path: string): string {
  const { data } = error;
  const isHidden = isPersonal(path, data) || (typeof data === "string" && !SHOWN_TEXT.test(data));
  if (hasInvalidFormat(error) && isHidden) return invalidFormat(schemaOf(error).format, String(data));
  return controlIn(error) ?? (isPersonal(path, data) ? outlined(data) : quoteValue(data));
}
