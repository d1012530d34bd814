import type { TSchema } from "typebox";

/** A JSON Schema about several fields. */
export interface Condition {
  if: object;
  then: object;
}

type Fields = Readonly<Record<string, TSchema>>;

/** Where the field has this value, the needed fields are present and not null. */
export function neededWhere(
  fields: Fields,
  field: string,
  value: string,
  needed: readonly string[],
): Condition {
  return condition({ [field]: { const: value, description: `${field} is ${value}.` } }, fields, needed);
}

/** Where one of the fields is present and not null, the others are, too. */
export function together(fields: Fields, names: readonly string[]): Condition[] {
  return names.map((name) => {
    const others = names.filter((other) => other !== name);
    return condition(present(fields, [name]), fields, others);
  });
}

function condition(when: Record<string, object>, fields: Fields, needed: readonly string[]): Condition {
  return {
    if: { properties: when, required: Object.keys(when) },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: present(fields, needed), required: [...needed] },
  };
}

/** The fields, not null. */
function present(fields: Fields, names: readonly string[]): Record<string, object> {
  return Object.fromEntries(
    names.map((name) => {
      const { type, description } = fields[name] as { type?: string | string[]; description?: string };
      const plain = [type ?? []].flat().find((one) => one !== "null");
      if (plain === undefined) throw new Error(`there is no field ${name} with a type`);
      return [name, { type: plain, description }];
    }),
  );
}
