import { Modal, type ModalProps } from "@mantine/core";
import { useCallback } from "react";
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
  const shouldBlock = useCallback<BlockerFunction>(
    ({ historyAction }) => {
      if (historyAction !== "POP") return false;
      // The router first returns to the entry of the page: closing may replace the current entry.
      addEventListener("popstate", onClose, { once: true });
      return true;
    },
    [onClose],
  );
  useBlocker(shouldBlock);
  return null;
}
