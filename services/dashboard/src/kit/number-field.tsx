import { NumberInput, type NumberInputProps } from "@mantine/core";
import { type ClipboardEvent, useState } from "react";
import { numberOfText, SEPARATORS } from "../format/amount.ts";
import { useTyped } from "./use-typed.ts";

const MAX_SHOWN_CHARACTERS = 20;

interface NumberFieldProps extends Omit<NumberInputProps, "value" | "onChange" | "defaultValue"> {
  number: number | null | undefined;
  onNumber: (number: number | undefined) => void;
}

/**
 * A field for a number, which may have decimals: Mantine's own answers texts such as "52." and "0.50" while somebody types, and
 * makes 10 of a pasted "10.000" where there are no decimals.
 */
export function NumberField({ number, onNumber, error, ...others }: NumberFieldProps) {
  const typed = useTyped(number ?? undefined, onNumber, { textOf, parse: numberOf });
  const [unclear, setUnclear] = useState<string>();
  const change = (next: string | number) => {
    setUnclear(undefined);
    typed.onChange(next);
  };
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData("text").trim();
    if (/^-?\d*$/.test(text)) return;
    event.preventDefault();
    event.stopPropagation();
    const pasted = numberOfText(text, SEPARATORS, others.allowDecimal ?? true);
    if (Number.isNaN(pasted)) setUnclear(text.slice(0, MAX_SHOWN_CHARACTERS));
    else change(textOf(pasted));
  };
  return (
    <NumberInput
      {...others}
      {...typed}
      onChange={change}
      onPasteCapture={paste}
      error={unclear === undefined ? error : `“${unclear}” is not sure to be one number: type it.`}
    />
  );
}

function textOf(number: number | undefined): string {
  return number === undefined ? "" : String(number);
}

function numberOf(text: string): number | undefined {
  const number = Number(text);
  return text === "" || Number.isNaN(number) ? undefined : number;
}
