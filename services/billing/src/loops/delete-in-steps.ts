const ROWS_PER_STEP = 1_000;
const MAX_STEPS = 100;

/**
 * Deletes rows in steps, so that none holds its locks for long, until nothing is left or `signal` is aborted. At most
 * 100 000 rows: the next pass deletes the rest.
 * @param deleteSome deletes at most `limit` rows and returns their number
 */
export async function deleteInSteps(
  signal: AbortSignal,
  deleteSome: (limit: number) => Promise<number>,
): Promise<void> {
  for (let step = 0; step < MAX_STEPS && !signal.aborted; step++) {
    if ((await deleteSome(ROWS_PER_STEP)) < ROWS_PER_STEP) return;
  }
}
