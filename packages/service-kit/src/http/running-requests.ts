/** Of the answers of an account that its clients have not read; more than its largest list. */
const MAX_UNREAD_BYTES = 96 * 1_024 * 1_024;

/**
 * Requests that are not answered, in total and by account. Those beyond the maximum are refused, except for those of accounts
 * with less than half of it, which are admitted up to twice the maximum. Those of an account that leaves long answers unread,
 * which stay in memory, are refused, too.
 */
export class RunningRequests {
  readonly #max: number;
  #count = 0;
  readonly #ofAccounts = new Map<string, number>();
  /** Bytes of long answers by account. */
  readonly #unread = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  begin(): void {
    this.#count += 1;
  }

  /** Counts a request that has begun for its account, once the caller is known. */
  assign(accountId: string): void {
    this.#ofAccounts.set(accountId, this.#of(accountId) + 1);
  }

  /** @param accountId undefined: not assigned */
  end(accountId: string | undefined): void {
    this.#count -= 1;
    if (accountId === undefined) return;
    const left = this.#of(accountId) - 1;
    if (left > 0) this.#ofAccounts.set(accountId, left);
    else this.#ofAccounts.delete(accountId);
  }

  /** @param bytes negative: an answer was read, or its connection has closed */
  addUnread(accountId: string, bytes: number): void {
    const left = (this.#unread.get(accountId) ?? 0) + bytes;
    if (left > 0) this.#unread.set(accountId, left);
    else this.#unread.delete(accountId);
  }

  /** Whether the newest request is refused when its caller has no account. */
  get isFull(): boolean {
    return this.#count > this.#max;
  }

  /** Whether the newest request is refused, also of an account that has few. */
  get isFullForAll(): boolean {
    return this.#count > 2 * this.#max;
  }

  /** Whether the newest request, which is assigned to the account, is refused. */
  isFullFor(accountId: string): boolean {
    if (this.#unread.size > 0 && (this.#unread.get(accountId) ?? 0) > MAX_UNREAD_BYTES) return true;
    return this.isFull && this.#of(accountId) > this.#max / 2;
  }

  #of(accountId: string): number {
    return this.#ofAccounts.get(accountId) ?? 0;
  }
}
