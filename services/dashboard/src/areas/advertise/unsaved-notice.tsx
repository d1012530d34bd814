import { Alert, Button, Group } from "@mantine/core";

interface UnsavedNoticeProps<Field extends string> {
  form: { restored: readonly PropertyKey[]; isSending: boolean };
  labels: Readonly<Record<Field, string>>;
  onDiscard: () => void;
}

/** Belongs into a form that shows changes of an earlier visit: they look as if they were stored. */
export function UnsavedNotice<Field extends string>({ form, labels, onDiscard }: UnsavedNoticeProps<Field>) {
  if (form.restored.length === 0) return null;
  const names = form.restored.map((field) => labels[field as Field]);
  return (
    <Alert color="warning" mb="md" maw={560} title={`Not saved: ${names.join(", ")}.`}>
      <Group gap="xs">
        <Button type="submit" variant="default" size="compact-sm" loading={form.isSending}>
          Save
        </Button>
        <Button variant="default" size="compact-sm" onClick={onDiscard}>
          Discard
        </Button>
      </Group>
    </Alert>
  );
}

/** Marks the field where the notice names it. */
export function unsavedMark(form: { restored: readonly PropertyKey[] }, field: PropertyKey) {
  return form.restored.includes(field) ? { "data-unsaved": true } : {};
}
