import { InvalidInput } from "./invalid-input.ts";
import { shown } from "./sentence.ts";

/**
 * A whole number of the query string, undefined when the parameter is absent. Throws InvalidInput: 400 for what is
 * no whole number, 422 for one out of range.
 */
export function integerParameter(
  name: string,
  value: unknown,
  range: { minimum: number; maximum: number },
): number | undefined {
  if (value === undefined) return undefined;
  const allowed = `${name} must be a whole number from ${range.minimum} to ${range.maximum}`;
  if (typeof value !== "string" || !/^-?\d+$/.test(value)) {
    throw new InvalidInput(400, `${allowed}, but ${shown(value)} was sent`);
  }
  const number = Number(value);
  if (number >= range.minimum && number <= range.maximum) return number;
  throw new InvalidInput(422, `${allowed}, but ${shown(value)} was sent`);
}
