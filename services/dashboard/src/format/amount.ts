export interface Separators {
  decimal: string;
  group: string;
}

/** Of the browser's locale, for Latin digits. */
export const SEPARATORS: Separators = separatorsOf(undefined);

export function separatorsOf(locale: string | undefined): Separators {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: "latn" }).formatToParts(1_000_000.5);
  const separatorOf = (part: "decimal" | "group") => parts.find(({ type }) => type === part)?.value;
  return { decimal: separatorOf("decimal") ?? ".", group: separatorOf("group") ?? "," };
}

const AMOUNT = /^(-?)(?:(\d+)|([1-9]\d{0,2}([.,'’ ])\d{3}(?:\4\d{3})*))(?:([.,])(\d{1,2})?)?$/;
/** Indian grouping: 10,00,000. */
const LAKHS = /^-?[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d{0,2})?$/;

/**
 * The cents of a written amount; undefined: nothing is written, NaN: it is not sure to be one amount. A point or comma
 * before one or two last digits begins the cents, whatever the locale. A single one before three digits groups thousands
 * only if it is the locale's.
 */
export function centsOfAmount(text: string, { decimal, group }: Separators): number | undefined {
  const written = text.replaceAll(/\s/g, " ").replaceAll("−", "-").trim();
  if (written === "") return undefined;
  const found = AMOUNT.exec(LAKHS.test(written) ? written.replaceAll(",", "") : written);
  if (found === null) return Number.NaN;
  const [, sign, plain, grouped, groupSeparator, decimalSeparator, cents = ""] = found;
  if (decimalSeparator !== undefined && decimalSeparator === groupSeparator) return Number.NaN;
  const hasOneGroup = grouped !== undefined && grouped.split(groupSeparator ?? "").length === 2;
  const isPointOrComma = groupSeparator === "." || groupSeparator === ",";
  if (hasOneGroup && isPointOrComma && decimalSeparator === undefined && groupSeparator !== group) {
    return Number.NaN;
  }
  // "12." while somebody types. Another last separator may group what is still to come.
  if (decimalSeparator !== undefined && cents === "" && decimalSeparator !== decimal) return Number.NaN;
  const whole = (plain ?? grouped ?? "").replaceAll(/\D/g, "");
  const amount = Number(whole) * 100 + Number(cents.padEnd(2, "0"));
  return sign === "-" ? -amount : amount;
}

const GROUPED = /^-?[1-9]\d{0,2}([.,'’ ])\d{3}(?:\1\d{3})*$/;
const WITH_DECIMALS = /^(-?\d+)([.,])(\d+)$/;

/** The number of a text from elsewhere; NaN: it is not sure to be one. A single point or comma may group only before three digits. */
export function numberOfText(text: string, { decimal, group }: Separators, mayHaveDecimals: boolean): number {
  const written = text.replaceAll(/\s/g, " ").replaceAll("−", "-").trim();
  if (/^-?\d+$/.test(written)) return Number(written);
  const [, separator] = GROUPED.exec(written) ?? [];
  const [, whole, mark, decimals = ""] = WITH_DECIMALS.exec(written) ?? [];
  if (mayHaveDecimals && mark !== undefined && (mark === decimal || decimals.length !== 3)) {
    return Number(`${whole}.${decimals}`);
  }
  return separator === group || separator === " " ? Number(written.replaceAll(/[^\d-]/g, "")) : Number.NaN;
}
