/** The fields whose values differ. An emptied one is null, which the API clears or refuses: one left out would keep its value. */
export function changedFields<Values extends object>(stored: Values, values: Values): Partial<Values> {
  const changed = Object.entries(values).flatMap(([field, value = null]) => {
    const former = stored[field as keyof Values] ?? null;
    // NaN stands for what cannot be read, which is refused before it is sent; JSON makes it null.
    const isSame = JSON.stringify(value) === JSON.stringify(former) && !Number.isNaN(value);
    return isSame ? [] : [[field, value]];
  });
  return Object.fromEntries(changed) as Partial<Values>;
}

/**
 * Which changed fields somebody else has changed as well, to something else.
 * @param next what is stored now, `stored` what was before
 * @param sent what is on its way to be stored by this form
 */
export function conflictingFields<Values extends object>(
  next: Values,
  stored: Values,
  values: Values,
  sent: Partial<Values> = {},
): (keyof Values)[] {
  const mine = changedFields(stored, values);
  const differing = changedFields(next, values);
  const theirs = Object.keys(changedFields(stored, next)) as (keyof Values)[];
  return theirs.filter((field) => field in mine && field in differing && !(field in sent));
}

/**
 * Values that were typed over `stored`, over what is stored next: fields that were not changed follow it. Of the fields
 * in `lists` only the entries that were added and removed count, so that those of others stay.
 * @param sent what is on its way to be stored: a field that was set back since is a change, too
 */
export function valuesOver<Values extends object>(
  next: Values,
  stored: Values,
  values: Values,
  lists: readonly (keyof Values)[] = [],
  sent: Partial<Values> = {},
): Values {
  const changed: Partial<Values> = {};
  const changedSince = changedFields({ ...stored, ...sent }, values);
  for (const field of Object.keys({
    ...changedFields(stored, values),
    ...changedSince,
  }) as (keyof Values)[]) {
    changed[field] = values[field];
    if (!lists.includes(field)) continue;
    const before = field in sent && field in changedSince ? sent : stored;
    const [mine, former, theirs] = [values, before, next].map((one) => (one[field] ?? []) as unknown[]);
    const kept = theirs?.filter((entry) => mine?.includes(entry) || !former?.includes(entry)) ?? [];
    const added = mine?.filter((entry) => !former?.includes(entry) && !kept.includes(entry)) ?? [];
    changed[field] = [...kept, ...added] as Values[typeof field];
  }
  return { ...next, ...changed };
}

/** How a form of a POST that also changes what is stored sends its changes. */
export interface SentChanges<Field extends PropertyKey> {
  /** Fields that only the POST takes: a PATCH sends changes of all others. */
  onlyByPost: readonly Field[];
  /** Fields that a POST has to have, changed or not. */
  required: readonly Field[];
}

/** The body for changed fields, and whether it has to be posted. Names nothing that was not changed, unless it is required. */
export function bodyOfChanges<Values extends object>(
  values: Values,
  changes: Partial<Values>,
  { onlyByPost, required }: SentChanges<keyof Values>,
): { isPosted: boolean; body: Partial<Values> } {
  if (!onlyByPost.some((field) => field in changes)) return { isPosted: false, body: changes };
  const named = Object.fromEntries(required.map((field) => [field, values[field]])) as Partial<Values>;
  return { isPosted: true, body: { ...named, ...changes } };
}
