import { InvalidInput } from "./invalid-input.ts";
import { fieldPath } from "./sentence.ts";

/** How a body is read before its schema is applied. */
export interface Reading {
  /** Whether null fields count as absent. */
  nulls: "drop" | "keep";
  /** Whether blank texts in optional fields, and in the lists among them, count as absent. */
  blanks: "drop" | "keep";
}

interface ShapeSchema {
  type?: string | string[];
  properties?: Record<string, ShapeSchema>;
  required?: string[];
  items?: ShapeSchema;
}

function isBlank(value: unknown): boolean {
  return typeof value === "string" && value.trim() === "";
}

/** Whether the field holds text: a blank one means nothing there, and is of a wrong type anywhere else. */
function isText({ type = [] }: ShapeSchema): boolean {
  return [type].flat().includes("string");
}

/**
 * A copy of the value with the fields that its schema knows: what else a client sent is ignored, and nothing of it
 * (a `__proto__`, say) reaches the rest of the program. Texts must be storable: whole Unicode characters, no NUL.
 */
export function knownFields(schema: unknown, value: unknown, reading: Reading): unknown {
  return copy(schema as ShapeSchema, value, reading, "", false);
}

function copy(
  schema: ShapeSchema,
  value: unknown,
  reading: Reading,
  path: string,
  optional: boolean,
): unknown {
  if (typeof value === "string") return storableText(value, path);
  if (Array.isArray(value)) {
    const items = schema.items;
    if (items === undefined) return value;
    const dropsBlanks = optional && reading.blanks === "drop" && isText(items);
    return value.flatMap((entry, index) => {
      if (dropsBlanks && isBlank(entry)) return [];
      return [copy(items, entry, reading, `${path}/${index}`, optional)];
    });
  }
  if (typeof value !== "object" || value === null || schema.properties === undefined) return value;
  const result: Record<string, unknown> = {};
  const required = new Set(schema.required ?? []);
  for (const [name, fieldSchema] of Object.entries(schema.properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const field = (value as Record<string, unknown>)[name];
    const fieldIsOptional = !required.has(name);
    if (field === null && reading.nulls === "drop") continue;
    if (fieldIsOptional && reading.blanks === "drop" && isBlank(field) && isText(fieldSchema)) continue;
    result[name] = copy(fieldSchema, field, reading, `${path}/${name}`, fieldIsOptional);
  }
  return result;
}

/**
 * Where in the body that was sent an entry stands, given its path in the copy: blank entries before it may have been left
 * out.
 */
export function pathInBody(body: unknown, path: string, { blanks }: Reading): string {
  if (blanks === "keep") return path;
  let value = body;
  const names = path.split("/").slice(1);
  const found = names.map((name) => {
    if (typeof value !== "object" || value === null) return name;
    const places = Object.keys(value);
    const isList = Array.isArray(value);
    const entries = value as Record<string, unknown>;
    const place = isList ? places.filter((at) => !isBlank(entries[at]))[Number(name)] : name;
    value = entries[place ?? name];
    return place ?? name;
  });
  return found.map((name) => `/${name}`).join("");
}

function storableText(text: string, path: string): string {
  const unstorable = /[\p{Surrogate}\0]/u.exec(text)?.[0];
  if (unstorable === undefined) return text;
  const field = path === "" ? "the text" : fieldPath(path);
  const problem =
    unstorable === "\0"
      ? "without the character NUL (U+0000), but one with it was sent"
      : "of whole Unicode characters, but half of one (a lone surrogate) was sent";
  throw new InvalidInput(400, `${field} must be text ${problem}`);
}
