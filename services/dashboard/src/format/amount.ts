export interface Separators {
  decimal: string;
  group: string;
}

/** Of the browser's locale, for Latin digits. */
export const SEPARATORS: Separators = separatorsOf(undefined);

export function separatorsOf(locale: string | undefined): Separators {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: "latn" }).formatToParts(1_000_000.5);
  const signOf = (part: "decimal" | "group") => parts.find(({ type }) => type === part)?.value;
  return { decimal: signOf("decimal") ?? ".", group: signOf("group") ?? "," };
}

const AMOUNT = /^(-?)(?:(\d+)|(\d{1,3}(?:([.,'’ ])\d{3})(?:\4\d{3})*))(?:([.,])(\d{1,2})?)?$/;

/** Hundreds, thousands and lakhs of India. */
const LAKHS = /^-?\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d{0,2})?$/;

/**
 * The cents of a written amount; undefined: nothing is written, NaN: not sure to be one amount. A point or comma before one
 * or two last digits begins the cents, whatever the locale; a single one before three digits is of thousands only where
 * the locale writes them so.
 */
export function centsOfAmount(text: string, { decimal, group }: Separators): number | undefined {
  const written = text.replaceAll(/\s/g, " ").replaceAll("−", "-").trim();
  if (written === "") return undefined;
  const found = AMOUNT.exec(LAKHS.test(written) ? written.replaceAll(",", "") : written);
  if (found === null) return Number.NaN;
  const [, sign, plain, grouped, separator, point, cents = ""] = found;
  const isPoint = separator === "." || separator === ",";
  if (point !== undefined && point === separator) return Number.NaN;
  const isOneGroup = grouped !== undefined && grouped.split(separator ?? "").length === 2;
  if (isOneGroup && isPoint && point === undefined && separator !== group.replaceAll(/\s/g, " ")) {
    return Number.NaN;
  }
  // "12." while somebody types; of thousands, a point that ends the text may be of thousands as well.
  if (point !== undefined && cents === "" && point !== decimal) return Number.NaN;
  const whole = (plain ?? grouped ?? "").replaceAll(/\D/g, "");
  const amount = Number(whole) * 100 + Number(cents.padEnd(2, "0"));
  return sign === "-" ? -amount : amount;
}
