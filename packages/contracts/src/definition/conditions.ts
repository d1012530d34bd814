import type { TSchema } from "typebox";
import { InvalidInput } from "../http-error.ts";

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

/** Where one of lat and lng is present and not null, the other is, too. */
export function bothOrNone(fields: Fields): Condition[] {
  return [
    condition(present(fields, ["lat"]), fields, ["lng"]),
    condition(present(fields, ["lng"]), fields, ["lat"]),
  ];
}

/**
 * Throws 400 when only one of lat and lng is there, as `bothOrNone` says it to machines.
 * @param path of their object, such as `player_geo.`
 */
export function requireBothOrNone({ lat, lng }: { lat?: number; lng?: number }, path = ""): void {
  if ((lat === undefined) === (lng === undefined)) return;
  const missing = lat === undefined ? "lat" : "lng";
  throw new InvalidInput(400, `${path}${missing} is required: lat and lng only go together`);
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
