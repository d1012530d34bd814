/** The cursor of the next page, from the header Link. */
export function nextCursor(link: string | null): string | undefined {
  const address = /^<([^>]{1,4000})>; rel="next"$/.exec(link ?? "")?.[1];
  if (address === undefined) return undefined;
  return new URLSearchParams(address.slice(address.indexOf("?"))).get("cursor") ?? undefined;
}
