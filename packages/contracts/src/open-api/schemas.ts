import { documentedFeatures } from "../api/index.ts";
import type { Condition } from "../definition/conditions.ts";
import { errorSchema } from "../definition/fields.ts";

/** A schema in the document: plain JSON. */
export type JsonSchema = { [keyword: string]: unknown };

const components: ReadonlyMap<string, object> = new Map<string, object>([
  ...documentedFeatures.flatMap((feature) => Object.entries(feature.schemas)),
  ["Error", errorSchema],
]);
const additions: ReadonlySet<string> = new Set(
  documentedFeatures.flatMap((feature) => feature.additions ?? []),
);
const conditions: ReadonlyMap<string, readonly Condition[]> = new Map(
  documentedFeatures.flatMap((feature) => Object.entries(feature.conditions ?? {})),
);
const nameOfSchema: ReadonlyMap<string, string> = new Map(
  [...components].map(([name, schema]) => [JSON.stringify(schema), name]),
);

/** The schema as documented: named schemas, also nested ones, become references to components. */
export function documented(schema: object): JsonSchema {
  const name = nameOfSchema.get(JSON.stringify(schema));
  return name === undefined ? withReferences(schema) : { $ref: `#/components/schemas/${name}` };
}

/** Every component by its name. */
export function componentSchemas(): Record<string, JsonSchema> {
  return Object.fromEntries(
    [...components].map(([name, schema]) => [
      name,
      {
        ...markAdditions(name, withReferences(schema)),
        ...(conditions.has(name) && { allOf: conditions.get(name) }),
      },
    ]),
  );
}

function withReferences(schema: object): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === "properties" || keyword === "patternProperties") {
        const inner = Object.entries(value as Record<string, object>);
        return [keyword, Object.fromEntries(inner.map(([name, property]) => [name, documented(property)]))];
      }
      if (keyword === "items") return [keyword, documented(value as object)];
      return [keyword, value];
    }),
  );
}

function markAdditions(name: string, schema: JsonSchema): JsonSchema {
  const properties = schema.properties as Record<string, JsonSchema> | undefined;
  if (properties === undefined) return schema;
  const marked = Object.entries(properties).map(([field, property]) => {
    const path = `${name}.${field}`;
    const items = property.items as JsonSchema | undefined;
    if (items?.properties !== undefined) return [field, { ...property, items: markAdditions(path, items) }];
    if (!additions.has(path)) return [field, property];
    return [field, { ...property, description: `Addition. ${property.description}`, "x-addition": true }];
  });
  return { ...schema, properties: Object.fromEntries(marked) };
}
