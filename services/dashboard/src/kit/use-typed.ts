import { useState } from "react";

interface TypedProps {
  value: string;
  onChange: (typed: string | number) => void;
  onBlur: () => void;
}

/**
 * Ties a field for a number to its value: what was typed stays as it was typed, "12." and "0.50" too, until nobody types any
 * more, and a change from outside replaces it.
 */
export function useTyped<Value>(
  value: Value,
  onValue: (value: Value) => void,
  { textOf, parse }: { textOf: (value: Value) => string; parse: (text: string) => Value },
): TypedProps {
  const [typed, setTyped] = useState(() => textOf(value));
  return {
    value: Object.is(parse(typed), value) ? typed : textOf(value),
    onChange: (next) => {
      setTyped(String(next));
      const parsed = parse(String(next));
      if (!Object.is(parsed, value)) onValue(parsed);
    },
    onBlur: () => {
      // What cannot be read stays, to be mended.
      if (!Number.isNaN(value)) setTyped(textOf(value));
    },
  };
}
