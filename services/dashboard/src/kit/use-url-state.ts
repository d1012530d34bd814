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
