/** An error response; its body is exactly `{"detail": …}`. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    detail: string,
    headers: Record<string, string> = {},
    options?: { cause?: unknown },
  ) {
    super(detail, options);
    this.name = "HttpError";
    this.status = status;
    this.headers = headers;
  }
}

/** Input that the client has to correct. 400: missing, of a wrong type or malformed; 422: well-formed, but not allowed. */
export class InvalidInput extends HttpError {
  declare readonly status: 400 | 422;

  constructor(status: 400 | 422, detail: string) {
    super(status, detail);
    this.name = "InvalidInput";
  }
}
