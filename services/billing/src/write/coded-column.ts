/**
 * A column of a batch as numbers: the same value has the same code, and codes are in the order of the values. Groups by
 * several columns are made of numbers alone, which costs a fraction of building a text for each row and group.
 */
export interface CodedColumn {
  /** By row of the batch. */
  codes: Int32Array;
  /** Some row of each code, by code: how many codes there are is its length. */
  rows: Int32Array;
}

/** Products of two codes of a batch of this size are still small integers. */
export const MAX_CODED_ROWS = 9_000;

/** Codes of texts, in the order of their UTF-16 units. */
export function codeTexts(texts: readonly string[]): CodedColumn {
  return ranked(texts, (a, b) => (a < b ? -1 : 1));
}

export function codeNumbers(numbers: ArrayLike<number>): CodedColumn {
  return ranked(numbers, (a, b) => a - b);
}

/** Codes of pairs, in the order of the first column, then of the second. */
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
    let place = seen.get(value);
    if (place === undefined) {
      place = seenRows.push(row) - 1;
      seen.set(value, place);
    }
    codes[row] = place;
  }
  const inOrder = [...seen.keys()].sort(compare);
  const rankOf = new Int32Array(inOrder.length);
  const rows = new Int32Array(inOrder.length);
  for (const [rank, value] of inOrder.entries()) {
    const place = seen.get(value) ?? 0;
    rankOf[place] = rank;
    rows[rank] = seenRows[place] ?? 0;
  }
  for (let row = 0; row < count; row += 1) codes[row] = rankOf[codes[row] ?? 0] ?? 0;
  return { codes, rows };
}
