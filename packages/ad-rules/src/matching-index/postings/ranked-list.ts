/** Two parallel arrays: addresses and their ranks. */
export interface RankedList {
  readonly found: number[];
  readonly ranks: number[];
}

export function emptyRanked({ found, ranks }: RankedList): void {
  found.length = 0;
  ranks.length = 0;
}

/** Inserts a record into a list in descending order of rank, and truncates the list to `maxLength`. */
export function insertRanked(
  { found, ranks }: RankedList,
  maxLength: number,
  address: number,
  rank: number,
): void {
  let index = ranks.length;
  while (index > 0 && (ranks[index - 1] ?? 0) < rank) index -= 1;
  found.splice(index, 0, address);
  ranks.splice(index, 0, rank);
  if (ranks.length <= maxLength) return;
  found.length = maxLength;
  ranks.length = maxLength;
}

/** Removes records with a lower rank in place; returns how many remain. */
export function dropBelow({ found, ranks }: RankedList, lowestRank: number): number {
  let kept = 0;
  for (let index = 0; index < found.length; index += 1) {
    const rank = ranks[index] ?? 0;
    if (rank < lowestRank) continue;
    found[kept] = found[index] ?? 0;
    ranks[kept] = rank;
    kept += 1;
  }
  found.length = kept;
  ranks.length = kept;
  return kept;
}
