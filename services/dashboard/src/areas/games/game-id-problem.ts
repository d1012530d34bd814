import { ApiError } from "../../api/api-error.ts";

/** How the API's sentence for a game of another account begins. A missing role or scope is 403 too, and no fault of the ID. */
const OTHER_ACCOUNT = "The game's placement belongs to another account";

/** Of the API. */
export const MAX_GAME_ID_CHARACTERS = 200;

/** The words of a text as an identifier: "My Great Game!!" becomes "my-great-game". May be empty. */
export function gameIdOf(text: string): string {
  const words = text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[\p{M}'’]/gu, "")
    .match(/[a-z0-9]+(?:[._][a-z0-9]+)*/g);
  return (words ?? []).join("-").slice(0, MAX_GAME_ID_CHARACTERS);
}

/** An identifier without spaces and signs, where the typed one has some; undefined: there is nothing better. */
export function proposedGameId(typed: string): string | undefined {
  const isPlain = /^[\w.-]*$/.test(typed.trim());
  return isPlain ? undefined : gameIdOf(typed) || undefined;
}

/** What is wrong with the identifier of a new game; undefined where something else failed. */
export function gameIdProblem(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { status, detail } = error;
  if (status === 403 && detail.startsWith(OTHER_ACCOUNT)) {
    return "Another account has a game of this ID. Choose another.";
  }
  return status === 400 || status === 422 ? detail : undefined;
}
