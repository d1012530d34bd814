import { isFolder } from "../../api/address.ts";

/** Behind an identifier that a browser would take for a folder. At the end of any other it is encoded. */
const NO_FOLDER = ";";

/** The page of a game. */
export function gamePath(gameId: string): string {
  return `/games/${isFolder(gameId) ? `${gameId}${NO_FOLDER}` : encodeURIComponent(gameId)}`;
}

/** The code for a first ad in a game. */
export function snippetsPath(gameId: string): string {
  return `/snippets?${new URLSearchParams({ game: gameId })}`;
}

/**
 * The game whose page, or tab of it, has this path as the address bar has it; empty where it is none. The router's own
 * parameters take an encoded "%2F" of an identifier for "/".
 */
export function gameIdIn(pathname: string): string {
  const [, encoded = ""] = /^\/games\/([^/]+)/.exec(pathname) ?? [];
  const folder = encoded.slice(0, -NO_FOLDER.length);
  if (encoded.endsWith(NO_FOLDER) && isFolder(folder)) return folder;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
