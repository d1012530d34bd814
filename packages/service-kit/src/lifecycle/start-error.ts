/** A start that cannot succeed for a reason the operator can mend; the message is the one sentence he sees. */
export class StartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "StartError";
  }
}
