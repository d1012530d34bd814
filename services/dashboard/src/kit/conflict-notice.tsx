import { Alert } from "@mantine/core";

interface ConflictNoticeProps {
  form: { conflicting: readonly PropertyKey[] };
}

/** Belongs into a form of what others may change meanwhile. */
export function ConflictNotice({ form }: ConflictNoticeProps) {
  if (form.conflicting.length === 0) return null;
  return (
    <Alert color="warning">
      Others have meanwhile changed what you changed here. Saving replaces their change.
    </Alert>
  );
}
