import { Alert, Button, Card, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { hasStatus } from "../../api/api-error.ts";
import { useAbility } from "../../api/session.ts";
import type { Columns } from "../../kit/columns.tsx";
import { DataTable } from "../../kit/data-table.tsx";
import { Form } from "../../kit/form.tsx";
import { notifyDone, notifyFailed } from "../../kit/notify.ts";
import { type RowActionProps, RowActions } from "../../kit/row-actions.tsx";
import type { Read } from "../../kit/states.tsx";
import { usePending } from "../../kit/use-pending.ts";

interface EntryFormProps {
  form: { failure: string | undefined; isSending: boolean };
  /** The name of the button. */
  action: string;
  onSend: () => Promise<void>;
  children: ReactNode;
}

/** Adds or changes one entry of a list of the campaign. */
export function EntryForm({ form, action, onSend, children }: EntryFormProps) {
  return (
    <Card padding="md" mb="md">
      <Form onSend={onSend}>
        {form.failure && (
          <Alert color="negative" mb="sm">
            {form.failure}
          </Alert>
        )}
        <Group align="flex-start" gap="md">
          {children}
          <Button type="submit" variant="default" loading={form.isSending} mt={25}>
            {action}
          </Button>
        </Group>
      </Form>
    </Card>
  );
}

/** The read of a list of the campaign. */
export interface EntriesRead<Entry> {
  read: Read & { data: readonly Entry[] | undefined };
}

interface EntryTableProps<Entry> extends EntriesRead<Entry> {
  label: string;
  name: string;
  nameOf: (entry: Entry) => string;
  columns: Columns<Entry>;
  /** What can be done with an entry, apart from removing it. */
  actionsOf?: (entry: Entry) => RowActionProps[];
  /** False when the person decided against it; rejects with what the API says against it. */
  onRemove: (entry: Entry) => Promise<unknown>;
}

/** The entries of a list of the campaign, each of which can be removed; nothing while there are none. */
export function EntryTable<Entry extends { id: string }>(props: EntryTableProps<Entry>) {
  const { label, name, read, nameOf, columns, actionsOf, onRemove } = props;
  const { canChange } = useAbility();
  const { isPending, whilePending } = usePending();
  if (read.data?.length === 0) return null;
  const remove = async (entry: Entry) => {
    try {
      if ((await whilePending(entry.id, () => onRemove(entry))) === false) return;
      notifyDone(`${nameOf(entry)} is removed.`);
    } catch (failure) {
      // With 404, another member has removed it already.
      if (!hasStatus(failure, 404))
        notifyFailed(`${nameOf(entry)} was not removed.`, failure, `${nameOf(entry)} was removed`);
    }
  };
  return (
    <DataTable
      label={label}
      name={name}
      rows={read.data}
      read={read}
      rowKey={({ id }) => id}
      empty={null}
      skeletonRows={1}
      columns={(make) => [
        ...columns(make),
        make.actions(
          (entry) =>
            canChange && (
              <RowActions
                actions={[
                  ...(actionsOf?.(entry) ?? []),
                  {
                    label: "Remove",
                    name: nameOf(entry),
                    run: () => void remove(entry),
                    isPending: isPending(entry.id),
                    isDestructive: true,
                  },
                ]}
              />
            ),
        ),
      ]}
    />
  );
}
