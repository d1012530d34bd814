import { Modal, type ModalProps } from "@mantine/core";
import { useCallback, useEffect, useRef } from "react";
import { type BlockerFunction, useBlocker } from "react-router";

/** A dialog over a page. Back closes it and stays on the page. */
export function Dialog(props: ModalProps) {
  return (
    <>
      {props.opened && <BackCloses onClose={props.onClose} />}
      <Modal {...props} />
    </>
  );
}

function BackCloses({ onClose }: { onClose: () => void }) {
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
