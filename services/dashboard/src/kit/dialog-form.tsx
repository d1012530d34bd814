import { Alert, Button, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useHoldDialog } from "./dialog.tsx";
import { Form } from "./form.tsx";

interface DialogFormProps {
  form: {
    /** The sentence of the API that belongs to no field. */
    failure: string | undefined;
    isSending: boolean;
    discard: () => void;
    /** Fields of a draft, which is then named. */
    restored?: readonly PropertyKey[];
    /** Fields that others have changed, too, which is then said. */
    conflicting?: readonly PropertyKey[];
  };
  onSend: () => Promise<void>;
  onClose: () => void;
  /** The verb on the button: "Create key". */
  action: string;
  children: ReactNode;
}

/** A form in a dialog: its fields, then cancel, which discards what was typed, and send. */
export function DialogForm(props: DialogFormProps) {
  const { form, onSend, onClose, action, children } = props;
  const { restored = [], conflicting = [] } = form;
  const cancel = () => {
    form.discard();
    onClose();
  };
  useHoldDialog(form.isSending);
  return (
    <Form onSend={onSend}>
      <Stack>
        {restored.length > 0 && (
          <Alert role="note" color="warning">
            What was written before was not sent. Cancel discards it.
          </Alert>
        )}
        {conflicting.length > 0 && (
          <Alert color="warning">
            Others have meanwhile changed what you changed here. Saving replaces their change.
          </Alert>
        )}
        {children}
        {form.failure !== undefined && <Alert color="negative">{form.failure}</Alert>}
        <Group justify="flex-end">
          <Button variant="default" onClick={cancel} disabled={form.isSending}>
            Cancel
          </Button>
          <Button type="submit" loading={form.isSending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
