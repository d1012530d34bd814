import Type, { type Static, type TObject, type TProperties } from "typebox";
import { InvalidInput } from "./invalid-input.ts";
import { validator } from "./validator.ts";

/** Reads the body of a PATCH; `current` is the resource as it is answered now. Throws InvalidInput. */
export type PatchReader<Changes, Answer> = (body: unknown, current: Answer) => Changes;

/**
 * The schema of a PATCH as the API document shows it: the fields that it changes, and those of the answer that it does not
 * change. Clients that send back what they read may name those with their current value. Its type has the changes alone.
 */
export function patchSchemaOf<Changes extends TObject>(changes: Changes, answer: TObject): Changes {
  const fixed = Object.entries(answer.properties)
    .filter(([name]) => !Object.hasOwn(changes.properties, name))
    .map(([name, field]) => [name, Type.Optional(asReadOnly(field as { description?: string }))]);
  const properties: TProperties = { ...changes.properties, ...Object.fromEntries(fixed) };
  const { description } = changes as { description?: string };
  return Type.Object(properties, { description: String(description) }) as TObject as Changes;
}

/**
 * The reader of a PATCH. A field of the answer that the PATCH does not change is 422, unless it has its current value: to
 * ignore it would look like success (docs/behaviour.md#response-only-fields).
 *
 * @param hints by field: the call that does change it, or why nothing does
 */
export function patchReader<Changes extends TObject, Answer extends TObject>(
  changes: Changes,
  answer: Answer,
  hints: { [Field in Exclude<keyof Answer["properties"], keyof Changes["properties"]>]?: string },
): PatchReader<Static<Changes>, Static<Answer>> {
  const read = validator(changes);
  const fixed = Object.keys(answer.properties).filter((name) => !Object.hasOwn(changes.properties, name));
  return (body, current) => {
    const changed = read(body);
    const sent = body as Record<string, unknown>;
    for (const name of fixed) {
      if (!Object.hasOwn(sent, name) || isEqual(sent[name], (current as Record<string, unknown>)[name]))
        continue;
      const hint = (hints as Record<string, string | undefined>)[name] ?? "leave it out";
      throw new InvalidInput(422, `${name} cannot be changed by PATCH: ${hint}`);
    }
    return changed;
  };
}

function asReadOnly(field: { description?: string }) {
  const note = "Response-only: accepted with its current value, 422 with another.";
  return Type.Unsafe<unknown>({
    ...field,
    readOnly: true,
    description: `${field.description ?? ""} ${note}`.trim(),
  });
}

function isEqual(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
