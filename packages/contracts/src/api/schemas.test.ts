import { describe, expect, it } from "@jest/globals";
import type { TSchema } from "typebox";

import * as contracts from "../index.ts";

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

const schemas = Object.entries(contracts)
  .filter(([name]) => name.endsWith("Schema"))
  .map(([name, schema]): [string, Node] => [name, schema as Node]);
const sent = new Set<unknown>(
  contracts.documentedFeatures.flatMap(({ operations }) =>
    Object.values(operations).map(({ request }) => request?.schema),
  ),
);
const requests = schemas.filter(
  ([name, schema]) => sent.has(schema) || /(Request|Create|Patch)Schema$/.test(name),
);

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

describe("schemas are the contract", () => {
  it("are all found", () => {
    expect(schemas.length).toBeGreaterThanOrEqual(20);
    expect(requests.length).toBeGreaterThanOrEqual(10);
  });

  it.each(schemas)("%s describes itself and every field", (_name, schema) => {
    expect(schema.description).toMatch(/\.$/);
    for (const [path, node] of nodesOf(schema)) {
      expect([path, node.description]).toEqual([path, expect.stringMatching(/\S{3,}/)]);
    }
  });

  it.each(schemas)("%s is closed, unless clients send it", (name, schema) => {
    const additional = requests.some(([request]) => request === name) ? undefined : false;
    for (const [path, node] of [["", schema] as const, ...nodesOf(schema)]) {
      if (node.properties !== undefined) {
        expect([path, node.additionalProperties]).toEqual([path, additional]);
      }
    }
  });

  it.each(requests)("%s limits every text, list and number", (_name, schema) => {
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
    const validate = contracts.validator(schema as TSchema);
    expect(() => validate(null)).toThrow(contracts.InvalidInput);
  });
});
