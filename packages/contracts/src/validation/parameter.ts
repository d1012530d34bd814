import { InvalidInput } from "../http-error.ts";
import { isBlankText } from "./blank.ts";
import { isCountryCode } from "./country-codes.ts";
import { quoteValue } from "./sentence.ts";

/** A query parameter; undefined when absent. Throws InvalidInput (400) when it is repeated. */
export function singleParameter(name: string, query: URLSearchParams): string | undefined {
  const [first, ...others] = query.getAll(name);
  if (others.length === 0) return first;
  throw new InvalidInput(400, `${name} must be sent once, but it was sent ${others.length + 1} times`);
}

/** A text query parameter; undefined when absent. Throws InvalidInput (400) when it is repeated or blank. */
export function textParameter(name: string, query: URLSearchParams): string | undefined {
  const value = singleParameter(name, query);
  if (value === undefined || !isBlankText(value)) return value;
  throw invalid(400, name, "text that is not blank", value);
}

/**
 * A country as query parameter, in upper case, or the word `other`; undefined when absent. Throws InvalidInput (400) for
 * anything else.
 */
export function countryParameter(name: string, query: URLSearchParams, other: string): string | undefined {
  const value = singleParameter(name, query);
  if (value === undefined || value === other) return value;
  if (isCountryCode(value)) return value.toUpperCase();
  throw invalid(400, name, `a country code of ISO 3166-1 alpha-2, such as DE, or ${other}`, value);
}

/**
 * An integer query parameter; undefined when absent. Throws InvalidInput: 400 for a repeated parameter or another text,
 * 422 outside the range.
 */
export function integerParameter(
  name: string,
  query: URLSearchParams,
  range: { minimum: number; maximum: number },
): number | undefined {
  const value = singleParameter(name, query);
  if (value === undefined) return undefined;
  const allowed = `a whole number from ${range.minimum} to ${range.maximum}`;
  if (!/^-?\d+$/.test(value)) throw invalid(400, name, allowed, value);
  const number = Number(value);
  if (number >= range.minimum && number <= range.maximum) return number;
  throw invalid(422, name, allowed, value);
}

/** Long before any record. Postgres has no year 0. */
const MIN_DAY = "1000-01-01";

/** A UTC day as query parameter; undefined when absent. Throws InvalidInput: 400, or 422 for a day before the year 1000. */
export function dayParameter(name: string, query: URLSearchParams): string | undefined {
  const value = singleParameter(name, query);
  if (value === undefined) return undefined;
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) {
    const moment = new Date(`${value}T00:00:00.000Z`);
    if (!Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(value)) {
      if (value >= MIN_DAY) return value;
      throw invalid(422, name, `${MIN_DAY} or later`, value);
    }
  }
  throw invalid(400, name, "a day as YYYY-MM-DD", value);
}

/**
 * A query parameter with one of several values; undefined when absent. Throws InvalidInput: 400 when it is repeated or
 * blank, 422 for another value.
 */
export function choiceParameter<const Choice extends string>(
  name: string,
  query: URLSearchParams,
  choices: readonly Choice[],
): Choice | undefined {
  const value = singleParameter(name, query);
  if (value === undefined) return undefined;
  const chosen = choices.find((choice) => choice === value);
  if (chosen !== undefined) return chosen;
  const allowed = `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
  throw invalid(isBlankText(value) ? 400 : 422, name, allowed, value);
}

function invalid(status: 400 | 422, name: string, allowed: string, sent: string): InvalidInput {
  return new InvalidInput(status, `${name} must be ${allowed}, but ${quoteValue(sent)} was sent`);
}
