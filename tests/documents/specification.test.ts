import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openApiDocument } from "@diegetic/contracts";
import { readDocument, tableIn } from "@diegetic/testing/markdown";
import { describe, expect, it } from "@jest/globals";

interface Schema {
  $ref?: string;
  type?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
  readOnly?: boolean;
  "x-addition"?: boolean;
}
interface Content {
  content?: { "application/json": { schema: Schema } };
}
interface Operation {
  operationId: string;
  parameters?: { name?: string; schema?: Schema }[];
  "x-addition"?: boolean;
  requestBody?: Content;
  responses: Record<string, Content>;
}

const ROOT = new URL("../../", import.meta.url);
const ordered = readDocument("tests/documents/interface.md");
const sentences = [
  ...readFileSync(new URL("docs/specification.md", ROOT), "utf8").matchAll(/^- \*\*((\d+)\.\d+)\*\* (.+)$/gm),
].map(([, number = "", part = "", sentence = ""]) => ({ number, part, sentence }));
/** Paths of test files, the titles that hold something, and their cases; all cases when there are none. */
type Evidence = Record<string, Record<string, string[]>>;
/** By number of a sentence; by request, object or field of the interface. */
const evidence: Record<"sentences" | "interface", Record<string, Evidence>> = JSON.parse(
  readFileSync(new URL("tests/documents/evidence.json", ROOT), "utf8"),
);
const api = JSON.parse(JSON.stringify(openApiDocument({ basePath: "/api" })));

describe("each sentence of docs/specification.md", () => {
  it("has a number, in order", () => {
    const numbers = sentences.map(({ number }) => number);
    const expected = sentences.map(({ part }, index) => {
      const first = sentences.findIndex((other) => other.part === part);
      return `${part}.${index - first + 1}`;
    });
    expect(numbers).toEqual(expected);
    expect(numbers).toEqual(listItems());
    expect(Object.keys(evidence.sentences).sort()).toEqual([...numbers].sort());
    expect(numbers.length).toBeGreaterThan(100);
  });

  it.each(sentences)("$number is held by tests that exist: $sentence", ({ number }) =>
    expectTests(evidence.sentences[number] ?? {}),
  );
});

describe("the interface as it was ordered", () => {
  it("has the endpoints of the API", () => {
    const documented = tableIn(ordered, "Endpoints").map(({ Request = "", Body, Answer }) => [
      Request.replace(/\{\w+\}/g, "{}"),
      Body,
      Answer,
    ]);
    const existing = Object.entries<Record<string, Operation>>(api.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => !operation["x-addition"])
        .map(([method, operation]) => [
          `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "{}")}`,
          bodyOf(operation),
          answersOf(operation),
        ]),
    );
    expect(documented.sort()).toEqual(existing.sort());
  });

  it.each(tableIn(ordered, "Endpoints"))("has sentences of $Request", ({ Sentences = "" }) => {
    const named = Sentences.split(", ");
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((number) => !sentences.some((sentence) => sentence.number === number))).toEqual([]);
  });

  it("has tests of all values and ranges, and of nothing that it does not name", () => {
    const bounded = [...tableIn(ordered, "Values"), ...tableIn(ordered, "Ranges")].map(({ Field }) => Field);
    const named = [
      ...bounded,
      ...tableIn(ordered, "Objects").map(({ Object: name }) => name),
      ...tableIn(ordered, "Endpoints").map(({ Request }) => Request),
    ];
    const held = Object.keys(evidence.interface);
    expect(bounded.filter((field) => !held.includes(field ?? ""))).toEqual([]);
    expect(held.filter((name) => !named.includes(name))).toEqual([]);
  });

  it.each(Object.entries(evidence.interface))("is held by tests that exist: %s", (_, held) =>
    expectTests(held),
  );

  it("has every object that the API answers, additions aside", () => {
    const answered = new Set<string>();
    for (const methods of Object.values<Record<string, Operation>>(api.paths)) {
      for (const operation of Object.values(methods).filter((one) => !one["x-addition"])) {
        for (const { content } of Object.values(operation.responses)) {
          const schema = content?.["application/json"].schema;
          const name = (schema?.$ref ?? schema?.items?.$ref)?.split("/").at(-1);
          if (name !== undefined) answered.add(name);
        }
      }
    }
    const written = tableIn(ordered, "Objects").map(({ Object: name }) => name);
    expect(answered.size).toBeGreaterThan(15);
    expect([...answered].filter((name) => !written.includes(name))).toEqual([]);
  });

  it.each(tableIn(ordered, "Objects"))(
    "has the fields of the API: $Object",
    ({ Object: name = "", Fields }) => {
      const found = schemaAt(name);
      expect(fieldsOf(found).join(", ")).toBe(Fields);
    },
  );

  it.each(tableIn(ordered, "Values"))("has the values of the API: $Field", ({ Field = "", Values }) => {
    const values = schemaAt(Field).enum ?? [];
    expect(values.filter((value) => value !== null).join(", ")).toBe(Values);
  });

  it.each(tableIn(ordered, "Ranges"))("has the ranges of the API: $Field", ({ Field = "", ...range }) => {
    const { minimum, maximum, default: usual } = schemaAt(Field);
    const stated = [minimum, maximum, usual].map((bound) => (bound === undefined ? "" : String(bound)));
    expect(stated).toEqual([range.From, range.To, range.Default]);
  });
});

