import { NumberInput, type NumberInputProps } from "@mantine/core";
import { useState } from "react";
import { CURRENCY } from "../format/format.ts";

interface MoneyInputProps extends Omit<NumberInputProps, "value" | "onChange" | "defaultValue"> {
  cents: number | null | undefined;
  onCents: (cents: number | undefined) => void;
}

// The field takes Latin digits only, so its separators are those of Latin digits, too.
const parts = new Intl.NumberFormat(undefined, {
  style: "currency",
  currency: CURRENCY,
  numberingSystem: "latn",
}).formatToParts(1_000_000.5);
const signOf = (part: "currency" | "decimal" | "group") => parts.find(({ type }) => type === part)?.value;
const [SYMBOL = CURRENCY, DECIMAL = ".", GROUP = ""] = [
  signOf("currency"),
  signOf("decimal"),
  signOf("group"),
];

/** A field for money: people write dollars and cents by their locale, the API gets whole cents. */
export function MoneyInput({ cents, onCents, ...others }: MoneyInputProps) {
  // What was typed stays as it was typed, "12." and "0.50" too; a change from outside replaces it.
  const [typed, setTyped] = useState(() => amountText(cents));
  const text = centsOf(typed) === (cents ?? undefined) ? typed : amountText(cents);
  return (
    <NumberInput
      {...others}
      value={text}
      onChange={(value) => {
        setTyped(String(value));
        onCents(centsOf(String(value)));
      }}
      onBlur={() => setTyped(amountText(cents))}
      leftSection={SYMBOL}
      decimalScale={2}
      decimalSeparator={DECIMAL}
      // By default a comma counts as a decimal point: "1,000" would become 1.00.
      allowedDecimalSeparators={[DECIMAL]}
      thousandSeparator={GROUP}
      hideControls
    />
  );
}

function amountText(cents: number | null | undefined): string {
  return cents === null || cents === undefined ? "" : (cents / 100).toFixed(2);
}

function centsOf(text: string): number | undefined {
  const amount = Number(text);
  return text === "" || Number.isNaN(amount) ? undefined : Math.round(amount * 100);
}
