import { TextInput, type TextInputProps } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { UNCLEAR_DATE } from "../api/unclear.ts";

interface DateInputProps extends Omit<TextInputProps, "type" | "value" | "onChange" | "defaultValue"> {
  /** `YYYY-MM-DD`, or `UNCLEAR_DATE`. */
  day: string | undefined;
  /** Null: the field is empty. `UNCLEAR_DATE`: what is written is no date. The form refuses it before it is sent. */
  onDay: (day: string | null) => void;
}

const HOW_TO_WRITE = "This is no whole date, or one that does not exist.";

/** A field for a day. Browsers give an empty text for a date that is not whole, and tell of no change from one to the other. */
export function DateInput({ day, onDay, error, ...others }: DateInputProps) {
  const [isTyping, setTyping] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const isUnclear = day === UNCLEAR_DATE;
  useEffect(() => {
    // The change was discarded, but the browser keeps what it cannot read.
    if (day === undefined && input.current?.validity.badInput) input.current.value = "";
  }, [day]);
  const read = ({ value, validity }: HTMLInputElement) => {
    const written = validity.badInput ? UNCLEAR_DATE : value || undefined;
    if (written !== day) onDay(written ?? null);
  };
  return (
    <TextInput
      {...others}
      ref={input}
      type="date"
      value={isUnclear ? "" : (day ?? "")}
      onChange={({ currentTarget }) => read(currentTarget)}
      onKeyUp={({ currentTarget }) => {
        setTyping(true);
        read(currentTarget);
      }}
      onBlur={({ currentTarget }) => {
        setTyping(false);
        read(currentTarget);
      }}
      error={isUnclear && (!isTyping || error !== undefined) ? HOW_TO_WRITE : error}
    />
  );
}
