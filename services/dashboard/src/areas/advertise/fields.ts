import type { BodyOf, ChangeKey } from "../../api/operations.ts";
import type { ApiForm } from "../../api/use-api-form.ts";

interface TextFieldProps {
  value: string;
  error: string | undefined;
  onChange: (event: { currentTarget: { value: string } }) => void;
}

/** Ties a text field to a form; an emptied one counts as left out. */
export function textField<Key extends ChangeKey>(
  form: ApiForm<Key>,
  field: keyof BodyOf<Key>,
): TextFieldProps {
  const value: unknown = form.values[field];
  return {
    value: typeof value === "string" ? value : "",
    error: form.problem(field),
    onChange: ({ currentTarget }) => {
      const next = currentTarget.value === "" ? undefined : currentTarget.value;
      form.set(field, next as BodyOf<Key>[keyof BodyOf<Key>] | undefined);
    },
  };
}
