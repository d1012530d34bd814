import { NumberInput, type NumberInputProps } from "@mantine/core";
import { CURRENCY } from "../format/format.ts";

interface MoneyInputProps extends Omit<NumberInputProps, "value" | "onChange" | "defaultValue"> {
  cents: number | null | undefined;
  onCents: (cents: number | undefined) => void;
}

const symbol =
  new Intl.NumberFormat(undefined, { style: "currency", currency: CURRENCY })
    .formatToParts(0)
    .find(({ type }) => type === "currency")?.value ?? CURRENCY;

/** A field for money: people write dollars and cents, the API gets whole cents. */
export function MoneyInput({ cents, onCents, ...others }: MoneyInputProps) {
  return (
    <NumberInput
      {...others}
      value={cents === null || cents === undefined ? "" : cents / 100}
      onChange={(value) => onCents(typeof value === "number" ? Math.round(value * 100) : undefined)}
      leftSection={symbol}
      decimalScale={2}
      thousandSeparator=","
      allowNegative={false}
      hideControls
    />
  );
}
