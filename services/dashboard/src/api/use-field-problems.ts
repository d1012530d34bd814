import schemas from "virtual:request-schemas";
import { useCallback, useState } from "react";
import { formatCents } from "../format/format.ts";
import { ApiError, fieldNamedIn } from "./api-error.ts";
import { checkFields, type FieldProblems, type FieldSchema } from "./check-fields.ts";
import type { BodyOf, ChangeKey } from "./operations.ts";

/** The schema of the body of an operation, as plain data. */
export function requestSchema(key: ChangeKey): FieldSchema {
  return schemas[key] ?? {};
}

export interface FieldSentences<Key extends ChangeKey> {
  /** The sentence at a field, once there is something wrong with it. */
  problem: (field: keyof BodyOf<Key>) => string | undefined;
  /** A sentence that belongs to no field. */
  failure: string | undefined;
  /** Removes the sentence of one field, or all of them. */
  clear: (field?: keyof BodyOf<Key>) => void;
  /** Whether the values can be sent; otherwise the sentences then stand at their fields. */
  check: (
    values: Partial<BodyOf<Key>>,
    more?: Partial<Record<keyof BodyOf<Key>, string | undefined>>,
  ) => boolean;
  /** Puts what the API refused at the field that its sentence names. */
  showRefusal: (error: unknown) => void;
}

/** What is wrong with a form that sends the body of one operation: by its schema before sending, by the API's answer after. */
export function useFieldProblems<Key extends ChangeKey>(key: Key): FieldSentences<Key> {
  const [problems, setProblems] = useState<FieldProblems>({});
  const [failure, setFailure] = useState<string>();
  const clear = useCallback((field?: keyof BodyOf<Key>) => {
    setProblems((former) => {
      if (field === undefined) return {};
      const { [field as string]: _gone, ...others } = former;
      return others;
    });
    setFailure(undefined);
  }, []);
  const check: FieldSentences<Key>["check"] = (values, more = {}) => {
    const found = checkFields(requestSchema(key), values as Record<string, unknown>, showNumber);
    for (const [field, sentence] of Object.entries<string | undefined>(more)) {
      if (sentence !== undefined) found[field] ??= sentence;
    }
    setProblems(found);
    setFailure(undefined);
    return Object.keys(found).length === 0;
  };
  const showRefusal = (error: unknown) => {
    const detail = error instanceof ApiError ? error.detail : String(error);
    const field = fieldNamedIn(detail, Object.keys(requestSchema(key).properties ?? {}));
    if (field === undefined) setFailure(detail);
    else setProblems({ [field]: detail });
  };
  return { problem: (field) => problems[field as string], failure, clear, check, showRefusal };
}

function showNumber(field: string, value: number): string {
  return field.endsWith("_cents") ? formatCents(value) : String(value);
}
