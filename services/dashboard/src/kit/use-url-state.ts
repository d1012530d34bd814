import { useCallback } from "react";
import { useSearchParams } from "react-router";

/** A text kept in the address, so that a link or a reload shows the same. Empty texts leave the address. */
export function useUrlState(name: string, fallback = ""): [string, (value: string) => void] {
  const [parameters, setParameters] = useSearchParams();
  const set = useCallback(
    (value: string) =>
      setParameters(
        (former) => {
          const next = new URLSearchParams(former);
          if (value === fallback) next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true, preventScrollReset: true },
      ),
    [setParameters, name, fallback],
  );
  return [parameters.get(name) ?? fallback, set];
}
