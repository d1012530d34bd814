import { Alert, Button, Group, Text } from "@mantine/core";

interface UnsavedNoticeProps<Field extends string> {
  form: { restored: readonly PropertyKey[]; overtaken: readonly PropertyKey[]; isSending: boolean };
  labels: Readonly<Record<Field, string>>;
  onDiscard: () => void;
}

/**
 * Belongs into a form whose changes are of an earlier visit, so that they look as if they were stored, or are of fields
 * that others have changed since.
 */
export function UnsavedNotice<Field extends string>({ form, labels, onDiscard }: UnsavedNoticeProps<Field>) {
  if (form.restored.length + form.overtaken.length === 0) return null;
  const namesOf = (fields: readonly PropertyKey[]) =>
    fields.map((field) => labels[field as Field]).join(", ");
  return (
    <Alert
      color="warning"
      mb="md"
      maw={560}
      title={`Not saved: ${namesOf([...new Set([...form.restored, ...form.overtaken])])}.`}
    >
      {form.overtaken.length > 0 && (
        <Text mb="xs">Changed elsewhere meanwhile: {namesOf(form.overtaken)}. Saving replaces that.</Text>
      )}
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
