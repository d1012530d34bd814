/**
 * Where spreadsheets read a formula: at the beginning of a text, and behind what they take for the end of a cell, also in
 * quotes, where the separator of their language is no comma. An apostrophe there keeps them from running it.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[ "]*[=+\-@\uff0b\uff0d\uff1d\uff20])|^(?=[\t\r])/g;
/** Spreadsheets cut off outer spaces that are not quoted. */
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** A text as a cell of a table (RFC 4180) that no spreadsheet runs. */
export function textCell(text: string): string {
  const harmless = text.replace(FORMULA, "'");
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
