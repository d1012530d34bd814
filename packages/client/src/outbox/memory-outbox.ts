import { checkedCapacity, type Outbox, type OutboxEntry } from "./outbox.ts";

/** Impressions are lost with the process. */
export class MemoryOutbox implements Outbox {
  readonly capacity: number;
  readonly isDurable = false;

  constructor(options: { capacity?: number } = {}) {
    this.capacity = checkedCapacity(options.capacity);
  }

  load(): Promise<OutboxEntry[]> {
    return Promise.resolve([]);
  }

  // The client holds what it sends; nothing else is to keep.
  add(): void {}
  remove(): void {}
  close(): void {}
}
