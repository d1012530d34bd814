/** The result of one round of work, for all callers that requested it before it began. */
export class Round {
  readonly done: Promise<void>;
  succeed: () => void = () => undefined;
  fail: (error: Error) => void = () => undefined;

  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.succeed = resolve;
      this.fail = reject;
    });
    this.done.catch(() => undefined); // A failed round without waiting callers is not an unhandled rejection.
  }
}
