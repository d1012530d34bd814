import { chunks } from "@diegetic/collections";
import { advertiserOf, type DamagedEntry, type MoneyCommands } from "@diegetic/hot-state";
import { type QuarantineParts, quarantine } from "../write/quarantine.ts";
import type { SweeperDependencies } from "./sweeper.ts";

const REASON = "the outbox entry is damaged: its JSON, its id, its time or its price is invalid";
const MAX_KEPT = 100_000;
const RECORDS_PER_PAGE = 200;

/**
 * Quarantines outbox entries that are not records: they cannot be written or attributed to a charge. The wallet counts
 * the charge until it is restored.
 */
export function damagedRecordKeeper({
  money,
  ...parts
}: QuarantineParts & { money: Pick<MoneyCommands, "ackOutbox"> }): SweeperDependencies["quarantine"] {
  return async (walletId, damaged) => {
    for (const page of chunks(damaged, RECORDS_PER_PAGE)) {
      for (const { field, text } of page) {
        await quarantine(parts, {
          advertiserId: advertiserOf(walletId),
          impressionId: field,
          matchId: matchIdIn(text),
          text: JSON.stringify(text.slice(0, MAX_KEPT)),
          reason: REASON,
          countedInEpoch: null,
        });
      }
      await money.ackOutbox(
        walletId,
        page.map(({ field }) => field),
      );
    }
  };
}

/** Undefined: unreadable. */
function matchIdIn(text: DamagedEntry["text"]): unknown {
  try {
    return (JSON.parse(text) as { match?: { match_id?: unknown } | null } | null)?.match?.match_id;
  } catch {
    return undefined;
  }
}
