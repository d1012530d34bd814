import { isPlainName, partsOfWalletId } from "./keys.ts";

/** Throws unless the number is an integer in the range: a wrong amount must not reach a script. */
export function requireInteger(
  name: string,
  value: number,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): number {
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    throw new RangeError(`${name} must be an integer from ${min} to ${max}, not ${value}`);
  }
  return value;
}

/** Throws unless the text needs no encoding in a key, a member or JSON. */
export function requirePlainName(name: string, text: string): string {
  if (!isPlainName(text)) throw new RangeError(`${name} is not an identifier: ${JSON.stringify(text)}`);
  return text;
}

/** Throws unless the text is the id of a wallet. */
export function requireWalletId(text: string): string {
  if (partsOfWalletId(text) === null) throw new RangeError(`not the id of a wallet: ${JSON.stringify(text)}`);
  return text;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Throws unless the text is a day in the form YYYY-MM-DD. */
export function requireDay(day: string): string {
  if (!DAY.test(day)) throw new RangeError(`day must be YYYY-MM-DD, not ${day}`);
  return day;
}

/** Throws when a list is longer than one command may carry. */
export function requireAtMost(name: string, items: readonly unknown[], max: number): void {
  if (items.length > max) throw new RangeError(`${name}: at most ${max}, not ${items.length}`);
}
