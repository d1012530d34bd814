/** An answer of the API other than success, or none at all. */
export class ApiError extends Error {
  /** 0 when no answer came. */
  readonly status: number;
  /** The sentence that the API says for people to read. */
  readonly detail: string;
  /** When the API names a time after which to try again. */
  readonly retryAfterSeconds: number | undefined;
  /** The page shows another account than the session acts for. */
  readonly isOtherAccount: boolean;

  constructor(status: number, detail: string, retryAfterSeconds?: number, isOtherAccount = false) {
    const sentence = withSeconds(detail, retryAfterSeconds);
    super(sentence);
    this.isOtherAccount = isOtherAccount;
    this.name = "ApiError";
    this.status = status;
    this.detail = sentence;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** The service has answered that it will not: the same call gets the same answer, until something is changed. */
  get isRefusal(): boolean {
    return this.status >= 400 && this.status < 500 && this.status !== 429;
  }
}

/** No answer came within the time that a call may take: another try would keep the page waiting as long again. */
export class LateAnswer extends ApiError {
  constructor() {
    super(0, "The server has not answered in time. Try again.");
  }
}

/** No answer says whether a change was made: none came, or the service failed at it. */
export class UnknownOutcome extends ApiError {
  constructor({ status, detail, retryAfterSeconds }: ApiError) {
    super(
      status,
      `${detail} The change may have been made: the page shows what is stored.`,
      retryAfterSeconds,
    );
  }
}

/** A failure of a call that changes something, as what it says of the change. */
export function outcomeOf(failure: unknown): unknown {
  return isUnanswered(failure) ? new UnknownOutcome(failure) : failure;
}

/** A sentence for programs names the header, which people do not see. */
function withSeconds(detail: string, seconds: number | undefined): string {
  if (seconds === undefined) return detail;
  const advice = `Try again in ${seconds} s.`;
  return detail
    .replace("Wait for the seconds that Retry-After names.", advice)
    .replace("; retry after the given delay.", `. ${advice}`);
}

/** Whether the failure is one of these answers of the API. */
export function hasStatus(error: unknown, ...statuses: number[]): error is ApiError {
  return error instanceof ApiError && statuses.includes(error.status);
}

/** Whether no answer says what became of a call. */
export function isUnanswered(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500);
}

/** The field of a form that the sentence speaks of: it names its field first. */
export function fieldNamedIn(detail: string, fields: readonly string[]): string | undefined {
  const path = /^([a-z_]+(?:\[\d+\])?(?:\.[a-z_]+)*)/.exec(detail)?.[1];
  if (path === undefined) return undefined;
  const top = path.split(/[.[]/)[0];
  return fields.find((field) => field === path) ?? fields.find((field) => field === top);
}
