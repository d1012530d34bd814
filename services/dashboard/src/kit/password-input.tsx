import { PasswordInput as MantinePasswordInput, type PasswordInputProps } from "@mantine/core";

/** Mantine's own leaves out that the field is invalid, which screen readers say. */
export function PasswordInput(props: PasswordInputProps) {
  return <MantinePasswordInput {...props} aria-invalid={props.error ? true : undefined} />;
}
