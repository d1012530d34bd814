import type { Operation } from "@diegetic/contracts";
import fc from "fast-check";
import { BASE_PATH, type RawRequest } from "../composed-api.fixture.ts";
import { bodyText } from "./bodies.ts";
import type { KnownIds, Schema } from "./values.ts";

/** The callers of a fuzzed request, and what they may name. */
export interface FuzzWorld {
  /** May everything. */
  key: string;
  /** Others: of another account, for serving alone. */
  otherKeys: string[];
  /** What bodies may name, by the name of the field. */
  known: KnownIds;
  /** What paths may name, by the name of the parameter. */
  knownInPaths: KnownIds;
}

const RAW_PATH_PARTS = [
  "%00",
  "%ff",
  "%zz",
  "%",
  "..",
  ".",
  "%2e%2e%2f",
  "%20",
  "a%0ab",
  "bulk",
  "x".repeat(3_000),
];
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"];
const CONTENT_TYPES = [
  "application/json",
  "application/json; charset=UTF-8",
  "APPLICATION/JSON",
  "application/json; charset=latin1",
  "application/json;",
  "text/plain",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded",
  ";",
];

/** A request to an operation: as documented as a rule, with anything wrong in it here and there. */
export function requestTo(operation: Operation, world: FuzzWorld): fc.Arbitrary<RawRequest> {
  return fc
    .record({
      method: mostly(operation.method, fc.constantFrom(...METHODS), 40),
      path: pathOf(operation, world),
      query: queryOf(operation, world),
      authorization: authorization(world),
      contentType: mostly("application/json", fc.constantFrom(...CONTENT_TYPES), 20),
      idempotencyKey: idempotencyKey(operation),
      body: bodyOf(operation, world),
    })
    .map(({ method, path, query, authorization, contentType, idempotencyKey, body }) => ({
      method,
      path: `${BASE_PATH}${path}${query}`,
      headers: {
        ...(authorization === undefined ? {} : { Authorization: authorization }),
        ...(body === undefined ? {} : { "Content-Type": contentType }),
        ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
      },
      ...(body === undefined || method === "TRACE" ? {} : { body }),
    }));
}

function mostly<Value>(usual: Value, other: fc.Arbitrary<Value>, oneIn: number): fc.Arbitrary<Value> {
  return fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
}

function pathOf(operation: Operation, world: FuzzWorld): fc.Arbitrary<string> {
  const parts = operation.path.slice(1).split("/");
  const arbitraries = parts.map((part) => {
    const name = /^\{(.+)\}$/.exec(part)?.[1];
    if (name === undefined) return fc.constant(part);
    const ids = world.knownInPaths[name] ?? [];
    return fc.oneof(
      { weight: 28, arbitrary: fc.constantFrom(...ids) },
      { weight: 1, arbitrary: fc.string({ unit: "grapheme", minLength: 1 }).map(encodeURIComponent) },
      { weight: 1, arbitrary: fc.constantFrom(...RAW_PATH_PARTS) },
    );
  });
  const path = fc.tuple(...arbitraries).map((values) => `/${values.join("/")}`);
  const other = path.chain((text) =>
    fc.constantFrom(`${text}/`, `/${text}`, `${text}/x`, text.toUpperCase()),
  );
  return fc.oneof({ weight: 40, arbitrary: path }, { weight: 1, arbitrary: other });
}

function queryOf(operation: Operation, world: FuzzWorld): fc.Arbitrary<string> {
  const names = [
    ...(operation.query ?? []).map(({ name }) => name),
    ...(operation.paged ? ["limit", "cursor"] : []),
  ];
  if (names.length === 0) return mostly("", fc.constantFrom("?", "?limit=0", "?__proto__=1", "?%zz"), 20);
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: -1, max: 501 }).map(String) },
    { weight: 2, arbitrary: fc.constantFrom(...Object.values(world.knownInPaths).flat()) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("", "abc", "1.5", "1e2", "0x10", "+1", " 1", "٣", "9".repeat(400)),
    },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme" }) },
  );
  const pair = fc
    .tuple(fc.constantFrom(...names), value)
    .map(([name, text]) => `${name}=${encodeURIComponent(text)}`);
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant("") },
    {
      weight: 6,
      arbitrary: fc.array(pair, { minLength: 1, maxLength: 3 }).map((pairs) => `?${pairs.join("&")}`),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom("?", "?&&&", "?limit", "?limit[]=1", "?%zz=%ff", "?=1", "?cursor=%00"),
    },
  );
}

function authorization({ key, otherKeys }: FuzzWorld): fc.Arbitrary<string | undefined> {
  const others = otherKeys.map((other) => `Bearer ${other}`);
  return fc.oneof(
    { weight: 30, arbitrary: fc.constant(`Bearer ${key}`) },
    { weight: 3, arbitrary: fc.constantFrom(...others, `bearer  ${key} `) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        undefined,
        "",
        "Bearer",
        "Bearer igk_unknown",
        `Basic ${key}`,
        `Bearer ${key}, Bearer x`,
      ),
    },
  );
}

/** Few keys, so that they meet again. */
function idempotencyKey(operation: Operation): fc.Arbitrary<string | undefined> {
  if (!operation.idempotent) return fc.constant(undefined);
  const keys = fc.constantFrom("a", "b", "", " ", "ü", "k".repeat(255), "k".repeat(256), "__proto__");
  return fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: keys });
}

function bodyOf(operation: Operation, world: FuzzWorld): fc.Arbitrary<RawRequest["body"]> {
  if (operation.request === undefined) return mostly(undefined, fc.constantFrom("{", "x", "{}"), 10);
  const text: fc.Arbitrary<RawRequest["body"]> = bodyText(operation.request.schema as Schema, world.known);
  return fc.oneof({ weight: 30, arbitrary: text }, { weight: 1, arbitrary: fc.constant(undefined) });
}
