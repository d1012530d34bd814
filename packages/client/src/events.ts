/** `outbox_full` and `closed`: not accepted. `expired`: too late to be billed. `abandoned`: in memory when the client closed. */
export type DropReason = "outbox_full" | "closed" | "expired" | "abandoned";

/** What the client reports to `onEvent`. Fields are named as in the API. */
export type ClientEvent =
  /** The service has no ad for the scene; `reason` is `X-No-Match-Reason`. */
  | { type: "no_match"; reason: string | undefined }
  /** The scene goes on without an ad. `status` is undefined when no whole answer came within the budget. */
  | { type: "match_failed"; status: number | undefined; detail: string }
  | { type: "impression_recorded"; match_id: string; charged_cents: number; attempts: number }
  /** `status` is undefined when no answer came. */
  | {
      type: "impression_retrying";
      match_id: string;
      attempts: number;
      delay_ms: number;
      status: number | undefined;
      detail: string;
    }
  /** A final answer: the impression is not billed. */
  | { type: "impression_rejected"; match_id: string; status: number; detail: string }
  | { type: "impression_dropped"; match_id: string; reason: DropReason }
  /** The outbox could not be written. The impression is still sent, but does not survive the process. */
  | { type: "outbox_failed"; detail: string };
