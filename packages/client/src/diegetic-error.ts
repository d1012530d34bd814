/** A call that did not succeed. `status` is undefined when no answer came. */
export class DiegeticError extends Error {
  override readonly name = "DiegeticError";
  readonly status: number | undefined;
  /** The service's sentence: what is wrong, where, what to do. */
  readonly detail: string;

  constructor(call: string, status: number | undefined, detail: string, options?: ErrorOptions) {
    super(status === undefined ? `${call}: ${detail}` : `${call}: ${status} ${detail}`, options);
    this.status = status;
    this.detail = detail;
  }
}
