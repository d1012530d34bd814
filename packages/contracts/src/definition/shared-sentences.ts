/** Sentences of errors that any request can get: the service sends them, and the document shows them. */
export const TOO_SLOW_SENTENCE = "The request took too long to arrive: send it again.";
export const NOT_HTTP_SENTENCE =
  "This is not a valid HTTP/1.1 request: look at the request line, the headers and the length.";
export const WITHOUT_HOST_SENTENCE = "The header Host is missing: HTTP/1.1 asks for it in every request.";
export const TOO_MANY_NOT_HTTP_SENTENCE =
  "Too many requests that are not valid HTTP: wait for the seconds that Retry-After names.";
export const INTERNAL_ERROR_SENTENCE = "Internal error: it has been logged.";
export const UNAVAILABLE_SENTENCE = "Service temporarily unavailable; retry after the given delay.";
export const STORED_SENTENCE =
  "The change is stored and will be in force shortly: it need not be sent again.";

export function headersTooLargeSentence(maxBytes: number): string {
  return `The headers are too large: at most ${maxBytes} bytes are allowed, so send fewer or shorter ones.`;
}

export function otherMethodSentence(method: string | undefined, allowed: string): string {
  return `Method ${method} is not allowed here. Allowed: ${allowed}.`;
}

/** @param subject whose limit it is; empty: the caller's */
export function tooManyRequestsSentence(limit: number, subject = ""): string {
  return `Too many requests: at most ${limit} a minute are allowed${subject}. Wait for the seconds that Retry-After names.`;
}
export const OF_ACCOUNT = " for all keys of the account together";
export const OF_MATCHES_OF_GAME = " for all matches of the game together";
export const OF_IMPRESSIONS_OF_GAME = " for all impressions of the game together";
