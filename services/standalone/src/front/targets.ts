/** The targets of the front; the supervisor sends them whenever a process starts or ends. */
export interface Targets {
  /** Origins such as `http://127.0.0.1:41001`; null: not running. */
  management: string | null;
  match: string[];
}

export interface TargetsMessage {
  type: "targets";
  targets: Targets;
}

export function isTargetsMessage(message: unknown): message is TargetsMessage {
  return typeof message === "object" && message !== null && "type" in message && message.type === "targets";
}

/** Round-robin over the live targets. */
export class TargetDirectory {
  #targets: Targets = { management: null, match: [] };
  #turn = 0;

  replace(targets: Targets): void {
    this.#targets = targets;
  }

  management(): string[] {
    return this.#targets.management === null ? [] : [this.#targets.management];
  }

  /** All live match instances; each call starts with the next one. The others are for failover. */
  match(): string[] {
    const { match } = this.#targets;
    this.#turn = match.length === 0 ? 0 : (this.#turn + 1) % match.length;
    return [...match.slice(this.#turn), ...match.slice(0, this.#turn)];
  }
}
