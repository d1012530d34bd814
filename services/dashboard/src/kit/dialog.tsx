import { Modal, type ModalProps } from "@mantine/core";
import { useCallback, useEffect, useRef } from "react";
import { type BlockerFunction, useBlocker } from "react-router";

interface DialogProps extends ModalProps {
  /** Shows what nobody can see again: only a button of its own closes it. */
  hasSecret?: boolean;
}

/** A dialog over a page. Back closes it, unless it has a secret, and stays on the page. */
export function Dialog({ hasSecret = false, ...props }: DialogProps) {
  return (
    <>
      {props.opened && <BackCloses onClose={hasSecret ? undefined : props.onClose} />}
      <Modal
        {...props}
        {...(hasSecret && { closeOnEscape: false, closeOnClickOutside: false, withCloseButton: false })}
      />
    </>
  );
}

function BackCloses({ onClose }: { onClose: (() => void) | undefined }) {
  const gone = useRef<AbortController>(undefined);
  // A listener that was not called would close the next dialog.
  useEffect(() => {
    const controller = new AbortController();
    gone.current = controller;
    return () => controller.abort();
  }, []);
  const shouldBlock = useCallback<BlockerFunction>(
    ({ historyAction }) => {
      if (historyAction !== "POP") return false;
      if (onClose === undefined) return true;
      // The router first returns to the entry of the page: closing may replace the current entry.
      const signal = gone.current?.signal;
      addEventListener("popstate", onClose, { once: true, ...(signal && { signal }) });
      return true;
    },
    [onClose],
  );
  useBlocker(shouldBlock);
  return null;
}
