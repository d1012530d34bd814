/**
 * Input that the client has to correct; `detail` is the client's message. 400: missing, of a wrong type or malformed;
 * 422: well-formed, but not allowed.
 */
export class InvalidInput extends Error {
  readonly status: 400 | 422;
  readonly detail: string;

  constructor(status: 400 | 422, detail: string) {
    super(detail);
    this.name = "InvalidInput";
    this.status = status;
    this.detail = detail;
  }
}
