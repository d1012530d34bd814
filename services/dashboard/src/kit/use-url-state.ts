import { useCallback, useEffect } from "react";
import { useSearchParams } from "react-router";

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
    (value: string, gone?: string) =>
      setParameters(
        (former) => {
          const next = new URLSearchParams(former);
          if (gone !== undefined) next.delete(gone);
          if (value === fallback) next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true, preventScrollReset: true },
      ),
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

/** For `known`: one of the values, or else the fallback. */
export function oneOf<Value extends string>(
  values: readonly Value[],
  fallback: Value,
): (text: string) => Value {
  return (text) => values.find((value) => value === text) ?? fallback;
}

/** The values of a list of options. */
export function valuesOf<Value extends string>(options: readonly { value: Value }[]): Value[] {
  return options.map(({ value }) => value);
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
