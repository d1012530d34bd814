const ERRORS: Readonly<Record<number, string>> = {
  400: "The request is malformed. The answer's detail names the field.",
  401: "The key is unknown or revoked. Check which key the server has.",
  403: "The key lacks the scope Serving, or the game belongs to another account.",
  404: "The game, campaign or creative is unknown. Check the game_id; a game has to be added first.",
  408: "The request took too long to arrive.",
  409: "No match can be billed: there was none, it is too old, its money was spent, its budget or cap was lowered, the service lost it, or its hold lapsed over an hour ago and no match_id was sent. Send the match_id with every impression.",
  413: "The body is too large: at most 256 KiB.",
  422: "A value is not allowed. The answer's detail names the field.",
  429: "More requests than the key's limit allows. Raise the limit, or spread the calls.",
};

/** What an error of a game server's call means and what helps. */
export function errorAdvice(status: number): string {
  return ERRORS[status] ?? (status >= 500 ? "The service failed. Impressions are worth repeating." : "");
}
