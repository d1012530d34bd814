/**
 * A column of a batch as integers: equal values have equal codes, and codes are in value order. Grouping by several
 * columns then needs no strings.
 */
export interface CodedColumn {
  /** Code of each row of the batch. */
  codes: Int32Array;
  /** One row of each code; its length is the number of codes. */
  rows: Int32Array;
}

/** The product of two codes of such a batch is below 2^31, so a pair of codes has a code that fits an Int32. */
export const MAX_CODED_ROWS = 9_000;

/** Codes of texts, in UTF-16 code unit order. */
export function codeTexts(texts: readonly string[]): CodedColumn {
  return ranked(texts, (a, b) => (a < b ? -1 : 1));
}

export function codeNumbers(numbers: ArrayLike<number>): CodedColumn {
  return ranked(numbers, (a, b) => a - b);
}

/** Codes of pairs, ordered by the first column, then by the second. */
export function codePairs(first: CodedColumn, second: CodedColumn): CodedColumn {
  const pairs = new Int32Array(first.codes.length);
  const width = second.rows.length;
  for (let row = 0; row < pairs.length; row += 1) {
    pairs[row] = (first.codes[row] ?? 0) * width + (second.codes[row] ?? 0);
  }
  return codeNumbers(pairs);
}

function ranked<Value>(values: ArrayLike<Value>, compare: (a: Value, b: Value) => number): CodedColumn {
  const count = values.length;
  if (count > MAX_CODED_ROWS)
    throw new RangeError(`a batch has at most ${MAX_CODED_ROWS} rows, not ${count}`);
  const seen = new Map<Value, number>();
  const seenRows: number[] = [];
  const codes = new Int32Array(count);
  for (let row = 0; row < count; row += 1) {
    const value = values[row] as Value;
    let index = seen.get(value);
    if (index === undefined) {
      index = seenRows.push(row) - 1;
      seen.set(value, index);
    }
    codes[row] = index;
  }
  const inOrder = [...seen.keys()].sort(compare);
  const rankOf = new Int32Array(inOrder.length);
  const rows = new Int32Array(inOrder.length);
  for (const [rank, value] of inOrder.entries()) {
    const index = seen.get(value) ?? 0;
    rankOf[index] = rank;
    rows[rank] = seenRows[index] ?? 0;
  }
  for (let row = 0; row < count; row += 1) codes[row] = rankOf[codes[row] ?? 0] ?? 0;
  return { codes, rows };
}
