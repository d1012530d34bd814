import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import {
  bodyOfChanges,
  changedFields,
  conflictingFields,
  type SentChanges,
  valuesOver,
} from "./changed-fields.ts";
import type { AnswerOf, BodyOf, ChangeKey, InputOf } from "./operations.ts";
import { useChange } from "./queries.ts";
import { isUnclear } from "./unclear.ts";
import { useDraft } from "./use-draft.ts";
import { type FieldSentences, useFieldProblems } from "./use-field-problems.ts";

export interface ApiForm<Key extends ChangeKey>
  extends Pick<FieldSentences<Key>, "problem" | "failure" | "hasProblems"> {
  values: Partial<BodyOf<Key>>;
  set: <Field extends keyof BodyOf<Key>>(field: Field, value: BodyOf<Key>[Field] | undefined) => void;
  /** What the API answered when it refused the last call. */
  error: unknown;
  isSending: boolean;
  /** Whether the values differ from those of the start, or from those that were last sent. */
  isChanged: boolean;
  /** The fields that differ. */
  changed: readonly (keyof BodyOf<Key>)[];
  /** Those of them whose change was found in the browser when the form was opened. */
  restored: readonly (keyof BodyOf<Key>)[];
  /** Properties of the element around a field: they mark one of those, unless nothing is stored yet. */
  markOf: (field: keyof BodyOf<Key>) => { "data-unsaved"?: true };
  /** The changed fields that others have changed to something else since the form was opened. */
  conflicting: readonly (keyof BodyOf<Key>)[];
  /**
   * Checks and sends. Answers undefined when something is wrong: the sentences then stand at their fields. Then shows
   * `next`, except in fields that were changed while the form was being sent.
   */
  send: (
    rest: Omit<InputOf<Key>, "body">,
    next?: (answer: AnswerOf<Key>) => Partial<BodyOf<Key>>,
  ) => Promise<AnswerOf<Key> | undefined>;
  reset: (values: Partial<BodyOf<Key>>) => void;
  /** Back to the values that the form begins with. */
  discard: () => void;
}

interface ApiFormOptions<Key extends ChangeKey> {
  /** Keeps unsent values in the browser under this name. */
  draft?: string;
  /** Fields without which the others mean nothing: kept with every draft, although a sent form begins anew with them. */
  draftWith?: readonly (keyof BodyOf<Key>)[];
  /** The PATCH with the same answer that sends what needs no POST. */
  patch?: SentChanges<keyof BodyOf<Key>> & { key: ChangeKey };
  /** Fields that cannot be changed at the moment, even if the browser kept a change. */
  fixed?: readonly (keyof BodyOf<Key>)[];
  /** Refuses values before they are sent, in addition to the schema. */
  check?: ValuesCheck<Key>;
  /**
   * Reads what is stored right before it is sent: fields that were not changed here go out as they are then. Where others have
   * changed the same field, nothing is sent: the form names it as conflicting, and the next call sends.
   */
  readStored?: (values: Partial<BodyOf<Key>>) => Promise<Partial<BodyOf<Key>>>;
  /** Asks before values that are fit to be sent are sent; after a no, nothing is. */
  confirm?: (values: Partial<BodyOf<Key>>) => Promise<boolean>;
  /** Fields that are lists to which others add as well: only what was added and removed here is changed. */
  lists?: readonly (keyof BodyOf<Key>)[];
}

/** What is wrong with values beyond what the schema says, as sentences at their fields. */
type ValuesCheck<Key extends ChangeKey> = (
  values: Partial<BodyOf<Key>>,
) => Partial<Record<keyof BodyOf<Key>, string | undefined>>;

/**
 * The state of a form that sends the body of one operation: checked by its schema, answered at the field that the API
 * names. A PATCH sends only what was changed here, so that it does not revert what others changed meanwhile. Fields that
 * were not changed here follow `initial`.
 */
