import type { Static, TSchema, TUnsafe } from "typebox";
import { VISIBLE } from "../validation/blank.ts";
import { COUNTRY_CODE } from "../validation/country-codes.ts";
import { FLIGHT_DATE, GAME_ID } from "../validation/formats.ts";
import type { QueryParameter } from "./operation.ts";
import Type from "./type.ts";

/** Maximum characters of names, brands, products, values, tags and identifiers (docs/behaviour.md#text-limits). */
export const MAX_NAME_CHARACTERS = 200;
/** Maximum characters of hooks, taglines and narrative (docs/behaviour.md#text-limits). */
export const MAX_TEXT_CHARACTERS = 2_000;
export const MAX_EMAIL_CHARACTERS = 254;
/** Maximum entries of a list in a body (docs/behaviour.md#text-limits). */
const MAX_LIST_ENTRIES = 100;
/** Maximum amount of money in one field, in cents (docs/behaviour.md#amounts). */
export const MAX_AMOUNT_CENTS = 1_000_000_000;

/** Rejects blank texts. */
export const NOT_BLANK = VISIBLE.source;
export const AFFINITY_WEIGHT = { minimum: 0.1, maximum: 3, default: 1 };

/** A query parameter that selects by the exact text. */
export function textFilter(description: string) {
  return Type.String({ minLength: 1, maxLength: MAX_NAME_CHARACTERS, description });
}

/** An object with exactly these fields. */
export function closed<Fields extends Record<string, TSchema>>(fields: Fields, description: string) {
  return Type.Object(fields, { additionalProperties: false, description });
}

/** A request object: unknown fields are allowed and ignored (docs/behaviour.md#response-only-fields). */
export function open<Fields extends Record<string, TSchema>>(fields: Fields, description?: string) {
  return Type.Object(fields, description === undefined ? {} : { description });
}

/** The schema, or null. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> {
  const plain = schema as { type?: string; enum?: unknown[] };
  return Type.Unsafe<Static<Schema> | null>({
    ...schema,
    type: [plain.type, "null"],
    ...(plain.enum !== undefined && { enum: [...plain.enum, null] }),
  });
}

/** An optional field; null equals absent, or clears the field in a PATCH. */
export function optional<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(nullable(schema));
}

/** A short text: a name, a brand, a tag, an identifier. */
export function nameText(description: string) {
  return Type.String({ minLength: 1, maxLength: MAX_NAME_CHARACTERS, pattern: NOT_BLANK, description });
}

/** A long text: a hook, a tagline, narrative. */
export function longText(description: string) {
  return Type.String({ minLength: 1, maxLength: MAX_TEXT_CHARACTERS, pattern: NOT_BLANK, description });
}

/** A text in an answer; only requests have limits. */
export function answerText(description: string) {
  return Type.String({ description });
}

export function oneOf<const Values extends readonly string[]>(
  values: Values,
  description: string,
  usual?: Values[number],
) {
  return Type.Unsafe<Values[number]>({
    type: "string",
    enum: [...values],
    ...(usual !== undefined && { default: usual }),
    description,
  });
}

export function listOf<Schema extends TSchema>(entry: Schema, description: string, minItems?: number) {
  return Type.Array(entry, {
    maxItems: MAX_LIST_ENTRIES,
    ...(minItems !== undefined && { minItems }),
    description,
  });
}

/** An amount of money in a request, in cents. */
export function amountCents(description: string) {
  return Type.Integer({ minimum: 1, maximum: MAX_AMOUNT_CENTS, description });
}

/** A total in an answer: an integer, never negative. */
export function count(description: string) {
  return Type.Integer({ minimum: 0, description });
}

export function timestamp(description: string) {
  return Type.String({
    format: "date-time",
    description: `${description} ISO 8601 in UTC with milliseconds.`,
  });
}

export function flightDate(description: string) {
  return Type.String({
    format: "iso-date",
    pattern: FLIGHT_DATE.source,
    maxLength: 40,
    description: `${description} A date (the whole UTC day) or a time, in ISO 8601.`,
  });
}

/** An exact amount in an answer: 1 000 millicents are a cent. */
export function millicents(description: string) {
  return Type.Integer({ minimum: 0, description: `${description} In millicents, exact: 1000 are a cent.` });
}

/** An amount in an answer, 1 000 000 microcents a cent, as `microcentsToNumber` of the package `money` returns it. */
export function microcents(description: string) {
  return Type.Integer({
    minimum: 0,
    description: `${description} In microcents: 1000000 are a cent. Exact up to ${Number.MAX_SAFE_INTEGER}, beyond it the nearest double.`,
  });
}

/** A UTC day in an answer or a parameter. */
export function utcDate(description: string) {
  return Type.String({ format: "date", description: `${description} A UTC day, YYYY-MM-DD.` });
}

/** Groups of impressions in a period, and the sum of all groups. */
export function report<Total extends TSchema, Row extends TSchema>(
  { total, row }: { total: Total; row: Row },
  order: string,
  description: string,
) {
  return closed(
    {
      from: utcDate("The first day of the period."),
      to: utcDate("The last day of the period."),
      total,
      rows: Type.Array(row, { description: order }),
    },
    description,
  );
}

/**
 * The query parameters of a period.
 * @param more about `days`
 */
export function periodQuery(
  limits: { minimum: number; maximum: number; default: number },
  example: { days: number; from: string; to: string },
  more = "",
): QueryParameter[] {
  const days = `Number of days, counted back from \`to\`; ignored with \`from\`. ${more}`.trimEnd();
  const from = utcDate("The first day; without it `days` tells where the period begins.");
  const to = utcDate("The last day; today if it is left out or in the future.");
  return [
    { name: "days", schema: Type.Integer({ ...limits, description: days }), example: example.days },
    { name: "from", schema: from, example: example.from },
    { name: "to", schema: to, example: example.to },
  ];
}

/** The developer's own identifier of a game. */
export function gameId() {
  return Type.String({
    minLength: 1,
    maxLength: MAX_NAME_CHARACTERS,
    pattern: GAME_ID,
    description: "The developer's own identifier of the game; compared exactly, no control characters.",
  });
}

/** The code of a country in a request. */
export function countryCode(description: string) {
  return Type.String({ format: "country-code", pattern: COUNTRY_CODE.source, description });
}

export function latitude(description: string) {
  return Type.Number({ minimum: -90, maximum: 90, description });
}

export function longitude(description: string) {
  return Type.Number({ minimum: -180, maximum: 180, description });
}

/** The weight of an affinity in an answer. */
export function affinityWeight(description: string) {
  const { minimum, maximum } = AFFINITY_WEIGHT;
  return Type.Number({ minimum, maximum, description });
}

export const errorSchema = closed(
  { detail: answerText("The error, the field and the allowed values, as one sentence.") },
  "Every error of the API.",
);
