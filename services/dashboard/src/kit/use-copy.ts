import { useTimeout } from "@mantine/hooks";
import { type RefObject, useRef, useState } from "react";
import { notifyFailed } from "./notify.ts";

const SAYS_COPIED_MS = 1_000;

interface Copy<Shown> {
  /** For the element that shows the text, and nothing else. */
  shownRef: RefObject<Shown | null>;
  copy: () => Promise<void>;
  /** For a moment after it was copied. */
  isCopied: boolean;
}

/** Copies a text that the page shows. Where the browser does not allow it, selects the text, and says so. */
export function useCopy<Shown extends HTMLElement>(text: string): Copy<Shown> {
  const shownRef = useRef<Shown>(null);
  const [isCopied, setCopied] = useState(false);
  const { start, clear } = useTimeout(() => setCopied(false), SAYS_COPIED_MS);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Refused, or missing where the page was opened by plain http from another machine.
      if (!copySelected(shownRef.current)) {
        notifyFailed("The browser did not copy.", "The text is selected: copy it by hand.");
        return;
      }
    }
    setCopied(true);
    clear();
    start();
  };
  return { shownRef, copy, isCopied };
}

function copySelected(shown: HTMLElement | null): boolean {
  if (shown !== null) getSelection()?.selectAllChildren(shown);
  return document.execCommand("copy");
}
