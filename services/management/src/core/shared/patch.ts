/** The fields that a request sent. */
export function sentFields<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const sent = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(sent) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}

/** Null restores the default (docs/behaviour.md#absent-values). */
export function orDefault<Value>(sent: Value | null | undefined, fallback: Value): Value | undefined {
  return sent === null ? fallback : sent;
}
