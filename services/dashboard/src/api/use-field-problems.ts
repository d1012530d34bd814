import schemas from "virtual:request-schemas";
import { useCallback, useEffect, useRef, useState } from "react";
import { formatCents, formatNumber } from "../format/format.ts";
import { ApiError, fieldNamedIn } from "./api-error.ts";
import { checkFields, type FieldProblems, type FieldSchema, formFields } from "./check-fields.ts";
import type { BodyOf, ChangeKey } from "./operations.ts";

/** The schema of the body of an operation, as plain data. */
export function requestSchema(key: ChangeKey): FieldSchema {
  return schemas[key] ?? {};
}

/** As the API names it: "game_context.location". */
export type NestedField = `${string}.${string}`;

/** The bounds and the default of a number in the body of an operation. */
export function numberLimits<Key extends ChangeKey>(key: Key, field: string & keyof BodyOf<Key>) {
  const { minimum, maximum, default: usual } = requestSchema(key).properties?.[field] ?? {};
  return { min: Number(minimum), max: Number(maximum), usual: Number(usual) };
}

export interface FieldSentences<Key extends ChangeKey> {
  /** The sentence at a field, once there is something wrong with it. */
  problem: (field: keyof BodyOf<Key> | NestedField) => string | undefined;
  /** A sentence that belongs to no field, or to one that the form does not show. */
  failure: string | undefined;
  /** Whether a sentence stands at any field. */
  hasProblems: boolean;
  /** Removes the sentence of one field, or all of them. */
  clear: (field?: keyof BodyOf<Key>) => void;
  /** Whether the values can be sent; otherwise the sentences then stand at their fields, the first of which gets the focus. */
  check: (
    values: Partial<BodyOf<Key>>,
    more?: Partial<Record<keyof BodyOf<Key>, string | undefined>>,
  ) => boolean;
  /** Puts what the API refused at the field that its sentence names. Answers whether it names one. */
  showRefusal: (error: unknown) => boolean;
}

/**
 * What is wrong with a form that sends the body of one operation: by its schema before sending, by the API's answer after.
 * @param nested the parts of the body's fields that have fields of their own in the form
 */
export function useFieldProblems<Key extends ChangeKey>(
  key: Key,
  nested: readonly NestedField[] = [],
): FieldSentences<Key> {
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
  /** The fields that ask for their sentence while the form is drawn. */
  const drawn = new Set<string>();
  useEffect(() => {
    const hidden = Object.entries(problems).filter(([field]) => !drawn.has(field));
    if (hidden.length === 0) return;
    setProblems((former) => Object.fromEntries(Object.entries(former).filter(([field]) => drawn.has(field))));
    const sentences = hidden.map(([field, text]) => (text.startsWith(field) ? text : `${field}: ${text}`));
    setFailure(sentences.join(" "));
  });
  const focusFirstProblem = useFocusOfFirstProblem(problems);
  const check: FieldSentences<Key>["check"] = (values, more = {}) => {
    focusFirstProblem.begin();
    const found = checkFields(requestSchema(key), values as Record<string, unknown>, showNumber);
    for (const [field, sentence] of Object.entries<string | undefined>(more)) {
      if (sentence !== undefined) found[field] ??= sentence;
    }
    setProblems(found);
    setFailure(undefined);
    const isGood = Object.keys(found).length === 0;
    if (!isGood) focusFirstProblem.request();
    return isGood;
  };
  const showRefusal = (error: unknown) => {
    const detail = error instanceof ApiError ? error.detail : String(error);
    const field = fieldNamedIn(detail, formFields(requestSchema(key), nested));
    if (field === undefined) setFailure(detail);
    else {
      setProblems({ [field]: detail });
      focusFirstProblem.request();
    }
    return field !== undefined;
  };
  return {
    problem: (field) => {
      drawn.add(field as string);
      return sentenceAt(field as string, problems[field as string]);
    },
    failure,
    hasProblems: Object.keys(problems).length > 0,
    clear,
    check,
    showRefusal,
  };
}

/** A hidden field that repeats a shown one cannot take the focus. */
const INVALID_FIELD = '[aria-invalid="true"]:not([type="hidden"])';

/**
 * Moves the focus, and with it the view, to the first field with a problem once that is drawn: the button that was pressed
 * may be far below. Not where the person has gone on to something else meanwhile.
 */
function useFocusOfFirstProblem(problems: FieldProblems): { begin: () => void; request: () => void } {
  const pressed = useRef<Element | null>(null);
  const isRequested = useRef(false);
  useEffect(() => {
    if (!isRequested.current || Object.keys(problems).length === 0) return;
    isRequested.current = false;
    const { activeElement, body } = document;
    if (activeElement !== body && activeElement !== pressed.current) return;
    const form = pressed.current?.closest("form") ?? document;
    form.querySelector<HTMLElement>(INVALID_FIELD)?.focus();
  }, [problems]);
  return {
    begin: () => {
      pressed.current = document.activeElement;
    },
    request: () => {
      isRequested.current = true;
    },
  };
}

/** The sentence below a field, whose name in the API the page does not show. */
function sentenceAt(field: string, sentence: string | undefined): string | undefined {
  return sentence?.startsWith(`${field} `) ? `This${sentence.slice(field.length)}` : sentence;
}

function showNumber(field: string, value: number): string {
  return field.endsWith("_cents") ? formatCents(value) : formatNumber(value);
}
