import fc from "fast-check";

/** What the generator reads of a schema. */
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  readOnly?: boolean;
}

/** Names that mean something to JavaScript. */
export const PROTOTYPE_NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "then",
];

const NASTY_TEXTS = [
  "",
  " ",
  "\t\n",
  "\0",
  "a\0b",
  "\ud800",
  "\udc00x",
  "\u200b",
  "\u202etxet",
  "\ufeff",
  "é".normalize("NFD"),
  "ﬀﬁ№",
  "İıßẞ",
  "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "漢字かな交じり文",
  "ข้อความ",
  "'; DROP TABLE campaigns; --",
  "%00%ff%zz",
  "{{7*7}}",
  "<script>alert(1)</script>",
  "../../etc/passwd",
  "null",
  "NaN",
  "-1",
  "1e999",
  ...PROTOTYPE_NAMES,
];

/** A text of any characters, of usual length, at a limit, or beyond. */
const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NASTY_TEXTS) },
  { weight: 4, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom("x", "ß", "😀", "\u0301", " "),
        fc.constantFrom(199, 200, 201, 254, 255, 1_999, 2_000, 2_001, 20_000),
      )
      .map(([character, length]) => character.repeat(length)),
  },
);

const anyNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, -0, -1, 1, 0.1, 0.005, 99, 100, 10_000, 10_001, 1e9, 1e9 + 1),
  fc.constantFrom(2 ** 31, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e21, 1e308, 5e-324, -1e308),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);

/** Any JSON value at all. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, [], {}, [[]], [null], { a: 1 }),
  anyText,
  anyNumber,
  fc.array(anyText, { maxLength: 5 }),
  fc.integer({ min: 100, max: 1_100 }).map((length) => Array(length).fill("x")),
  fc.jsonValue({ maxDepth: 3 }),
);

const FORMATS: Record<string, fc.Arbitrary<string>> = {
  email: fc.integer({ min: 1, max: 1e9 }).map((number) => `fuzz${number}@example.com`),
  uri: fc.webUrl(),
  "advertiser-id": fc.constantFrom("adv_1", "adv_01kbgy4h0m2d6p8q3r5t7v9wxy", " ADV_X "),
  "country-code": fc.constantFrom("DE", "us", "Fr", "JP"),
  "iso-date": fc.constantFrom(
    "2026-01-01",
    "2026-12-31",
    "2030-06-01T10:00:00Z",
    "2026-02-28T23:59:59+14:00",
  ),
};

/** A value that its schema allows, as a rule; texts of identifiers are drawn from those that exist. */
export function valueFor(schema: Schema, name: string, known: KnownIds): fc.Arbitrary<unknown> {
  const types = [schema.type].flat();
  const plain = fc.oneof(
    { weight: 9, arbitrary: plainValueFor(schema, name, known, types) },
    { weight: 1, arbitrary: atLimit(schema, types) },
  );
  return types.includes("null")
    ? fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 5, arbitrary: plain })
    : plain;
}

/** Identifiers that requests may name: of the caller, of another account, of nobody. */
export type KnownIds = Record<string, string[]>;

function plainValueFor(
  schema: Schema,
  name: string,
  known: KnownIds,
  types: (string | undefined)[],
): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (types.includes("string")) return textOf(schema, name, known);
  if (types.includes("integer"))
    return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1_000, 5_000_000) });
  if (types.includes("number")) {
    return fc
      .double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000, noNaN: true })
      .map((number) => Math.round(number * 100) / 100);
  }
  if (types.includes("boolean")) return fc.boolean();
  if (types.includes("array")) {
    return fc.array(valueFor(schema.items ?? {}, name, known), {
      maxLength: Math.min(schema.maxItems ?? 4, 4),
    });
  }
  return objectOf(schema, known);
}

/** The last value that is allowed, or the first that is not. */
function atLimit(schema: Schema, types: (string | undefined)[]): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum, "another", "");
  if (types.includes("string")) {
    const most = schema.maxLength ?? 200;
    return fc.constantFrom("x".repeat(most), "x".repeat(most + 1), "😀".repeat(most), "x", "");
  }
  if (types.includes("integer") || types.includes("number")) {
    const { minimum = 0, maximum = 1_000 } = schema;
    return fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1, minimum + 0.001, maximum - 0.001);
  }
  if (types.includes("array")) {
    const most = schema.maxItems ?? 100;
    return fc.constantFrom(0, 1, most, most + 1).map((length) => Array(length).fill("x"));
  }
  return fc.constant({});
}

function textOf(schema: Schema, name: string, known: KnownIds): fc.Arbitrary<string> {
  const format = FORMATS[schema.format ?? ""];
  if (format !== undefined) return format;
  const ids = known[name];
  const text = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom("tavern", "calm", "fantasy", "Berlin", "A calm night in the tavern."),
    },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }) },
  );
  return ids === undefined
    ? text
    : fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: text });
}

function objectOf(schema: Schema, known: KnownIds): fc.Arbitrary<Record<string, unknown>> {
  // What only its current value is allowed for is refused nearly always: mutations of bodies name it often enough.
  const changeable = Object.entries(schema.properties ?? {}).filter(([, field]) => field.readOnly !== true);
  const fields = changeable.map(([name, field]) => [name, valueFor(field, name, known)]);
  return fc.record(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] });
}
