import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useLocation, useSearchParams } from "react-router";

interface UrlStateOptions<Value extends string> {
  /** A parameter that a change removes from the address. */
  dependent?: string;
  /** What of a text in the address means something; the rest is removed from the address. Left out: all of it. */
  known?: ((text: string) => Value) | undefined;
}

/** A text kept in the address, so that a link or a reload shows the same. */
export function useUrlState<Value extends string = string>(
  name: string,
  fallback = "" as Value,
  { dependent, known }: UrlStateOptions<Value> = {},
): [Value, (value: string) => void] {
  const [parameters, setParameters] = useSearchParams();
  const put = useCallback(
    (value: string, gone?: string) => {
      // What is drawn may be older than what the focus has left behind.
      const next = new URLSearchParams(location.search);
      if (gone !== undefined) next.delete(gone);
      if (value === fallback) next.delete(name);
      else next.set(name, value);
      setParameters(next, { replace: true, preventScrollReset: true });
    },
    [setParameters, name, fallback],
  );
  const text = parameters.get(name);
  const value = text === null ? fallback : (known?.(text) ?? (text as Value));
  const isUnknown = text !== null && value !== text;
  // `put` is another for each address: what a removal at the same time has restored is removed again.
  useEffect(() => {
    if (isUnknown) put(value);
  }, [isUnknown, value, put]);
  const set = useCallback((next: string) => put(next, dependent), [put, dependent]);
  return [value, set];
}

/** As `useUrlState`, for a field in which people type. */
export function useTypedUrlState(
  name: string,
  fallback = "",
  options: Pick<UrlStateOptions<string>, "dependent"> = {},
): [string, (value: string) => void] {
  return useWrittenLater(...useUrlState(name, fallback, options));
}

/** As `useSearchParams`, where people type into fields that are kept in them. */
export function useTypedSearchParams(): [URLSearchParams, (next: URLSearchParams) => void] {
  const [parameters, setParameters] = useSearchParams();
  const [text, setText] = useWrittenLater(parameters.toString(), (next) =>
    setParameters(next, { replace: true, preventScrollReset: true }),
  );
  return [useMemo(() => new URLSearchParams(text), [text]), (next) => setText(next.toString())];
}

const WRITE_AFTER_MS = 300;

interface TypedText {
  text: string;
  /** The entry of the history that it was written over; undefined: it is not written yet. */
  writtenOver?: string;
}

/**
 * A text of the address that changes with each key. Browsers limit how often a page changes its address (Safari: 100 times
 * in half a minute), so it is written when nobody has typed for a moment, the focus leaves its field, or the form is sent.
 */
function useWrittenLater(inAddress: string, write: (text: string) => void): [string, (text: string) => void] {
  const { key, pathname } = useLocation();
  const [typed, setTyped] = useState<TypedText>();
  // The address has what was written, or another page's text.
  if (typed?.writtenOver !== undefined && typed.writtenOver !== key) setTyped(undefined);
  const writer = useRef(write);
  writer.current = write;
  const writeNow = useRef<() => void>(undefined);
  useEffect(() => {
    if (typed === undefined || typed.writtenOver !== undefined) return;
    const put = () => {
      writeNow.current = undefined;
      setTyped({ text: typed.text, writtenOver: key });
      // By Back, say, the page is left already.
      if (location.pathname === pathname) writer.current(typed.text);
    };
    writeNow.current = put;
    const timer = setTimeout(put, WRITE_AFTER_MS);
    // Before the page's own listeners, which may change the text once more.
    document.addEventListener("focusout", put, true);
    document.addEventListener("submit", put, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("focusout", put, true);
      document.removeEventListener("submit", put, true);
    };
  }, [typed, key, pathname]);
  useEffect(() => () => writeNow.current?.(), []);
  return [typed?.text ?? inAddress, useCallback((text) => setTyped({ text }), [])];
}

/** As `useUrlState`, for one of these values. Undefined: they are not read yet, and the text in the address stays. */
export function useUrlChoice<Value extends string>(
  name: string,
  values: readonly Value[] | undefined,
  fallback: Value,
): [Value, (value: string) => void] {
  return useUrlState<Value>(name, fallback, {
    known: values && ((text) => values.find((value) => value === text) ?? fallback),
  });
}

/** Removes texts from the address in one step: of two changes in one event, the later would restore what the earlier removed. */
export function useClearUrlState(names: readonly string[]): () => void {
  const [, setParameters] = useSearchParams();
  return () =>
    setParameters(
      (former) => {
        const next = new URLSearchParams(former);
        for (const name of names) next.delete(name);
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
}
