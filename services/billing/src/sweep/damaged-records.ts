import { createHash } from "node:crypto";
import type { Database } from "@diegetic/database";
import type { DamagedEntry, MoneyCommands } from "@diegetic/hot-state";
import type { Logger } from "@diegetic/service-kit";
import type { BillingMeasures } from "../measures.ts";
import type { SweeperDependencies } from "./sweeper.ts";

const REASON = "what stands in the outbox is no record: its JSON, its name, its time or its price is damaged";
const LONGEST_KEPT = 100_000;
const RECORDS_AT_A_TIME = 200;
const PLAIN_NAME = /^[\w-]{1,200}$/;

/**
 * Sets aside what stands in outboxes and is no record: nobody could ever write it, nor tell its advertiser's charges. The
 * slot still counts the charge, until it is restored.
 */
export function damagedRecordKeeper({
  database,
  money,
  measures,
  logger,
}: {
  database: Database;
  money: Pick<MoneyCommands, "ackOutbox">;
  measures: Pick<BillingMeasures, "poison">;
  logger: Logger;
}): SweeperDependencies["setAside"] {
  const setAside = async (advertiserId: string, damaged: readonly DamagedEntry[]) => {
    const { count } = await database.poisonImpression.createMany({
      data: damaged.map(({ field, text }) => ({
        impressionId: nameOf({ field, text }),
        advertiserId,
        // As JSON, because a text of Postgres takes no zero bytes.
        record: JSON.stringify(text.slice(0, LONGEST_KEPT)),
        reason: REASON,
      })),
      skipDuplicates: true,
    });
    measures.poison.inc(count);
    const impressionIds = damaged.map(nameOf);
    logger.error(
      { advertiserId, impressionId: impressionIds[0], records: damaged.length },
      "an outbox holds what is no record: it was set aside",
    );
    await money.ackOutbox(
      advertiserId,
      damaged.map(({ field }) => field),
    );
  };
  return async (advertiserId, damaged) => {
    for (let start = 0; start < damaged.length; start += RECORDS_AT_A_TIME) {
      await setAside(advertiserId, damaged.slice(start, start + RECORDS_AT_A_TIME));
    }
  };
}

/** A field may be any bytes: one that is no plain name gets one. */
function nameOf({ field, text }: DamagedEntry): string {
  if (PLAIN_NAME.test(field)) return field;
  return `unnamed_${createHash("sha256")
    .update(JSON.stringify([field, text]))
    .digest("hex")}`;
}
