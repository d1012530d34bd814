/** Addresses and their ranks, place by place. */
export interface RankedList {
  readonly found: number[];
  readonly ranks: number[];
}

export function emptyRanked({ found, ranks }: RankedList): void {
  found.length = 0;
  ranks.length = 0;
}

/** Puts a record into a list in descending order of rank, and keeps no more than `most`. */
export function insertRanked(
  { found, ranks }: RankedList,
  most: number,
  address: number,
  rank: number,
): void {
  let place = ranks.length;
  while (place > 0 && (ranks[place - 1] ?? 0) < rank) place -= 1;
  found.splice(place, 0, address);
  ranks.splice(place, 0, rank);
  if (ranks.length <= most) return;
  found.length = most;
  ranks.length = most;
}

/** Leaves out what ranks lower, in place; how many stay. */
export function dropBelow({ found, ranks }: RankedList, lowestRank: number): number {
  let kept = 0;
  for (let place = 0; place < found.length; place += 1) {
    const rank = ranks[place] ?? 0;
    if (rank < lowestRank) continue;
    found[kept] = found[place] ?? 0;
    ranks[kept] = rank;
    kept += 1;
  }
  found.length = kept;
  ranks.length = kept;
  return kept;
}
