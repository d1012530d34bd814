import { NumberInput, type NumberInputProps } from "@mantine/core";
import { CURRENCY } from "../format/format.ts";
import { useTyped } from "./use-typed.ts";

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
  const typed = useTyped(cents ?? undefined, onCents, { textOf: amountText, parse: centsOf });
  return (
    <NumberInput
      {...others}
      {...typed}
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

function amountText(cents: number | undefined): string {
  return cents === undefined ? "" : (cents / 100).toFixed(2);
}

function centsOf(text: string): number | undefined {
  const amount = Number(text);
  return text === "" || Number.isNaN(amount) ? undefined : Math.round(amount * 100);
}
