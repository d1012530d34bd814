import schemas from "virtual:request-schemas";
import { useCallback, useEffect, useState } from "react";
import { formatCents } from "../format/format.ts";
import { ApiError, fieldNamedIn } from "./api-error.ts";
import { checkFields, type FieldProblems, type FieldSchema } from "./check-fields.ts";
import type { AnswerOf, BodyOf, ChangeKey, InputOf } from "./operations.ts";
import { useChange } from "./queries.ts";
import { useDraft } from "./use-draft.ts";

/** The schema of the body of an operation, as plain data. */
export function requestSchema(key: ChangeKey): FieldSchema {
  return schemas[key] ?? {};
}

export interface ApiForm<Key extends ChangeKey> {
  values: Partial<BodyOf<Key>>;
  set: <Field extends keyof BodyOf<Key>>(field: Field, value: BodyOf<Key>[Field] | undefined) => void;
  /** The sentence at a field, once there is something wrong with it. */
  problem: (field: keyof BodyOf<Key>) => string | undefined;
  /** A sentence that belongs to no field. */
  failure: string | undefined;
  isSending: boolean;
  /** Whether something was changed since the start, or since it was last sent. */
  isChanged: boolean;
  /** Checks and sends. Answers undefined when something is wrong: the sentences then stand at their fields. */
  send: (rest: Omit<InputOf<Key>, "body">) => Promise<AnswerOf<Key> | undefined>;
  reset: (values: Partial<BodyOf<Key>>) => void;
}

interface ApiFormOptions {
  /** Keeps unsent values in the browser under this name. */
  draft?: string;
}

/** The state of a form that sends the body of one operation: checked by its schema, answered at the field that the API names. */
export function useApiForm<Key extends ChangeKey>(
  key: Key,
  initial: Partial<BodyOf<Key>>,
  options: ApiFormOptions = {},
): ApiForm<Key> {
  const draft = useDraft(options.draft, initial);
  const [values, setValues] = useState<Partial<BodyOf<Key>>>(draft.restored ?? initial);
  const [problems, setProblems] = useState<FieldProblems>({});
  const [failure, setFailure] = useState<string>();
  const [isChanged, setChanged] = useState(draft.restored !== undefined);
  const change = useChange(key);
  useEffect(() => {
    if (isChanged) draft.save(values);
  }, [isChanged, values, draft]);

  const set: ApiForm<Key>["set"] = useCallback((field, value) => {
    setValues((former) => ({ ...former, [field]: value }));
    setProblems(({ [field as string]: _gone, ...others }) => others);
    setFailure(undefined);
    setChanged(true);
  }, []);

  const reset = useCallback(
    (next: Partial<BodyOf<Key>>) => {
      setValues(next);
      setProblems({});
      setFailure(undefined);
      setChanged(false);
      draft.remove();
    },
    [draft],
  );

  const send: ApiForm<Key>["send"] = async (rest) => {
    const schema = requestSchema(key);
    const found = checkFields(schema, values as Record<string, unknown>, showNumber);
    setProblems(found);
    setFailure(undefined);
    if (Object.keys(found).length > 0) return undefined;
    try {
      const answer = await change.mutateAsync({ ...rest, body: values } as unknown as InputOf<Key>);
      setChanged(false);
      draft.remove();
      return answer;
    } catch (error) {
      const detail = error instanceof ApiError ? error.detail : String(error);
      const field = fieldNamedIn(detail, Object.keys(schema.properties ?? {}));
      if (field === undefined) setFailure(detail);
      else setProblems({ [field]: detail });
      return undefined;
    }
  };

  return {
    values,
    set,
    reset,
    send,
    failure,
    isChanged,
    isSending: change.isPending,
    problem: (field) => problems[field as string],
  };
}

function showNumber(field: string, value: number): string {
  return field.endsWith("_cents") ? formatCents(value) : String(value);
}
