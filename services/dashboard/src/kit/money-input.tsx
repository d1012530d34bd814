import { TextInput, type TextInputProps } from "@mantine/core";
import { useState } from "react";
import { centsOfAmount, SEPARATORS } from "../format/amount.ts";
import { CURRENCY } from "../format/format.ts";
import { useTyped } from "./use-typed.ts";

interface MoneyInputProps extends Omit<TextInputProps, "value" | "onChange" | "defaultValue"> {
  cents: number | null | undefined;
  /** NaN: what is written is not sure to be an amount. The form refuses it before it is sent. */
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
  const [isTyping, setTyping] = useState(false);
  const { onChange, onBlur, value } = useTyped(cents ?? undefined, onCents, {
    textOf: amountText,
    parse: centsOf,
  });
  const isUnclear = Number.isNaN(cents) && (!isTyping || error !== undefined);
  return (
    <TextInput
      {...others}
      value={value}
      onChange={({ currentTarget }) => {
        setTyping(true);
        onChange(currentTarget.value);
      }}
      onBlur={() => {
        setTyping(false);
        onBlur();
      }}
      error={isUnclear ? HOW_TO_WRITE : error}
      leftSection={SYMBOL}
      inputMode="decimal"
    />
  );
}

function amountText(cents: number | undefined): string {
  return cents === undefined || Number.isNaN(cents) ? "" : withCents.format(cents / 100);
}

function centsOf(text: string): number | undefined {
  return centsOfAmount(text, SEPARATORS);
}
