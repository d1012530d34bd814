import { PasswordInput as MantinePasswordInput, type PasswordInputProps } from "@mantine/core";

/** Mantine's own leaves out that the field is invalid, which screen readers say, and its eye is beyond the keyboard. */
export function PasswordInput(props: PasswordInputProps) {
  return (
    <MantinePasswordInput
      {...props}
      aria-invalid={props.error ? true : undefined}
      visibilityToggleButtonProps={{ "aria-label": "Show the password", tabIndex: 0 }}
    />
  );
}
