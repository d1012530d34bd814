import { useEffect, useRef } from "react";
import classes from "./use-answer-in-view.module.css";
import { useIsPhone } from "./use-is-phone.ts";

/**
 * The properties of the element of an answer, which stands below its form on a phone: each new answer is announced, and
 * scrolled into view there.
 */
export function useAnswerInView<E extends HTMLElement>(answer: unknown) {
  const isPhone = useIsPhone();
  const ref = useRef<E>(null);
  useEffect(() => {
    if (isPhone && answer !== undefined) ref.current?.scrollIntoView();
  }, [isPhone, answer]);
  return { ref, className: classes.answer, "aria-live": "polite" } as const;
}
