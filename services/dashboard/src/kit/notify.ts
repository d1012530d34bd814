import { notifications } from "@mantine/notifications";
import { ApiError, UnknownOutcome } from "../api/api-error.ts";

/** Says that something was done. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: "positive", autoClose: 5_000 });
}

interface Outcomes {
  done: string;
  failed: string;
  /** As the parameter of `notifyFailed`. */
  change: string;
}

/** Makes a change, and says what came of it. Answers whether it was made. */
export async function attempt(
  make: () => Promise<unknown>,
  { done, failed, change }: Outcomes,
): Promise<boolean> {
  try {
    await make();
  } catch (error) {
    notifyFailed(failed, error, change);
    return false;
  }
  notifyDone(done);
  return true;
}

/** Says that only a part was done; stays until it is closed. */
export function notifyCutShort(message: string): void {
  notifications.show({ message, color: "warning", autoClose: false });
}

/**
 * Says what failed and why; stays until it is closed.
 * @param change what was tried, as "Ink was paused": said where no answer tells whether it was done
 */
export function notifyFailed(what: string, error: unknown, change?: string): void {
  const isUnknown = error instanceof UnknownOutcome && change !== undefined;
  notifications.show({
    title: isUnknown ? `It is not known whether ${change}.` : what,
    message: error instanceof ApiError ? error.detail : String(error),
    // Each of several reasons stands on a line of its own.
    styles: { description: { whiteSpace: "pre-line" } },
    color: "negative",
    autoClose: false,
  });
}
