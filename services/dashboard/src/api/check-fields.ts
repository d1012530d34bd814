/** Checks the values of a form against the schema of the request, before it is sent. */
import { formatCount, formatNumber } from "../format/format.ts";

export interface FieldSchema {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minItems?: number;
  maxItems?: number;
  items?: FieldSchema;
  properties?: Record<string, FieldSchema>;
  required?: string[];
}

export type FieldProblems = Record<string, string>;

/** How people read a number of this field; cents, say, as money. */
export type ShowNumber = (field: string, value: number) => string;

const showPlain: ShowNumber = (_field, value) => formatNumber(value);
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u;
const FORMATS: Record<string, { sentence: string; has: (text: string) => boolean }> = {
  email: { sentence: "Enter an e-mail address, such as name@example.com.", has: isEmail },
  uri: {
    sentence: "Enter a web address, such as https://example.com.",
    has: (text) => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text),
  },
  "country-code": { sentence: "Choose a country.", has: (text) => /^[A-Za-z]{2}$/.test(text) },
  "iso-date": {
    sentence: "Enter a date, such as 2026-12-01.",
    has: (text) => /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text)),
  },
};

/**
 * Every field with something wrong, and a sentence that says what is expected; a field of an object by its path, as
 * `player_geo.lat`. Empty when the values can be sent.
 */
export function checkFields(
  schema: FieldSchema,
  values: Readonly<Record<string, unknown>>,
  show: ShowNumber = showPlain,
  parent = "",
): FieldProblems {
  const problems: FieldProblems = {};
  for (const [field, expected] of Object.entries(schema.properties ?? {})) {
    const value = values[field];
    if (expected.properties !== undefined && typeof value === "object" && value !== null) {
      const parts = value as Record<string, unknown>;
      Object.assign(problems, checkFields(expected, parts, show, `${parent}${field}.`));
      continue;
    }
    const isRequired = schema.required?.includes(field) ?? false;
    const problem = problemOf(field, expected, value, isRequired, show);
    if (problem !== undefined) problems[`${parent}${field}`] = problem;
  }
  return problems;
}

/**
 * What has a field of its own in a form: the fields of the body other than objects, and the parts of objects that the form
 * names. A sentence about anything else belongs to no field.
 */
export function formFields(schema: FieldSchema, nested: readonly string[]): string[] {
  const fields = Object.entries(schema.properties ?? {});
  return [...nested, ...fields.flatMap(([field, { properties }]) => (properties ? [] : [field]))];
}

function problemOf(
  field: string,
  schema: FieldSchema,
  value: unknown,
  isRequired: boolean,
  show: ShowNumber,
): string | undefined {
  const types = [schema.type ?? []].flat();
  if (value === undefined || value === null || value === "") {
    // In a change, null clears a field; one that cannot be cleared is refused.
    const isRefused = value !== undefined && !types.includes("null") && (value === "" || types.length > 0);
    const mayBeLeftOut = !isRequired && !isRefused;
    return mayBeLeftOut ? undefined : requiredSentence(schema);
  }
  if (types.includes("integer") || types.includes("number")) return numberProblem(field, schema, value, show);
  if (types.includes("string")) return textProblem(schema, value);
  if (types.includes("array")) return listProblem(field, schema, value, show);
  return undefined;
}

function requiredSentence(schema: FieldSchema): string {
  if (schema.enum !== undefined) return "Choose one.";
  return FORMATS[schema.format ?? ""]?.sentence ?? "Fill in this field.";
}

function numberProblem(
  field: string,
  schema: FieldSchema,
  value: unknown,
  show: ShowNumber,
): string | undefined {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  if (typeof value !== "number" || Number.isNaN(value)) return "Enter a number.";
  if ([schema.type].flat().includes("integer") && !Number.isInteger(value)) return "Enter a whole number.";
  if (value >= minimum && value <= maximum) return decimalsProblem(schema, value);
  if (maximum === Number.POSITIVE_INFINITY) return `Enter ${show(field, minimum)} or more.`;
  return `Enter a number from ${show(field, minimum)} to ${show(field, maximum)}.`;
}

/** Decimals are counted, as by the server: the remainder of 0.07 by 0.01 is not 0. */
function decimalsProblem({ multipleOf }: FieldSchema, value: number): string | undefined {
  if (multipleOf === undefined) return undefined;
  const decimals = Math.max(0, Math.round(-Math.log10(multipleOf)));
  return Number(value.toFixed(decimals)) === value ? undefined : `Use at most ${decimals} decimals.`;
}

function textProblem(schema: FieldSchema, value: unknown): string | undefined {
  if (typeof value !== "string") return "Enter text.";
  if (schema.enum !== undefined) return schema.enum.includes(value) ? undefined : "Choose one.";
  if (schema.minLength !== undefined && value.trim() === "") return "Fill in this field.";
  // As by the server: a character outside the basic plane is one.
  const { length } = [...value];
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    return `Use at most ${formatCount(schema.maxLength)} characters; this has ${formatCount(length)}.`;
  }
  const format = FORMATS[schema.format ?? ""];
  if (format?.has(value) === false) return format.sentence;
  if (schema.pattern === undefined || new RegExp(schema.pattern, "u").test(value)) return undefined;
  if (format !== undefined) return format.sentence;
  if (!VISIBLE.test(value)) return "Fill in this field.";
  return "Use visible characters and spaces only: no tabs, line breaks or other control characters.";
}

function listProblem(
  field: string,
  schema: FieldSchema,
  value: unknown,
  show: ShowNumber,
): string | undefined {
  if (!Array.isArray(value)) return "Enter a list.";
  if (schema.minItems !== undefined && value.length < schema.minItems) return "Choose at least one.";
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    return `Use at most ${formatCount(schema.maxItems)} entries; there are ${formatCount(value.length)}.`;
  }
  if (schema.items?.properties !== undefined || schema.items === undefined) return undefined;
  for (const entry of value) {
    const problem = problemOf(field, schema.items, entry, true, show);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Catches slips alone; the server decides. */
function isEmail(text: string): boolean {
  const [name, domain, ...more] = text.split("@");
  if (!name || domain === undefined || more.length > 0 || /\s/.test(text)) return false;
  return domain.split(".").length > 1 && !domain.startsWith(".") && !domain.endsWith(".");
}
