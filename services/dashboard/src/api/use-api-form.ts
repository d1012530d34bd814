import { useCallback, useEffect, useRef, useState } from "react";
import type { AnswerOf, BodyOf, ChangeKey, InputOf } from "./operations.ts";
import { useChange } from "./queries.ts";
import { useDraft } from "./use-draft.ts";
import { type FieldSentences, useFieldProblems } from "./use-field-problems.ts";

export interface ApiForm<Key extends ChangeKey> extends Pick<FieldSentences<Key>, "problem" | "failure"> {
  values: Partial<BodyOf<Key>>;
  set: <Field extends keyof BodyOf<Key>>(field: Field, value: BodyOf<Key>[Field] | undefined) => void;
  isSending: boolean;
  /** Whether something was changed since the start, or since it was last sent. */
  isChanged: boolean;
  /**
   * Checks and sends. Answers undefined when something is wrong: the sentences then stand at their fields. Then shows
   * `next`, unless the form was changed while it was being sent.
   */
  send: (
    rest: Omit<InputOf<Key>, "body">,
    next?: (answer: AnswerOf<Key>) => Partial<BodyOf<Key>>,
  ) => Promise<AnswerOf<Key> | undefined>;
  reset: (values: Partial<BodyOf<Key>>) => void;
}

interface ApiFormOptions {
  /** Keeps unsent values in the browser under this name. */
  draft?: string;
}

/**
 * The state of a form that sends the body of one operation: checked by its schema, answered at the field that the API
 * names. A PATCH sends only what was changed here, so that it does not revert what others changed meanwhile.
 */
export function useApiForm<Key extends ChangeKey>(
  key: Key,
  initial: Partial<BodyOf<Key>>,
  options: ApiFormOptions = {},
): ApiForm<Key> {
  const draft = useDraft(options.draft, initial);
  const [values, setValues] = useState<Partial<BodyOf<Key>>>(draft.restored ?? initial);
  const [stored, setStored] = useState(initial);
  const { problem, failure, clear, check, showRefusal } = useFieldProblems(key);
  const [isChanged, setChanged] = useState(draft.restored !== undefined);
  const change = useChange(key);
  const latest = useRef(values);
  useEffect(() => {
    latest.current = values;
  }, [values]);
  useEffect(() => {
    if (isChanged) draft.save(values);
  }, [isChanged, values, draft]);

  const set: ApiForm<Key>["set"] = useCallback(
    (field, value) => {
      setValues((former) => ({ ...former, [field]: value }));
      clear(field);
      setChanged(true);
    },
    [clear],
  );

  const reset = useCallback(
    (next: Partial<BodyOf<Key>>) => {
      setValues(next);
      setStored(next);
      clear();
      setChanged(false);
      draft.remove();
    },
    [clear, draft],
  );

  const send: ApiForm<Key>["send"] = async (rest, next) => {
    const body = key.startsWith("PATCH ") ? changedFields(stored, values) : values;
    if (!check(body)) return undefined;
    try {
      const answer = await change.mutateAsync({ ...rest, body } as unknown as InputOf<Key>);
      setStored(next?.(answer) ?? values);
      if (latest.current === values) {
        setChanged(false);
        draft.remove();
        if (next !== undefined) setValues(next(answer));
      }
      return answer;
    } catch (error) {
      showRefusal(error);
      return undefined;
    }
  };

  return { values, set, reset, send, problem, failure, isChanged, isSending: change.isPending };
}

function changedFields<Values extends object>(stored: Values, values: Values): Partial<Values> {
  const changed = Object.entries(values).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(stored[field as keyof Values]),
  );
  return Object.fromEntries(changed) as Partial<Values>;
}
