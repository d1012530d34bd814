import type { BodyOf, ChangeKey } from "../api/operations.ts";
import type { ApiForm } from "../api/use-api-form.ts";

/** What every field gets from its form, beside its value. */
interface FieldProps {
  error: string | undefined;
  wrapperProps: { "data-unsaved"?: true };
}

function fieldOf<Key extends ChangeKey>(form: ApiForm<Key>, field: keyof BodyOf<Key>): FieldProps {
  return { error: form.problem(field), wrapperProps: form.markOf(field) };
}

interface TextFieldProps extends FieldProps {
  value: string;
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
    ...fieldOf(form, field),
    value: typeof value === "string" ? value : "",
    onChange: ({ currentTarget }) => {
      const next = currentTarget.value === "" ? whenEmpty : currentTarget.value;
      form.set(field, next as BodyOf<Key>[keyof BodyOf<Key>] | undefined);
    },
  };
}

interface NumberFieldProps extends FieldProps {
  number: number | undefined;
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
  const { cents: number, onCents: onNumber, ...others } = moneyField(form, field, whenEmpty);
  return { ...others, number, onNumber };
}

interface MoneyFieldProps extends FieldProps {
  cents: number | undefined;
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
    ...fieldOf(form, field),
    cents: typeof value === "number" ? value : undefined,
    onCents: (cents) => form.set(field, (cents ?? whenEmpty) as BodyOf<Key>[Field] | undefined),
  };
}

interface ChoiceFieldProps extends FieldProps {
  value: string | null;
  onChange: (value: string | null) => void;
}

/** Ties a choice of one to a form. */
export function choiceField<Key extends ChangeKey, Field extends keyof BodyOf<Key>>(
  form: ApiForm<Key>,
  field: Field,
): ChoiceFieldProps {
  const value: unknown = form.values[field];
  return {
    ...fieldOf(form, field),
    value: typeof value === "string" ? value : null,
    onChange: (chosen) => form.set(field, (chosen ?? undefined) as BodyOf<Key>[Field] | undefined),
  };
}

interface ListFieldProps<Item> extends FieldProps {
  value: Item[];
  onChange: (items: Item[]) => void;
}

/** Ties a choice of many, or a field for several words, to a form. */
export function listField<Key extends ChangeKey, Field extends keyof BodyOf<Key>>(
  form: ApiForm<Key>,
  field: Field,
): ListFieldProps<ItemOf<BodyOf<Key>[Field]>> {
  const items = form.values[field] as readonly ItemOf<BodyOf<Key>[Field]>[] | null | undefined;
  return {
    ...fieldOf(form, field),
    value: [...(items ?? [])],
    onChange: (chosen) => form.set(field, chosen as BodyOf<Key>[Field]),
  };
}

type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never;
