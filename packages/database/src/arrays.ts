/**
 * Lists as Postgres writes them, for `${…}::text[]` and the like: one text for each column of many rows, which costs the
 * driver and the server far less than rows as JSON.
 */
export function arrayOfTexts(values: readonly (string | null)[]): string {
  // As a rule a column of identifiers: one look at all of them shows that none needs a look of its own.
  if (values.length > 0 && !/["\\]/.test(values.join("")) && !values.includes(null)) {
    return `{"${values.join('","')}"}`;
  }
  return `{${values.map((value) => (value === null ? "NULL" : quoted(value))).join(",")}}`;
}

/** For bigint[], int[] and numeric[]; decimals as text. */
export function arrayOfNumbers(values: readonly (number | bigint | string)[]): string {
  return `{${values.join(",")}}`;
}

function quoted(value: string): string {
  return /["\\]/.test(value) ? `"${value.replace(/["\\]/g, "\\$&")}"` : `"${value}"`;
}
