/** The outcome of one round of work, for everybody who asked for it before it began. */
export class Round {
  readonly done: Promise<void>;
  succeed: () => void = () => undefined;
  fail: (error: Error) => void = () => undefined;

  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.succeed = resolve;
      this.fail = reject;
    });
    this.done.catch(() => undefined); // A failed round that nobody waits for is not an unhandled rejection.
  }
}
