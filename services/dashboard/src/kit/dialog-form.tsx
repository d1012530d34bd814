import { Alert, Button, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";

interface DialogFormProps {
  /** The sentence of the API that belongs to no field. */
  failure: string | undefined;
  isSending: boolean;
  onSend: () => Promise<void>;
  onClose: () => void;
  /** The verb on the button: "Create key". */
  action: string;
  isDisabled?: boolean;
  children: ReactNode;
}

/** A form in a dialog: its fields, then cancel and send. */
export function DialogForm(props: DialogFormProps) {
  const { failure, isSending, onSend, onClose, action, isDisabled = false, children } = props;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void onSend();
      }}
      noValidate
    >
      <Stack>
        {children}
        {failure !== undefined && <Alert color="negative">{failure}</Alert>}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isSending} disabled={isDisabled}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
