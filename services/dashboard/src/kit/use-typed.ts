import { useState } from "react";

interface Typed {
  text: string;
  /** What the field has become while somebody types. */
  type: (text: string) => void;
  /** Writes the value as usual once nobody types any more. */
  settle: () => void;
}

/**
 * The text of a field for a number: what was typed stays as it was typed, "12." and "0.50" too, and a change from outside
 * replaces it.
 */
export function useTyped<Value>(
  value: Value,
  textOf: (value: Value) => string,
  parse: (text: string) => Value,
): Typed {
  const [typed, setTyped] = useState(() => textOf(value));
  return {
    text: parse(typed) === value ? typed : textOf(value),
    type: setTyped,
    settle: () => setTyped(textOf(value)),
  };
}
