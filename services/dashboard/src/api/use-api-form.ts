import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { changedFields } from "./changed-fields.ts";
import type { AnswerOf, BodyOf, ChangeKey, InputOf } from "./operations.ts";
import { useChange } from "./queries.ts";
import { useDraft } from "./use-draft.ts";
import { type FieldSentences, useFieldProblems } from "./use-field-problems.ts";

export interface ApiForm<Key extends ChangeKey> extends Pick<FieldSentences<Key>, "problem" | "failure"> {
  values: Partial<BodyOf<Key>>;
  set: <Field extends keyof BodyOf<Key>>(field: Field, value: BodyOf<Key>[Field] | undefined) => void;
  /** What the API answered when it refused the last call. */
  error: unknown;
  isSending: boolean;
  /** Whether the values differ from those of the start, or from those that were last sent. */
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
  const draft = useDraft<Partial<BodyOf<Key>>>(options.draft);
  const [values, setValues] = useState<Partial<BodyOf<Key>>>({ ...initial, ...draft.restored });
  const [stored, setStored] = useState(initial);
  const changes = useMemo(() => changedFields(stored, values), [stored, values]);
  const { problem, failure, clear, check, showRefusal } = useFieldProblems(key);
  const change = useChange(key);
  const latest = useRef(values);
  useEffect(() => {
    latest.current = values;
  }, [values]);
  useEffect(() => draft.save(changes), [changes, draft]);

  const set: ApiForm<Key>["set"] = useCallback(
    (field, value) => {
      setValues((former) => ({ ...former, [field]: value }));
      clear(field);
    },
    [clear],
  );

  const reset = useCallback(
    (next: Partial<BodyOf<Key>>) => {
      setValues(next);
      setStored(next);
      clear();
    },
    [clear],
  );

  const send: ApiForm<Key>["send"] = async (rest, next) => {
    const body = key.startsWith("PATCH ") ? changes : values;
    if (!check(body)) return undefined;
    try {
      const answer = await change.mutateAsync({ ...rest, body } as unknown as InputOf<Key>);
      if (latest.current === values) {
        const shown = next?.(answer) ?? values;
        setStored(shown);
        setValues(shown);
        draft.remove();
      } else {
        setStored((former) => ({ ...former, ...body }));
      }
      return answer;
    } catch (error) {
      showRefusal(error);
      return undefined;
    }
  };

  const isChanged = Object.keys(changes).length > 0;
  return {
    values,
    set,
    reset,
    send,
    problem,
    failure,
    isChanged,
    error: change.error,
    isSending: change.isPending,
  };
}
