import { ApiError } from "./api-error.ts";
import { newUuid } from "./new-uuid.ts";

const STORAGE_NAME = "diegetic-unanswered";
const MAX_UNANSWERED = 20;
/**
 * Below the 24 hours for which the API keeps an answer (docs/behaviour.md#idempotency-keys). Later, the same change is
 * more likely another one than a repetition.
 */
const MAX_AGE_MS = 3_600_000;

interface Unanswered {
  change: string;
  /** A removal may undo it: to do it once more is another change. */
  canBeUndone: boolean;
  idempotencyKey: string;
  sentAtMs: number;
}

/** A change that is sent under an Idempotency-Key. */
export interface KeyedChange {
  idempotencyKey: string;
  /** Has to hear of every answer, of a failure too: until one is definite, the same change is sent under this key. */
  end: (error?: unknown) => void;
}

let unanswered: readonly Unanswered[] = stored();

/**
 * The key to send a change under: that of the same change if no answer to it has come, so that sending it again repeats
 * it instead of doing it twice. Leaving or reloading the page does not lose it.
 * @param parts what makes two changes the same: account, operation and input
 */
export function keyedChange(
  parts: readonly unknown[],
  { canBeUndone = false, nowMs = Date.now() } = {},
): KeyedChange {
  const change = JSON.stringify(parts);
  const recent = unanswered.filter(({ sentAtMs }) => nowMs - sentAtMs < MAX_AGE_MS);
  const former = recent.find((one) => one.change === change);
  const { idempotencyKey } = former ?? { idempotencyKey: newUuid() };
  if (former === undefined) {
    keep([...recent.slice(1 - MAX_UNANSWERED), { change, canBeUndone, idempotencyKey, sentAtMs: nowMs }]);
  }
  return {
    idempotencyKey,
    end: (error) => {
      if (!isDefinite(error)) return;
      keep(unanswered.filter((one) => one.change !== change || one.idempotencyKey !== idempotencyKey));
    },
  };
}

/** After a removal: what it has undone is not repeated under its former key, which would do nothing. */
export function forgetUndone(): void {
  keep(unanswered.filter(({ canBeUndone }) => !canBeUndone));
}

/** Whether an answer says what became of a change, also of an earlier attempt under its key. */
function isDefinite(error: unknown): boolean {
  if (error === undefined) return true;
  // Others are given before the service looks for a first answer.
  return error instanceof ApiError && error.isRefusal && error.status !== 401 && !error.isOtherAccount;
}

function keep(next: readonly Unanswered[]): void {
  unanswered = next;
  try {
    sessionStorage.removeItem(STORAGE_NAME);
    if (next.length > 0) sessionStorage.setItem(STORAGE_NAME, JSON.stringify(next));
  } catch {
    // A full or forbidden storage: the keys last as long as the page.
  }
}

function stored(): readonly Unanswered[] {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_NAME) ?? "[]") as Unanswered[];
  } catch {
    return [];
  }
}
