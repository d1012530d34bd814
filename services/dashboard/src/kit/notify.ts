import { notifications } from "@mantine/notifications";
import { ApiError } from "../api/api-error.ts";

/** Says that something was done. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: "positive", autoClose: 5_000 });
}

/** Says what failed and why; stays until it is closed. */
export function notifyFailed(what: string, error: unknown): void {
  notifications.show({
    title: what,
    message: error instanceof ApiError ? error.detail : String(error),
    // Each of several reasons stands on a line of its own.
    styles: { description: { whiteSpace: "pre-line" } },
    color: "negative",
    autoClose: false,
  });
}
