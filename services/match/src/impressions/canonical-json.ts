/** The same text for values that are equal as JSON: fields of objects in the order of their names. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    // Without a prototype, so that a field named __proto__ is a field like any other.
    const sorted: Record<string, unknown> = Object.create(null);
    for (const name of Object.keys(part).sort()) sorted[name] = (part as Record<string, unknown>)[name];
    return sorted;
  });
}
