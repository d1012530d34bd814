/** Runs `work` for every item, at most `limit` at a time. Rejects with the first failure, after all of them. */
export async function forEachLimited<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures = await tryEachLimited(items, limit, work);
  if (failures.length > 0) throw failures[0];
}

/** Runs all of them one after the other. Rejects with the first failure, after all of them. */
export function runEach(...works: readonly (() => Promise<void>)[]): Promise<void> {
  return forEachLimited(works, 1, (work) => work());
}

/** Runs `work` for every item, at most `limit` at a time, and returns the failures. */
export async function tryEachLimited<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<unknown[]> {
  const queue = items.values();
  const failures: unknown[] = [];
  const run = async () => {
    for (const item of queue) {
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, run));
  return failures;
}
