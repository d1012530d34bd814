import type { DamagedEntry, MoneyCommands } from "@diegetic/hot-state";
import { type QuarantineParts, quarantine } from "../write/quarantine.ts";
import type { SweeperDependencies } from "./sweeper.ts";

const REASON = "what stands in the outbox is no record: its JSON, its name, its time or its price is damaged";
const MAX_KEPT = 100_000;
const RECORDS_AT_A_TIME = 200;

/**
 * Sets aside what stands in outboxes and is no record: nobody could ever write it, nor tell its advertiser's charges. The
 * wallet still counts the charge, until it is restored.
 */
export function damagedRecordKeeper({
  money,
  ...parts
}: QuarantineParts & { money: Pick<MoneyCommands, "ackOutbox"> }): SweeperDependencies["quarantine"] {
  return async (advertiserId, damaged) => {
    for (let start = 0; start < damaged.length; start += RECORDS_AT_A_TIME) {
      const page = damaged.slice(start, start + RECORDS_AT_A_TIME);
      for (const { field, text } of page) {
        await quarantine(parts, {
          advertiserId,
          impressionId: field,
          matchId: matchIdIn(text),
          text: JSON.stringify(text.slice(0, MAX_KEPT)),
          reason: REASON,
          countedInEpoch: null,
        });
      }
      await money.ackOutbox(
        advertiserId,
        page.map(({ field }) => field),
      );
    }
  };
}

/** Undefined: it cannot be read. */
function matchIdIn(text: DamagedEntry["text"]): unknown {
  try {
    return (JSON.parse(text) as { match?: { match_id?: unknown } | null } | null)?.match?.match_id;
  } catch {
    return undefined;
  }
}
