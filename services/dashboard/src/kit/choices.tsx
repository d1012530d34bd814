import { Checkbox, Stack } from "@mantine/core";

interface ChoicesProps<Value extends string> {
  label: string;
  choices: readonly { value: Value; label: string; description: string }[];
  value: Value[];
  onChange: (value: Value[]) => void;
  error: string | undefined;
  wrapperProps: { "data-unsaved"?: true };
}

/** Any number of choices, each with a sentence. */
export function Choices<Value extends string>(props: ChoicesProps<Value>) {
  const { choices, onChange, ...group } = props;
  return (
    <Checkbox.Group {...group} onChange={(chosen) => onChange(chosen as Value[])}>
      <Stack gap="xs" my={4}>
        {choices.map((choice) => (
          <Checkbox key={choice.value} aria-invalid={group.error !== undefined} {...choice} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