export function useApiForm<Key extends ChangeKey>(
  key: Key,
  initial: Partial<BodyOf<Key>>,
  options: ApiFormOptions<Key> = {},
): ApiForm<Key> {
  const draft = useDraft<Partial<BodyOf<Key>>>(options.draft);
  const [values, setValues] = useState<Partial<BodyOf<Key>>>({ ...initial, ...draft.restored });
  // A draft field that is already stored is no longer a change.
  const [kept, setKept] = useState(() => Object.keys(changedFields(initial, values)));
  const [conflicting, setConflicting] = useState<readonly (keyof BodyOf<Key>)[]>([]);
  const [stored, setStored] = useState(initial);
  const [sending, setSending] = useState<Partial<BodyOf<Key>>>();
  const [isSending, setIsSending] = useState(false);
  const { patch, fixed = NONE, lists = NONE, draftWith = NONE } = options;
  const initialText = JSON.stringify(initial);
  const [followedText, setFollowedText] = useState(initialText);
  if (followedText !== initialText) {
    setFollowedText(initialText);
    setConflicting((former) => [...former, ...conflictingFields(initial, stored, values, sending)]);
    setStored(initial);
    const next = valuesOver(initial, stored, values, lists, sending);
    setValues(next);
    setKept(kept.filter((field) => field in changedFields(initial, next)));
  }
  const changes = useMemo(() => without(changedFields(stored, values), fixed), [stored, values, fixed]);
  const { problem, failure, hasProblems, clear, check, showRefusal } = useFieldProblems(key);
  const change = useChange(key);
  const partly = useChange(patch?.key ?? key);
  const edits = useRef(0);
  useEffect(() => {
    const others = Object.keys(changes).length === 0 ? {} : only(values, draftWith);
    draft.save(readable({ ...others, ...changes }));
  }, [changes, values, draftWith, draft]);

  const set: ApiForm<Key>["set"] = useCallback(
    (field, value) => {
      edits.current += 1;
      setValues((former) => ({ ...former, [field]: value }));
      clear(field);
    },
    [clear],
  );

  const reset = useCallback(
    (next: Partial<BodyOf<Key>>) => {
      edits.current += 1;
      setValues(next);
      setStored(next);
      setKept([]);
      setConflicting([]);
      clear();
      // At once: the form may be gone before it is drawn again.
      draft.remove();
    },
    [clear, draft],
  );

  const send: ApiForm<Key>["send"] = async (rest, next) => {
    const editsBefore = edits.current;
    // A PATCH needs no field, but the schema is that of the POST.
    if (!check(key.startsWith("PATCH ") ? changes : values, options.check?.(values))) return undefined;
    if ((await options.confirm?.(values)) === false) return undefined;
    setIsSending(true);
    try {
      const now = (await options.readStored?.(values)) ?? stored;
      const foreign = conflictingFields(now, stored, values).filter(
        (field) => !lists.includes(field) && !fixed.includes(field),
      );
      if (foreign.length > 0) {
        setConflicting((former) => [...former, ...foreign]);
        setStored(now);
        setValues((current) => valuesOver(now, stored, current, lists));
        return undefined;
      }
      const sent = now === stored ? values : valuesOver(now, stored, values, lists);
      const sentChanges = without(changedFields(now, sent), fixed);
      const { isPosted, body } =
        patch === undefined
          ? { isPosted: true, body: key.startsWith("PATCH ") ? sentChanges : sent }
          : bodyOfChanges(sent, sentChanges, patch);
      const input = { ...rest, body };
      setSending(body);
      const answer = isPosted
        ? await change.mutateAsync(input as unknown as InputOf<Key>)
        : ((await partly.mutateAsync(input as never)) as AnswerOf<Key>);
      const shown = next?.(answer);
      if (shown === undefined) {
        setStored((former) => ({ ...former, ...body }));
      } else {
        setStored(shown);
        setValues((current) => valuesOver(shown, values, current, lists));
      }
      setKept([]);
      setConflicting([]);
      if (edits.current === editsBefore) draft.remove();
      return answer;
    } catch (error) {
      showRefusal(error);
      return undefined;
    } finally {
      setSending(undefined);
      setIsSending(false);
    }
  };

  const changed = Object.keys(changes) as (keyof BodyOf<Key>)[];
  const restored = changed.filter((field) => kept.includes(field as string));
  const isOfStored = key.startsWith("PATCH ") || patch !== undefined;
  return {
    values,
    set,
    reset,
    discard: () => reset(initial),
    send,
    problem,
    failure,
    hasProblems,
    isChanged: changed.length > 0,
    changed,
    restored,
    markOf: (field) => (isOfStored && restored.includes(field) ? { "data-unsaved": true } : {}),
    conflicting: changed.filter((field) => conflicting.includes(field) && !lists.includes(field)),
    error: change.error ?? partly.error,
    isSending,
  };
}

const NONE: readonly never[] = [];

/** Without what cannot be read. JSON makes null of NaN, which would clear the field. */
function readable<Values extends object>(changes: Values): Partial<Values> {
  return Object.fromEntries(
    Object.entries(changes).filter(([, value]) => !isUnclear(value)),
  ) as Partial<Values>;
}

function only<Values extends object>(values: Values, fields: readonly PropertyKey[]): Partial<Values> {
  return Object.fromEntries(
    Object.entries(values).filter(([field]) => fields.includes(field)),
  ) as Partial<Values>;
}

function without<Values extends object>(values: Values, fields: readonly PropertyKey[]): Values {
  return Object.fromEntries(Object.entries(values).filter(([field]) => !fields.includes(field))) as Values;
}
