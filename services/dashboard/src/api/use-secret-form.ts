import { useState } from "react";
import { isUnanswered } from "./api-error.ts";
import { callAny } from "./call.ts";
import type { AnswerOf, BodyOf, ChangeKey } from "./operations.ts";
import { type FieldSentences, useFieldProblems } from "./use-field-problems.ts";

/**
 * The state of a form with a password. Unlike those of `useApiForm`, its values are never stored, not even to send them again
 * under the same key.
 * @param onUnanswered called with a body of which no answer says what became of it; what it keeps must not be a password
 */
export function useSecretForm<Key extends ChangeKey, Field extends keyof BodyOf<Key> & string>(
  key: Key,
  empty: Readonly<Record<Field, string>>,
  onUnanswered?: (body: BodyOf<Key>) => void,
) {
  const [values, setValues] = useState(empty);
  const [isSending, setSending] = useState(false);
  const { problem, failure, clear, check, showRefusal } = useFieldProblems(key);
  const field = (name: Field) => ({
    value: values[name],
    error: problem(name),
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => {
      setValues((former) => ({ ...former, [name]: value }));
      clear(name);
    },
  });
  /** Answers undefined when something is wrong. After an answer the form is busy until it is reset, or gone with its page. */
  const send = async (
    body: BodyOf<Key>,
    more?: Parameters<FieldSentences<Key>["check"]>[1],
  ): Promise<{ answer: AnswerOf<Key> } | undefined> => {
    if (!check(body as Partial<BodyOf<Key>>, more)) return undefined;
    setSending(true);
    try {
      return { answer: await callAny(key, { body }) };
    } catch (error) {
      showRefusal(error);
      if (isUnanswered(error)) onUnanswered?.(body);
      setSending(false);
      return undefined;
    }
  };
  const reset = () => {
    setValues(empty);
    setSending(false);
  };
  return { values, field, send, reset, failure, isSending };
}
