import { TextInput, type TextInputProps } from "@mantine/core";
import { centsOfAmount, SEPARATORS } from "../format/amount.ts";
import { CURRENCY } from "../format/format.ts";
import { useTyped } from "./use-typed.ts";

interface MoneyInputProps extends Omit<TextInputProps, "value" | "onChange" | "defaultValue"> {
  cents: number | null | undefined;
  /** NaN: what is written is not sure to be an amount. It is refused before it is sent. */
  onCents: (cents: number | undefined) => void;
}

// The field shows Latin digits, which everybody can type.
const inCurrency = new Intl.NumberFormat(undefined, {
  style: "currency",
  currency: CURRENCY,
  numberingSystem: "latn",
});
const SYMBOL = inCurrency.formatToParts(0).find(({ type }) => type === "currency")?.value ?? CURRENCY;
const withCents = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  numberingSystem: "latn",
});
const HOW_TO_WRITE = `Write an amount such as ${amountText(5_000)} or ${amountText(500_000)}.`;

/** A field for money: people write dollars and cents with a point or a comma, the API gets whole cents. */
export function MoneyInput({ cents, onCents, error, ...others }: MoneyInputProps) {
  const { onChange, ...typed } = useTyped(cents ?? undefined, onCents, {
    textOf: amountText,
    parse: centsOf,
  });
  return (
    <TextInput
      {...others}
      {...typed}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={Number.isNaN(cents) ? HOW_TO_WRITE : error}
      leftSection={SYMBOL}
      inputMode="decimal"
    />
  );
}

function amountText(cents: number | undefined): string {
  return cents === undefined ? "" : withCents.format(cents / 100);
}

function centsOf(text: string): number | undefined {
  return centsOfAmount(text, SEPARATORS);
}
