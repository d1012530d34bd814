import { ApiError } from "../../api/api-error.ts";

/** How the API's sentence for a game of another account begins. A missing role or scope is 403 too, and no fault of the ID. */
const OTHER_ACCOUNT = "The game's placement belongs to another account";

/** What is wrong with the identifier of a new game; undefined where something else failed. */
export function gameIdProblem(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { status, detail } = error;
  if (status === 403 && detail.startsWith(OTHER_ACCOUNT)) {
    return "Another account has a game of this ID. Choose another.";
  }
  return status === 400 || status === 422 ? detail : undefined;
}
