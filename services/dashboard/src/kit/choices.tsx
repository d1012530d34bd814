import { Checkbox, Stack } from "@mantine/core";

interface ChoicesProps<Value extends string> {
  label: string;
  choices: readonly { value: Value; label: string; description: string }[];
  values: readonly Value[];
  onChange: (values: Value[]) => void;
  error: string | undefined;
}

/** Any number of choices, each with a sentence. */
export function Choices<Value extends string>(props: ChoicesProps<Value>) {
  const { label, choices, values, onChange, error } = props;
  return (
    <Checkbox.Group
      label={label}
      value={[...values]}
      onChange={(chosen) => onChange(chosen as Value[])}
      error={error}
    >
      <Stack gap="xs" my={4}>
        {choices.map((choice) => (
          <Checkbox key={choice.value} aria-invalid={error !== undefined} {...choice} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
