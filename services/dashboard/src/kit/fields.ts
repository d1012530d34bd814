import type { BodyOf, ChangeKey } from "../api/operations.ts";
import type { ApiForm } from "../api/use-api-form.ts";

interface TextFieldProps {
  value: string;
  error: string | undefined;
  onChange: (event: { currentTarget: { value: string } }) => void;
}

/** Ties a text field to a form; an emptied one counts as left out, and clears the field in a change. */
export function textField<Key extends ChangeKey>(
  form: ApiForm<Key>,
  field: keyof BodyOf<Key>,
): TextFieldProps {
  return textFieldSending(form, field, undefined);
}

/** As `textField`; an emptied one is refused before it is sent. */
export function requiredTextField<Key extends ChangeKey>(
  form: ApiForm<Key>,
  field: keyof BodyOf<Key>,
): TextFieldProps {
  return textFieldSending(form, field, "");
}

function textFieldSending<Key extends ChangeKey>(
  form: ApiForm<Key>,
  field: keyof BodyOf<Key>,
  whenEmpty: "" | undefined,
): TextFieldProps {
  const value: unknown = form.values[field];
  return {
    value: typeof value === "string" ? value : "",
    error: form.problem(field),
    onChange: ({ currentTarget }) => {
      const next = currentTarget.value === "" ? whenEmpty : currentTarget.value;
      form.set(field, next as BodyOf<Key>[keyof BodyOf<Key>] | undefined);
    },
  };
}

interface NumberFieldProps {
  number: number | undefined;
  error: string | undefined;
  onNumber: (number: number | undefined) => void;
}

/**
 * Ties a `NumberField` to a form.
 * @param whenEmpty what an emptied one sends: `null`, or nothing
 */
export function numberField<Key extends ChangeKey, Field extends keyof BodyOf<Key>>(
  form: ApiForm<Key>,
  field: Field,
  whenEmpty?: null & BodyOf<Key>[Field],
): NumberFieldProps {
  const { cents, error, onCents } = moneyField(form, field, whenEmpty);
  return { number: cents, error, onNumber: onCents };
}

interface MoneyFieldProps {
  cents: number | undefined;
  error: string | undefined;
  onCents: (cents: number | undefined) => void;
}

/** As `numberField`, for `MoneyInput`. */
export function moneyField<Key extends ChangeKey, Field extends keyof BodyOf<Key>>(
  form: ApiForm<Key>,
  field: Field,
  whenEmpty?: null & BodyOf<Key>[Field],
): MoneyFieldProps {
  const value: unknown = form.values[field];
  return {
    cents: typeof value === "number" ? value : undefined,
    error: form.problem(field),
    onCents: (cents) => form.set(field, (cents ?? whenEmpty) as BodyOf<Key>[Field] | undefined),
  };
}

interface ListFieldProps<Value> {
  values: readonly Value[];
  error: string | undefined;
  onChange: (values: Value[]) => void;
}

/** Ties a choice of many to a form. */
export function listField<Key extends ChangeKey, Field extends keyof BodyOf<Key>>(
  form: ApiForm<Key>,
  field: Field,
): ListFieldProps<ItemOf<BodyOf<Key>[Field]>> {
  const values = form.values[field] as readonly ItemOf<BodyOf<Key>[Field]>[] | undefined;
  return {
    values: values ?? [],
    error: form.problem(field),
    onChange: (chosen) => form.set(field, chosen as BodyOf<Key>[Field]),
  };
}

type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never;
