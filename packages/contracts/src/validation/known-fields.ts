import { InvalidInput } from "../http-error.ts";
import { isBlankText } from "./blank.ts";
import { fieldPath } from "./sentence.ts";

/** How a body is read before its schema is applied. */
export interface Reading {
  /** Whether null fields count as absent. */
  nulls: "drop" | "keep";
  /** Whether blank texts in optional fields, and in lists, count as absent. */
  blanks: "drop" | "keep";
}

interface ShapeSchema {
  type?: string | string[];
  properties?: Record<string, ShapeSchema>;
  required?: string[];
  items?: ShapeSchema;
}

function isBlank(value: unknown): boolean {
  return typeof value === "string" && isBlankText(value);
}

/** Whether the field holds text: a blank text is empty there, and has the wrong type in other fields. */
function isText({ type = [] }: ShapeSchema): boolean {
  return [type].flat().includes("string");
}

/**
 * Reads the known parts of a value; returns the value itself if every part is known.
 * @param parent path of the containing value, as in `/game_context/actions`; formatted only when needed
 */
type Reader = (value: unknown, parent: string, name: string | number) => unknown;

/**
 * Copies only the fields of a schema: ignores everything else in the input, so that nothing (such as `__proto__`)
 * reaches the program. Texts must be storable: well-formed Unicode, no NUL.
 */
export function knownFields(schema: unknown, reading: Reading): (value: unknown) => unknown {
  const read = readerOf(schema as ShapeSchema, reading, false);
  return (value) => read(value, "", "");
}

function readerOf(schema: ShapeSchema, reading: Reading, optional: boolean): Reader {
  const readItems = schema.items && itemsReader(schema.items, reading, optional);
  const readFields = schema.properties && fieldsReader(schema, schema.properties, reading);
  return (value, parent, name) => {
    if (typeof value === "string") return storableText(value, parent, name);
    if (typeof value !== "object" || value === null) return value;
    const path = pathOf(parent, name);
    if (Array.isArray(value)) return readItems === undefined ? value : readItems(value, path);
    return readFields === undefined ? value : readFields(value as Record<string, unknown>, path);
  };
}

function pathOf(parent: string, name: string | number): string {
  return name === "" && parent === "" ? "" : `${parent}/${name}`;
}

function itemsReader(items: ShapeSchema, reading: Reading, optional: boolean) {
  const dropsBlanks = optional && reading.blanks === "drop" && isText(items);
  const read = readerOf(items, reading, optional);
  return (list: unknown[], path: string) => {
    let kept: unknown[] | undefined;
    for (let index = 0; index < list.length; index += 1) {
      const entry = list[index];
      const isDropped = dropsBlanks && isBlank(entry);
      const known = isDropped ? undefined : read(entry, path, index);
      if (kept === undefined && known !== entry) kept = list.slice(0, index);
      if (!isDropped) kept?.push(known);
    }
    return kept ?? list;
  };
}

function fieldsReader(
  { required = [] }: ShapeSchema,
  properties: Record<string, ShapeSchema>,
  reading: Reading,
) {
  const dropsNulls = reading.nulls === "drop";
  const fields = Object.entries(properties).map(([name, schema], at) => {
    const optional = !required.includes(name);
    const dropsBlanks = optional && reading.blanks === "drop" && isText(schema);
    return { at, name, dropsBlanks, read: readerOf(schema, reading, optional) };
  });
  return (value: Record<string, unknown>, path: string) => {
    const known = new Array<unknown>(fields.length);
    let isWhole = true;
    let count = 0;
    for (const { at, name, dropsBlanks, read } of fields) {
      const field = Object.hasOwn(value, name) ? value[name] : undefined;
      if (field === undefined) continue;
      count += 1;
      const isDropped = (dropsNulls && field === null) || (dropsBlanks && isBlank(field));
      const taken = isDropped ? undefined : read(field, path, name);
      known[at] = taken;
      isWhole &&= taken === field;
    }
    if (isWhole && count === Object.keys(value).length) return value;
    const copy: Record<string, unknown> = {};
    for (const { at, name } of fields) if (known[at] !== undefined) copy[name] = known[at];
    return copy;
  };
}

/** The position of an entry in the sent body, given its path in the copy: blank entries before it may have been dropped. */
export function pathInBody(body: unknown, path: string, { blanks }: Reading): string {
  if (blanks === "keep") return path;
  let value = body;
  const names = path.split("/").slice(1);
  const found = names.map((name) => {
    if (typeof value !== "object" || value === null) return name;
    const keys = Object.keys(value);
    const isList = Array.isArray(value);
    const entries = value as Record<string, unknown>;
    const key = isList ? keys.filter((at) => !isBlank(entries[at]))[Number(name)] : name;
    value = entries[key ?? name];
    return key ?? name;
  });
  return found.map((name) => `/${name}`).join("");
}

function storableText(text: string, parent: string, name: string | number): string {
  if (text.isWellFormed() && !text.includes("\0")) return text;
  const path = pathOf(parent, name);
  const unstorable = /[\p{Surrogate}\0]/u.exec(text)?.[0];
  const field = path === "" ? "the text" : fieldPath(path);
  const problem =
    unstorable === "\0"
      ? "without the character NUL (U+0000), but one with it was sent"
      : "of whole Unicode characters, but half of one (a lone surrogate) was sent";
  throw new InvalidInput(400, `${field} must be text ${problem}`);
}
