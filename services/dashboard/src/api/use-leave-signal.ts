import { type RefObject, useEffect, useRef } from "react";

/** Aborted when the component leaves the page: work that it began ends then. */
export function useLeaveSignal(): RefObject<AbortSignal> {
  const signal = useRef(new AbortController().signal);
  useEffect(() => {
    const controller = new AbortController();
    signal.current = controller.signal;
    return () => controller.abort();
  }, []);
  return signal;
}
