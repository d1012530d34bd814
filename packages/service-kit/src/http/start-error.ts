/** A failed start whose cause the operator can fix; the message is one sentence for them. */
export class StartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "StartError";
  }
}
