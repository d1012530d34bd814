import { describe, expect, it } from "@jest/globals";
import type { TSchema } from "typebox";
import { errorSchema } from "../definition/fields.ts";
import { InvalidInput } from "../http-error.ts";
import { validator } from "../validation/validator.ts";
import { documentedFeatures } from "./index.ts";

interface Node {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Node>;
  additionalProperties?: unknown;
  items?: Node;
  maxLength?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  format?: string;
  enum?: unknown[];
  readOnly?: boolean;
}
type Named = [name: string, schema: Node];

const operations = documentedFeatures.flatMap((feature) => Object.values(feature.operations));
const bodies = operations.flatMap(({ operationId, request }): Named[] =>
  request === undefined ? [] : [[`the body of ${operationId}`, request.schema as Node]],
);
const answers = operations.flatMap(({ operationId, success }) =>
  success.flatMap(({ status, schema }): Named[] =>
    schema === undefined ? [] : [[`the answer ${status} of ${operationId}`, schema as Node]],
  ),
);
const events = documentedFeatures.flatMap(({ sentRequests = {} }) =>
  Object.values(sentRequests).map(({ operationId, request }): Named => [operationId, request.schema as Node]),
);
const parameters = operations.flatMap(({ operationId, query = [] }) =>
  query.map(({ name, schema }): Named => [`the parameter ${name} of ${operationId}`, schema as Node]),
);
const closedOnes: Named[] = [...answers, ...events, ["every error", errorSchema as Node]];
const schemas = [...bodies, ...closedOnes, ...parameters];

/** Every node of a schema with its path, the schema itself left out. */
function* nodesOf(schema: Node, path = ""): Generator<[string, Node]> {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield [`${path}${name}`, property];
    yield* nodesOf(property, `${path}${name}.`);
  }
  if (schema.items !== undefined) {
    yield [`${path}[]`, schema.items];
    yield* nodesOf(schema.items, `${path}[].`);
  }
}

function isA(node: Node, type: string): boolean {
  return [node.type].flat().includes(type);
}

function expectAdditional(schema: Node, additional: false | undefined): void {
  for (const [path, node] of [["", schema] as const, ...nodesOf(schema)]) {
    if (node.properties !== undefined) {
      expect([path, node.additionalProperties]).toEqual([path, additional]);
    }
  }
}

describe("schemas are the contract", () => {
  it("are all found", () => {
    expect(bodies.length).toBeGreaterThanOrEqual(30);
    expect(answers.length).toBeGreaterThanOrEqual(70);
  });

  it.each(schemas)("%s describes itself and every field", (_name, schema) => {
    expect(schema.description).toMatch(/\.$/);
    for (const [path, node] of nodesOf(schema)) {
      expect([path, node.description]).toEqual([path, expect.stringMatching(/\S{3,}/)]);
    }
  });

  it.each(closedOnes)("%s is closed", (_name, schema) => expectAdditional(schema, false));

  it.each(bodies)("%s may have more fields", (_name, schema) => expectAdditional(schema, undefined));

  it.each(bodies)("%s limits every text, list and number", (_name, schema) => {
    for (const [path, node] of nodesOf(schema)) {
      // Only the current value of such a field is accepted.
      if (node.readOnly) continue;
      if (isA(node, "string") && node.enum === undefined && node.format !== "country-code") {
        expect([path, node.maxLength]).toEqual([path, expect.any(Number)]);
      }
      if (isA(node, "array")) expect([path, node.maxItems]).toEqual([path, expect.any(Number)]);
      if (isA(node, "integer") || isA(node, "number")) {
        expect([path, node.minimum, node.maximum]).toEqual([path, expect.any(Number), expect.any(Number)]);
      }
    }
  });

  it.each(schemas)("%s can be compiled", (_name, schema) => {
    const validate = validator(schema as TSchema);
    expect(() => validate(null)).toThrow(InvalidInput);
  });
});