/** `Component.field.inner`, of a list its entries; `operationId.parameter`. */
function schemaAt(name: string): Schema {
  const [first = "", ...path] = name.split(".");
  const component: Schema | undefined = api.components.schemas[first];
  if (component === undefined) return parameterOf(first, path.join("."));
  return path.reduce<Schema>((schema, field) => {
    const inner = resolve(schema.properties?.[field] ?? {});
    return inner.items === undefined ? inner : resolve(inner.items);
  }, component);
}

function parameterOf(operationId: string, name: string): Schema {
  const operations = Object.values<Record<string, Operation>>(api.paths).flatMap((methods) =>
    Object.values(methods),
  );
  const { parameters = [] } = operations.find((one) => one.operationId === operationId) ?? {};
  return parameters.find((one) => one.name === name)?.schema ?? {};
}

function bodyOf({ requestBody }: Operation): string {
  const schema = requestBody?.content?.["application/json"].schema;
  if (schema === undefined) return "";
  const found = resolve(schema);
  return fieldsOf(found)
    .filter((name) => !found.properties?.[name]?.readOnly)
    .map((name) => (found.required?.includes(name) ? `${name}*` : name))
    .join(", ");
}

function answersOf({ responses }: Operation): string {
  return Object.entries(responses)
    .filter(([status]) => status < "300")
    .map(([status, { content }]) => {
      const schema = content?.["application/json"].schema;
      if (schema === undefined) return status;
      const reference = schema.$ref ?? schema.items?.$ref ?? "";
      return `${status} ${schema.type === "array" ? "list of " : ""}${reference.split("/").at(-1)}`;
    })
    .join(", ");
}

function expectTests(held: Evidence): void {
  expect(Object.keys(held)).not.toEqual([]);
  for (const [path, titles] of Object.entries(held)) {
    const source = readFileSync(fileURLToPath(new URL(path, ROOT)), "utf8");
    expect(path).toMatch(/\.test\.ts$/);
    expect(source).not.toMatch(/\b(it|test|describe)\.(skip|only|todo|failing)\b/);
    expect(Object.keys(titles)).not.toEqual([]);
    for (const [title, cases] of Object.entries(titles)) {
      expect([path, title, titlePattern(title).test(source)]).toEqual([path, title, true]);
      for (const one of cases) {
        expect([path, one, literalPattern(one).test(source)]).toEqual([path, one, true]);
      }
    }
  }
}

/** The numbers of all list items of the document, well written or not. */
function listItems(): string[] {
  const text = readFileSync(new URL("docs/specification.md", ROOT), "utf8");
  return [...text.matchAll(/^- \**([\d.]*)/gm)].map(([, number = ""]) => number);
}

/** The names of its fields without additions. */
function fieldsOf(schema: Schema): string[] {
  return Object.entries(schema.properties ?? {})
    .filter(([, field]) => !field["x-addition"])
    .map(([name]) => name);
}

function resolve(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : api.components.schemas[schema.$ref.split("/").at(-1) ?? ""];
}

/** The first argument of a call, as tests and groups of tests are named. */
function titlePattern(title: string): RegExp {
  return new RegExp(`\\(\\s*${literalPattern(title).source}\\s*,`);
}

/** A string of the source; “…” stands for what a template or a table of cases fills in. */
function literalPattern(text: string): RegExp {
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/%/g, "%%?");
  const filled = escaped.replaceAll("…", "(?:…|%[a-z]|\\$\\{[^}]*\\}|\\$[\\w.]+(?: [\\w ]+)?)");
  return new RegExp(`(["\`])${filled}\\1`);
}
