/** One text for several: no two lists share one, whatever is in them. */
export function nameOf(parts: readonly string[]): string {
  let name = "";
  for (const part of parts) name += `${part.length} ${part}`;
  return name;
}
