/** An interruptible wait. A `wake` while nobody waits is remembered until the next wait or `reset`. */
export class WakeableTimer {
  #isWoken = false;
  #endWait: (() => void) | undefined;

  wake(): void {
    this.#isWoken = true;
    this.#endWait?.();
  }

  reset(): void {
    this.#isWoken = false;
  }

  /** Waits until `wake`, at most `timeoutMs`. */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#endWait = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#endWait = undefined;
    }
    this.#isWoken = false;
  }
}
