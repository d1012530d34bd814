import type { MatchFacts } from "@diegetic/contracts";

/** One step of a wallet's history with data losses. Numbers select among the existing items. */
export type RecoveryStep =
  | { kind: "hold"; campaign: number }
  | { kind: "charge"; match: number }
  | { kind: "cancel"; match: number }
  /** Postgres has an impression that the wallet does not know: of a match that it may know, or of none. */
  | { kind: "late"; match: number | null; campaign: number; stale: boolean }
  /** Postgres could not take a charge. */
  | { kind: "reversed"; charge: number }
  | { kind: "again"; settlement: number }
  /** The server was restarted; `forget`: it has lost charges, of which `kept` are in the outbox. */
  | { kind: "restart"; forget: boolean; spent: number; kept: number }
  | { kind: "other epoch" };

/** A match in the model. */
export interface Match {
  facts: MatchFacts;
  campaign: number;
  state: "open" | "charged" | "cancelled" | "void";
  impressionId: string | null;
}

/** A charge in the model. */
export interface Charge {
  impressionId: string;
  matchId: string;
  campaign: number;
  epoch: number;
  /** The epoch in which Postgres quarantined it. */
  reversedIn?: number;
}

/** Of every impression, in millicents. */
export const PRICE = 1_000;
/** Of every limit, in millicents: none is ever reached. */
export const PLENTY = 1_000_000_000;

/** One of the items, whichever number is given; undefined when there is none. */
export function pick<Item>(items: readonly Item[], index: number): Item | undefined {
  return items[index % Math.max(1, items.length)];
}

/** Throws if the script's reply differs from the model's. */
export function same(what: unknown, got: unknown, expected: unknown): void {
  if (JSON.stringify(got) === JSON.stringify(expected)) return;
  throw new Error(`the script and the model disagree: ${JSON.stringify({ what, got, expected })}`);
}
