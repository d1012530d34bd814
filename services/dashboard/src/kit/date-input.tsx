import { TextInput, type TextInputProps } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { UNCLEAR_DATE } from "../api/unclear.ts";

interface DateInputProps extends Omit<TextInputProps, "type" | "value" | "onChange" | "defaultValue"> {
  /** `YYYY-MM-DD`, or `UNCLEAR_DATE`. */
  day: string | undefined;
  /** Null: the field is empty. `UNCLEAR_DATE`: what is written is no date. The form refuses it before it is sent. */
  onDay: (day: string | null) => void;
}

const NOT_A_DATE = "Enter a whole date that exists, or clear the field.";

/** A field for a day. Browsers give an empty text for a date that is not whole, and fire no event between the two. */
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
      onKeyDown={() => setTyping(true)}
      onKeyUp={({ currentTarget }) => read(currentTarget)}
      onBlur={({ currentTarget }) => {
        setTyping(false);
        read(currentTarget);
      }}
      error={isUnclear && (!isTyping || error !== undefined) ? NOT_A_DATE : error}
    />
  );
}
