import fc from "fast-check";
import { junk, type KnownIds, PROTOTYPE_NAMES, type Schema, valueFor } from "./values.ts";

const BODY_LIMIT_BYTES = 256 * 1024;

/** A change of one thing in a body. */
type Mutation = (body: unknown) => unknown;

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  // A field becomes anything.
  fc.tuple(fc.nat(), junk).map(
    ([at, value]) =>
      (body: unknown) =>
        atField(body, at, () => value),
  ),
  // A field is missing.
  fc.nat().map((at) => (body: unknown) => withoutField(body, at)),
  // A field is wrapped.
  fc.nat().map((at) => (body: unknown) => atField(body, at, (value) => [value])),
  // There is one more field.
  fc.tuple(fc.oneof(fc.constantFrom(...PROTOTYPE_NAMES), fc.string()), junk).map(
    ([name, value]) =>
      (body: unknown) =>
        withField(body, name, value),
  ),
  // The body is something else.
  junk.map((value) => () => value),
);

/** Text that is no JSON, or hardly any. */
const brokenText: fc.Arbitrary<string | Buffer> = fc.oneof(
  fc.constantFrom(
    "",
    "{",
    "}",
    "[",
    '{"a":}',
    "{a:1}",
    "{'a':1}",
    '{"a":1,}',
    "nul",
    "NaN",
    "1e999",
    '"',
    "//",
  ),
  fc.constantFrom(
    "\ufeff{}",
    "{}{}",
    "{} x",
    '{"__proto__":{"x":1}}',
    '{"a":1e400}',
    '{"a":1,"a":2}',
    '"\\ud800"',
  ),
  fc.constantFrom(100, 2_000, 50_000).map((depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`),
  fc.constantFrom(100, 2_000, 20_000).map((depth) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`),
  fc.constantFrom(BODY_LIMIT_BYTES, BODY_LIMIT_BYTES + 1).map((length) => '{"a":1}'.padEnd(length, " ")),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);

/** The body of a request by its schema: as documented, changed in up to three places, cut short, or no JSON at all. */
export function bodyText(schema: Schema, known: KnownIds): fc.Arbitrary<string | Buffer> {
  const valid = valueFor(schema, "", known);
  const mutated = fc
    .tuple(valid, fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([body, mutations]) => mutations.reduce((changed, mutate) => mutate(changed), body));
  return fc.oneof(
    { weight: 5, arbitrary: valid.map(textOf) },
    { weight: 9, arbitrary: mutated.map(textOf) },
    { weight: 1, arbitrary: fc.tuple(valid, fc.nat()).map(([body, at]) => cut(textOf(body), at)) },
    { weight: 2, arbitrary: brokenText },
  );
}

function textOf(body: unknown): string {
  return JSON.stringify(body) ?? "null";
}

function cut(text: string, at: number): string {
  return text.slice(0, at % (text.length + 1));
}

/** Every place below an object or list: the container and the name. */
function placesIn(value: unknown): [container: Record<string, unknown>, name: string][] {
  if (typeof value !== "object" || value === null) return [];
  const container = value as Record<string, unknown>;
  return Object.keys(container).flatMap(
    (name) => [[container, name], ...placesIn(container[name])] as const,
  ) as [Record<string, unknown>, string][];
}

function atField(body: unknown, at: number, change: (value: unknown) => unknown): unknown {
  const copy = structuredClone(body);
  const places = placesIn(copy);
  const place = places[at % Math.max(1, places.length)];
  if (place === undefined) return copy;
  const [container, name] = place;
  define(container, name, change(container[name]));
  return copy;
}

function withoutField(body: unknown, at: number): unknown {
  const copy = structuredClone(body);
  const places = placesIn(copy);
  const place = places[at % Math.max(1, places.length)];
  if (place !== undefined) delete place[0][place[1]];
  return copy;
}

function withField(body: unknown, name: string, value: unknown): unknown {
  if (typeof body !== "object" || body === null) return body;
  const copy = structuredClone(body) as Record<string, unknown>;
  define(copy, name, value);
  return copy;
}

/** Also for `__proto__`, which an assignment would not make a field. */
function define(container: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(container, name, { value, enumerable: true, configurable: true, writable: true });
}
