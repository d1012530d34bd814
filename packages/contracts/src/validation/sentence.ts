import type { ErrorObject } from "ajv/dist/2020.js";
import { InvalidInput } from "../http-error.ts";
import { isBlankText } from "./blank.ts";
import { GAME_ID, ownFormats } from "./formats.ts";

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

/** A format that accepts any text as well-formed: a violation is not allowed, but not malformed. */
const NOT_ALLOWED_FORMAT = "advertiser-id";

/** A format whose texts are all short: one that is too long is malformed. */
const SHORT_FORMAT = "iso-date";

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
/** A rejected code or number in a place field is shorter and harmless; a text of this length may be personal. */
const MIN_PERSONAL_CHARACTERS = 4;

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

/** Quotes a value in a sentence: short, on one line, with no more input than is needed to find the mistake. */
export function quoteValue(value: unknown): string {
  if (typeof value === "number" && !Number.isFinite(value)) return "a number too large to read";
  if (typeof value !== "string") return typeof value === "object" ? outlined(value) : String(value);
  return SHOWN_TEXT.test(value) ? `"${value.replace(/\p{C}/gu, "\ufffd")}"` : outlined(value);
}

/** Describes a possibly personal value without quoting it. */
function outlined(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `a list of ${value.length === 1 ? "1 entry" : `${value.length} entries`}`;
  if (typeof value === "object") return "an object";
  if (typeof value !== "string") return `a ${typeof value}`;
  if (value === "") return "an empty text";
  const count = [...value].length;
  return `a ${isBlankText(value) ? "blank " : ""}text of ${count} character${count === 1 ? "" : "s"}`;
}

function isPersonal(path: string, value: unknown): boolean {
  const isPlace =
    /^player_geo\b/.test(path) && typeof value === "string" && value.length >= MIN_PERSONAL_CHARACTERS;
  return isPlace || PERSONAL.has(path);
}

function range({ minimum, maximum }: FieldSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? "" : ` of at most ${maximum}`;
}

/** The type of a field's values other than null. */
function typeOf({ type }: FieldSchema): string | undefined {
  return [type].flat().find((name) => name !== "null");
}

/** `1e400` is well-formed JSON, but reads as infinite, which ajv reports as a wrong type. */
function isNumberOutOfRange(schema: FieldSchema, value: unknown): boolean {
  return (
    ["integer", "number"].includes(typeOf(schema) ?? "") &&
    typeof value === "number" &&
    !Number.isFinite(value)
  );
}

/** Whether the failed keyword, if among `NOT_ALLOWED`, means malformed input after all (docs/behaviour.md#blank-texts). */
function isMalformed(keyword: string, { format }: FieldSchema, value: unknown): boolean {
  if (keyword === "maxLength") return format === SHORT_FORMAT;
  return keyword === "enum" && typeof value === "string" && isBlankText(value);
}

/** The allowed values of a field, as the end of "… must be …". */
function allowed(schema: FieldSchema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.filter((entry) => entry !== null).join(", ")}`;
  switch (typeOf(schema)) {
    case "integer":
      return `a whole number${range(schema)}`;
    case "number":
      return `a number${range(schema)}${schema.multipleOf === undefined ? "" : " with at most two decimals"}`;
    case "boolean":
      return "true or false";
    case "object":
      return "an object";
    case "array":
      return allowedList(schema);
    case "string":
      return ownFormats[schema.format ?? ""]?.allowed ?? allowedText(schema);
    default:
      return "a value of the documented shape";
  }
}

function allowedList({ minItems, maxItems, items }: FieldSchema): string {
  const least = minItems === undefined ? "" : `at least ${minItems} and `;
  const limit = maxItems === undefined ? "" : ` of ${least}at most ${maxItems} entries`;
  return `a list${limit}${items === undefined ? "" : `, each ${allowed(items)}`}`;
}

function allowedText({ format, pattern, minLength, maxLength }: FieldSchema): string {
  if (format === "email") return "an e-mail address such as name@example.com";
  const limit = maxLength === undefined ? "" : ` of at most ${maxLength} characters`;
  if (pattern === GAME_ID) return `text${limit} that is not blank and has no control characters`;
  return `text${limit}${minLength === undefined ? "" : " that is not blank"}`;
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

/** Turns the first failure of ajv (with `verbose`) into the client's error. */
export function invalidInputFrom({ keyword, params, ...error }: ErrorObject): InvalidInput {
  const path = fieldPath(error.instancePath);
  const schema = (error.parentSchema ?? {}) as FieldSchema & { properties?: Record<string, FieldSchema> };
  if (keyword === "required") {
    const missing = String(params.missingProperty);
    const field = path === "" ? missing : `${path}.${missing}`;
    return new InvalidInput(
      400,
      `${field} is required: it must be ${allowed(schema.properties?.[missing] ?? {})}`,
    );
  }
  if (path === "") {
    return new InvalidInput(400, `The body must be a JSON object, but ${outlined(error.data)} was sent.`);
  }
  const isNotAllowed =
    (NOT_ALLOWED.has(keyword) && !isMalformed(keyword, schema, error.data)) ||
    error.schema === NOT_ALLOWED_FORMAT ||
    isNumberOutOfRange(schema, error.data);
  const { format, maxLength } = schema;
  // A format does not name the length, which matters only for a text that is too long.
  const isTooLong = keyword === "maxLength" && format !== undefined && format !== SHORT_FORMAT;
  const expected = allowed(isTooLong ? { type: "string", maxLength } : schema);
  const sent = isPersonal(path, error.data) ? outlined(error.data) : quoteValue(error.data);
  return new InvalidInput(isNotAllowed ? 422 : 400, `${path} must be ${expected}, but ${sent} was sent`);
}
