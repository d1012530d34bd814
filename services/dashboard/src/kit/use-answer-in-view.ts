import { type RefObject, useEffect, useRef } from "react";
import { useIsPhone } from "./use-is-phone.ts";

/** For the element of an answer, which stands below its form on a phone: each new answer scrolls it into view there. */
export function useAnswerInView<E extends HTMLElement>(answer: unknown): RefObject<E | null> {
  const isPhone = useIsPhone();
  const element = useRef<E>(null);
  useEffect(() => {
    if (isPhone && answer !== undefined) element.current?.scrollIntoView();
  }, [isPhone, answer]);
  return element;
}
