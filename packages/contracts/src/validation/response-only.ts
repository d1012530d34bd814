import type { Static, TObject, TProperties } from "typebox";
import Type from "../definition/type.ts";
import { InvalidInput } from "../http-error.ts";
import { validator } from "./validator.ts";

/** Reads the body of a PATCH; `current` is the resource's current answer. Throws InvalidInput. */
type PatchReader<Changes, Answer> = (body: unknown, current: Answer) => Changes;

/**
 * The documented schema of a PATCH: the fields that it changes, and the response-only fields, which clients may send
 * back with their current value. Its type has only the changes.
 */
export function patchSchemaOf<Changes extends TObject>(changes: Changes, answer: TObject): Changes {
  const fixed = responseOnlyFields(changes, answer).map(([name, field]) => [
    name,
    Type.Optional(asReadOnly(field as { description?: string })),
  ]);
  const properties: TProperties = { ...changes.properties, ...Object.fromEntries(fixed) };
  const { description } = changes as { description?: string };
  return Type.Object(properties, { description: String(description) }) as TObject as Changes;
}

/**
 * The reader of a PATCH. A response-only field is 422 unless it has its current value, because ignoring it would look
 * like success (docs/behaviour.md#response-only-fields).
 *
 * @param hints by field: the call that changes it, or why nothing does
 */
export function patchReader<Changes extends TObject, Answer extends TObject>(
  changes: Changes,
  answer: Answer,
  hints: { [Field in Exclude<keyof Answer["properties"], keyof Changes["properties"]>]?: string },
): PatchReader<Static<Changes>, Static<Answer>> {
  const read = validator(changes);
  const fixed = responseOnlyFields(changes, answer);
  return (body, current) => {
    const changed = read(body);
    const sent = body as Record<string, unknown>;
    for (const [name] of fixed) {
      if (!Object.hasOwn(sent, name) || isEqual(sent[name], (current as Record<string, unknown>)[name]))
        continue;
      const hint = (hints as Record<string, string | undefined>)[name] ?? "leave it out";
      throw new InvalidInput(422, `${name} cannot be changed by PATCH: ${hint}`);
    }
    return changed;
  };
}

function responseOnlyFields(changes: TObject, answer: TObject): [name: string, field: unknown][] {
  return Object.entries(answer.properties).filter(([name]) => !Object.hasOwn(changes.properties, name));
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
