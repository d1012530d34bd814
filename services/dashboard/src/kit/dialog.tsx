import { Modal, type ModalProps } from "@mantine/core";
import { createContext, useCallback, useContext, useEffect, useRef, useState } from "react";
import { type BlockerFunction, useBlocker } from "react-router";

interface DialogProps extends ModalProps {
  /** Shows what nobody can see again: only a button of its own closes it. */
  hasSecret?: boolean;
}

const HoldContext = createContext<(isHeld: boolean) => void>(() => undefined);

/** Keeps the dialog around a form open while the form is being sent: what comes of it is said in the dialog. */
export function useHoldDialog(isSending: boolean): void {
  const hold = useContext(HoldContext);
  useEffect(() => {
    if (!isSending) return;
    hold(true);
    return () => hold(false);
  }, [hold, isSending]);
}

/** A dialog over a page. Back closes it, unless it has a secret or is held open, and stays on the page. */
export function Dialog({ hasSecret = false, children, ...props }: DialogProps) {
  const [isHeld, setHeld] = useState(false);
  const staysOpen = hasSecret || isHeld;
  return (
    <>
      {props.opened && <BackCloses onClose={staysOpen ? undefined : props.onClose} />}
      <Modal
        {...props}
        {...(staysOpen && { closeOnEscape: false, closeOnClickOutside: false })}
        {...(hasSecret && { withCloseButton: false })}
        {...(isHeld && { closeButtonProps: { disabled: true } })}
      >
        <HoldContext value={setHeld}>{children}</HoldContext>
      </Modal>
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
