/** The fields whose values differ. An emptied one is null, which the API clears or refuses: one left out would keep its value. */
export function changedFields<Values extends object>(stored: Values, values: Values): Partial<Values> {
  const changed = Object.entries(values).flatMap(([field, value = null]) => {
    const former = stored[field as keyof Values] ?? null;
    return JSON.stringify(value) === JSON.stringify(former) ? [] : [[field, value]];
  });
  return Object.fromEntries(changed) as Partial<Values>;
}
