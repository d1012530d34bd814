import { _, Ajv2020, type Code, type KeywordCxt, type ValidateFunction } from "ajv/dist/2020.js";
import formatsPlugin from "ajv-formats";
import type { Static, TSchema } from "typebox";
import { InvalidInput } from "../http-error.ts";
import { ownFormats } from "./formats.ts";
import { knownFields, pathInBody, type Reading } from "./known-fields.ts";
import { invalidInputFrom } from "./sentence.ts";

/**
 * Validates a parsed body and returns only the schema's fields; throws InvalidInput. Returns the same object when it
 * has no other fields, so neither input nor output may be modified.
 */
type Validator<T> = (value: unknown) => T;

/** The same type without the nulls that counted as absent. */
export type WithoutNulls<T> = T extends (infer Entry)[]
  ? WithoutNulls<Entry>[]
  : T extends object
    ? { [Field in keyof T]: WithoutNulls<Exclude<T[Field], null>> }
    : T;

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ verbose: true, allowUnionTypes: true, strictTypes: true });
  formatsPlugin.default(ajv, ["email", "date", "date-time"]);
  for (const [name, format] of Object.entries(ownFormats)) ajv.addFormat(name, { validate: format.validate });
  // Floating-point division fails for 0.07 and 0.01, so decimals are counted instead.
  ajv.removeKeyword("multipleOf");
  ajv.addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    validate: (step: number, value: number) =>
      Number(value.toFixed(Math.max(0, Math.round(-Math.log10(step))))) === value,
  });
  replaceLengths(ajv);
  return ajv;
}

/**
 * Ajv counts a text's characters by scanning it. The count is at most the number of UTF-16 units and at least half of
 * it, which is nearly always enough to decide.
 */
function replaceLengths(ajv: Ajv2020): void {
  const countIn = ({ gen }: KeywordCxt) =>
    gen.scopeValue("func", { ref: (text: string) => [...text].length });
  const rules: Record<string, (context: KeywordCxt) => Code> = {
    maxLength: (context) => {
      const { data, schemaCode } = context;
      return _`${data}.length > ${schemaCode} && ${countIn(context)}(${data}) > ${schemaCode}`;
    },
    minLength: (context) => {
      const { data, schemaCode } = context;
      return _`${data}.length < 2 * ${schemaCode} && ${countIn(context)}(${data}) < ${schemaCode}`;
    },
  };
  for (const [keyword, isBroken] of Object.entries(rules)) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      keyword,
      type: "string",
      schemaType: "number",
      // Reports a long text as too long (docs/behaviour.md#text-limits), and keeps it away from regular expressions.
      before: "pattern",
      code: (context) => context.fail(isBroken(context)),
    });
  }
}

const ajv = createAjv();

function build<T>(schema: TSchema, reading: Reading, check?: (value: T) => void): Validator<T> {
  let compiled: ValidateFunction<T> | undefined;
  const read = knownFields(schema, reading);
  return (value) => {
    compiled ??= ajv.compile<T>(schema);
    const candidate = read(value);
    if (!compiled(candidate)) {
      const first = compiled.errors?.[0];
      if (first === undefined) throw new InvalidInput(400, "the body is not valid");
      throw invalidInputFrom({ ...first, instancePath: pathInBody(value, first.instancePath, reading) });
    }
    check?.(candidate);
    return candidate;
  };
}

/** The validator of a body in which null is meaningful: a PATCH clears a field or restores its default. */
export function validator<Schema extends TSchema>(schema: Schema): Validator<Static<Schema>> {
  return build(schema, { nulls: "keep", blanks: "keep" });
}

/**
 * The validator of a body in which null counts as absent (docs/behaviour.md#absent-values).
 * @param check throws for what the schema allows and a rule beyond it does not
 */
export function validatorWithoutNulls<Schema extends TSchema>(
  schema: Schema,
  check?: (value: WithoutNulls<Static<Schema>>) => void,
): Validator<WithoutNulls<Static<Schema>>> {
  return build(schema, { nulls: "drop", blanks: "keep" }, check);
}

/**
 * The validator of a match request: blank optional texts and blank list entries also count as absent
 * (docs/behaviour.md#blank-texts).
 */
export function lenientValidator<Schema extends TSchema>(
  schema: Schema,
  check?: (value: WithoutNulls<Static<Schema>>) => void,
): Validator<WithoutNulls<Static<Schema>>> {
  return build(schema, { nulls: "drop", blanks: "drop" }, check);
}
