import type { AnswerOf } from "../../api/operations.ts";
import type { Tone } from "../../kit/status.tsx";

export type Webhook = AnswerOf<"GET /webhooks">[number];
export type Delivery = AnswerOf<"GET /webhooks/{webhook_id}/deliveries">[number];
export type EventType = Webhook["events"][number];

/** The events of a webhook, in the words of the page. */
export const EVENTS: readonly { value: EventType; label: string; description: string }[] = [
  {
    value: "campaign.exhausted",
    label: "Campaign exhausted",
    description: "Its budget does not pay for another impression.",
  },
  {
    value: "campaign.ended",
    label: "Campaign ended",
    description: "The end date of an active campaign has passed.",
  },
  {
    value: "balance.low",
    label: "Balance low",
    description: "The balance fell below the amount that you set.",
  },
  {
    value: "holds.expiry_rate_high",
    label: "Many unseen matches",
    description: "Too many of the ads that your games asked for in an hour were not shown.",
  },
  {
    value: "payout.figures_ready",
    label: "Earnings complete",
    description: "The earnings of a UTC day or month are complete.",
  },
];

const STATES: Record<Delivery["status"], { tone: Tone; word: string }> = {
  pending: { tone: "info", word: "Waiting" },
  delivered: { tone: "positive", word: "Delivered" },
  failed: { tone: "negative", word: "Given up" },
};

/** The state of a delivery, and what came of its last attempt. */
export function deliveryState({ status, attempts, attempt_count: count }: Delivery): {
  tone: Tone;
  word: string;
  cause: string;
} {
  const [last] = attempts;
  const answer = last === undefined ? "not tried yet" : (last.error ?? `answered ${last.status}`);
  const tries = count === 1 ? "1 attempt" : `${count} attempts`;
  return { ...STATES[status], cause: count === 0 ? answer : `${tries}: ${answer}` };
}
