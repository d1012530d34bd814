import { NumberInput, type NumberInputProps } from "@mantine/core";
import { useTyped } from "./use-typed.ts";

interface NumberFieldProps extends Omit<NumberInputProps, "value" | "onChange" | "defaultValue"> {
  number: number | null | undefined;
  onNumber: (number: number | undefined) => void;
}

/** A field for a number, which may have decimals: Mantine's own answers texts such as "52." and "0.50" while somebody types. */
export function NumberField({ number, onNumber, ...others }: NumberFieldProps) {
  const typed = useTyped(number ?? undefined, onNumber, { textOf, parse: numberOf });
  return <NumberInput {...others} {...typed} />;
}

function textOf(number: number | undefined): string {
  return number === undefined ? "" : String(number);
}

function numberOf(text: string): number | undefined {
  const number = Number(text);
  return text === "" || Number.isNaN(number) ? undefined : number;
}
