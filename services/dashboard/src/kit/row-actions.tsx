import { Button, Group } from "@mantine/core";

export interface RowActionProps {
  label: string;
  /** What it is done to, for those who do not see the row. */
  name: string;
  run: () => void;
  /** Is under way: the button shows it, and cannot be pressed. */
  isPending?: boolean;
  isDestructive?: boolean;
}

/** One thing that can be done with a row, at its end. */
export function RowAction({ label, name, run, isPending = false, isDestructive = false }: RowActionProps) {
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      {...(isDestructive && { color: "negative" })}
      aria-label={`${label} ${name}`}
      onClick={run}
      loading={isPending}
    >
      {label}
    </Button>
  );
}

/** Where more than one thing can be done with a row. */
export function RowActions({ actions }: { actions: readonly RowActionProps[] }) {
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      {actions.map((action) => (
        <RowAction key={action.label} {...action} />
      ))}
    </Group>
  );
}
