import { useCallback } from "react";
import { useSearchParams } from "react-router";

/** A text kept in the address, so that a link or a reload shows the same. A change removes `dependent` from the address. */
export function useUrlState(
  name: string,
  fallback = "",
  dependent?: string,
): [string, (value: string) => void] {
  const [parameters, setParameters] = useSearchParams();
  const set = useCallback(
    (value: string) =>
      setParameters(
        (former) => {
          const next = new URLSearchParams(former);
          if (dependent !== undefined) next.delete(dependent);
          if (value === fallback) next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true, preventScrollReset: true },
      ),
    [setParameters, name, fallback, dependent],
  );
  return [parameters.get(name) ?? fallback, set];
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
