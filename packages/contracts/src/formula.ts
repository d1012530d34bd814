/**
 * Where spreadsheets read a formula: at the beginning of a text, and behind what they take for the end of a cell, also in
 * quotes, where the separator of their language is no comma. An apostrophe there keeps them from running it.
 */
export const FORMULA = /(?<=^|[;\t\r\n])(?=[ "]*[=+\-@\uff0b\uff0d\uff1d\uff20])|^(?=[\t\r])/g;
