import { Alert, Button, Group, Text } from "@mantine/core";

interface UnsavedNoticeProps<Field extends string> {
  form: {
    restored: readonly PropertyKey[];
    conflicting: readonly PropertyKey[];
    isSending: boolean;
    discard: () => void;
  };
  labels: Readonly<Record<Field, string>>;
}

/**
 * Names changes of an earlier visit, which look as if they were stored (the form marks those fields), and changes of fields
 * that others have changed.
 */
export function UnsavedNotice<Field extends string>({ form, labels }: UnsavedNoticeProps<Field>) {
  if (form.restored.length + form.conflicting.length === 0) return null;
  const namesOf = (fields: readonly PropertyKey[]) =>
    fields.map((field) => labels[field as Field]).join(", ");
  return (
    <Alert
      role={form.conflicting.length > 0 ? "alert" : "note"}
      color="warning"
      mb="md"
      maw={560}
      title={`Not saved: ${namesOf([...new Set([...form.restored, ...form.conflicting])])}.`}
    >
      {form.conflicting.length > 0 && (
        <Text mb="xs">Changed elsewhere meanwhile: {namesOf(form.conflicting)}. Saving replaces that.</Text>
      )}
      <Group gap="xs">
        <Button type="submit" variant="default" size="compact-sm" loading={form.isSending}>
          Save
        </Button>
        <Button variant="default" size="compact-sm" onClick={form.discard}>
          Discard
        </Button>
      </Group>
    </Alert>
  );
}
