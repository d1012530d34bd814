import { Button, Group } from "@mantine/core";

interface RowAction {
  label: string;
  /** What it is done to, for those who do not see the row. */
  name: string;
  run: () => void;
  /** Is under way: the button shows it, and cannot be pressed. */
  isPending?: boolean;
  isDestructive?: boolean;
}

/** What can be done with a row, at its end. */
export function RowActions({ actions }: { actions: readonly RowAction[] }) {
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      {actions.map(({ label, name, run, isPending = false, isDestructive = false }) => (
        <Button
          key={label}
          variant="subtle"
          size="compact-sm"
          {...(isDestructive && { color: "negative" })}
          aria-label={`${label} ${name}`}
          onClick={run}
          loading={isPending}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}
