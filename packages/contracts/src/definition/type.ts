import type TypeBox from "typebox";
import type { TProperties } from "typebox";

/** The builders of TypeBox that this package uses. */
type Builders = Pick<
  typeof TypeBox,
  | "Array"
  | "Boolean"
  | "Enum"
  | "Integer"
  | "Number"
  | "Object"
  | "Omit"
  | "Optional"
  | "Record"
  | "String"
  | "Unsafe"
>;
type Keywords = object | undefined;

/** Hidden from JSON and from copies, as TypeBox does it. */
const OPTIONAL = "~optional";

/**
 * TypeBox's types with builders of our own. Its own are 373 modules, which every service and command would load at its
 * start; what they build is plain JSON Schema.
 */
const Type = {
  Array: (items: object, options: Keywords) => ({ type: "array", items, ...options }),
  Boolean: (options: Keywords) => ({ type: "boolean", ...options }),
  Enum: (values: readonly unknown[], options: Keywords) => ({ enum: values, ...options }),
  Integer: (options: Keywords) => ({ type: "integer", ...options }),
  Number: (options: Keywords) => ({ type: "number", ...options }),
  Object: objectOf,
  Omit: ({ properties }: { properties: TProperties }, names: readonly string[]) =>
    objectOf(Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))),
  Optional: (schema: object) => Object.defineProperty({ ...schema }, OPTIONAL, { value: true }),
  Record: (_texts: object, values: object, options: Keywords) => ({
    type: "object",
    patternProperties: { "^.*$": values },
    ...options,
  }),
  String: (options: Keywords) => ({ type: "string", ...options }),
  Unsafe: (schema: object) => ({ ...schema }),
} as unknown as Builders;
export default Type;

function objectOf(properties: TProperties, options?: object) {
  const required = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] as object)));
  return { type: "object", ...(required.length > 0 && { required }), properties, ...options };
}
