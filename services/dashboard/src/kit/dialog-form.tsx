import { Alert, Button, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useHoldDialog } from "./dialog.tsx";
import { Form } from "./form.tsx";

interface DialogFormProps {
  /** `failure`: the sentence of the API that belongs to no field. */
  form: { failure: string | undefined; isSending: boolean };
  onSend: () => Promise<void>;
  onClose: () => void;
  /** The verb on the button: "Create key". */
  action: string;
  children: ReactNode;
}

/** A form in a dialog: its fields, then cancel and send. */
export function DialogForm(props: DialogFormProps) {
  const { form, onSend, onClose, action, children } = props;
  useHoldDialog(form.isSending);
  return (
    <Form onSend={onSend}>
      <Stack>
        {children}
        {form.failure !== undefined && <Alert color="negative">{form.failure}</Alert>}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={form.isSending}>
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
