import { Button, Group, type GroupProps } from "@mantine/core";

interface SaveButtonsProps extends GroupProps {
  form: { isChanged: boolean; isSending: boolean; discard: () => void };
  /** The verb on the button: "Save settings". */
  action: string;
  /** Beside forms of the same weight. */
  isSecondary?: boolean;
}

/** At the end of a form of what is stored: sends its changes, or discards them; then what they do. */
export function SaveButtons({ form, action, isSecondary = false, children, ...group }: SaveButtonsProps) {
  return (
    <Group {...group}>
      <Button
        type="submit"
        loading={form.isSending}
        disabled={!form.isChanged}
        {...(isSecondary && { variant: "default" })}
      >
        {action}
      </Button>
      {form.isChanged && (
        <Button variant="default" onClick={form.discard}>
          Discard
        </Button>
      )}
      {children}
    </Group>
  );
}
