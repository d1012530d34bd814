/** The page of a game. */
export function gamePath(gameId: string): string {
  return `/games/${encodeURIComponent(gameId)}`;
}

/**
 * The game whose page, or tab of it, has this path as the address bar has it; empty where it is none. The router's own
 * parameters take an encoded "%2F" of an identifier for "/".
 */
export function gameIdIn(pathname: string): string {
  const [, encoded = ""] = /^\/games\/([^/]+)/.exec(pathname) ?? [];
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
