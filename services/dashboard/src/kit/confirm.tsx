import { Button, Group, List, Stack, Text } from "@mantine/core";
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";
import { Dialog } from "./dialog.tsx";

export interface Confirmation {
  title: string;
  /** What will happen, one sentence each. */
  consequences: readonly ReactNode[];
  /** The verb on the button: "Pause campaign". */
  action: string;
  /** What is lost cannot be brought back. */
  isDestructive?: boolean;
}

type Confirm = (confirmation: Confirmation) => Promise<boolean>;
const ConfirmContext = createContext<Confirm | undefined>(undefined);

/** Asks before something with consequences is done. Answers true when the person chose to do it. */
export function useConfirm(): Confirm {
  const confirm = useContext(ConfirmContext);
  if (confirm === undefined) throw new Error("useConfirm needs a ConfirmProvider");
  return confirm;
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [confirmation, setConfirmation] = useState<Confirmation>();
  const [isOpen, setOpen] = useState(false);
  const answer = useRef<(isAgreed: boolean) => void>(undefined);
  const confirm = useCallback<Confirm>((next) => {
    answer.current?.(false);
    setConfirmation(next);
    setOpen(true);
    return new Promise((resolve) => {
      answer.current = resolve;
    });
  }, []);
  const close = (isAgreed: boolean) => {
    setOpen(false);
    answer.current?.(isAgreed);
    answer.current = undefined;
  };
  return (
    <ConfirmContext value={confirm}>
      {children}
      <Dialog opened={isOpen} onClose={() => close(false)} title={confirmation?.title}>
        <Stack>
          {confirmation?.consequences.length === 1 ? (
            <Text>{confirmation.consequences[0]}</Text>
          ) : (
            <List spacing={4}>
              {confirmation?.consequences.map((consequence, index) => (
                <List.Item key={index}>{consequence}</List.Item>
              ))}
            </List>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => close(false)}>
              Cancel
            </Button>
            <Button color={confirmation?.isDestructive ? "negative" : "ember"} onClick={() => close(true)}>
              {confirmation?.action}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </ConfirmContext>
  );
}
