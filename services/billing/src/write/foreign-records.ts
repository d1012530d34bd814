import type { ImpressionRecord } from "@diegetic/contracts";
import type { Database } from "@diegetic/database";
import { type InstallationClaim, type MoneyCommands, walletOfRecord } from "@diegetic/hot-state";
import type { Logger } from "@diegetic/service-kit";
import { namesOutbox } from "./outbox.ts";
import type { NamedRecord } from "./recorded.ts";

interface ForeignRecordsParts {
  database: Database;
  money: Pick<MoneyCommands, "isInOutbox">;
  claim: Pick<InstallationClaim, "check">;
  logger: Logger;
}

/**
 * Records of another installation: a queue connection, here or there, used the wrong Redis (ADR 18). Neither our
 * advertisers nor our outboxes know them. Their own outbox delivers them again.
 */
export async function foreignAmong(
  { database, money, claim, logger }: ForeignRecordsParts,
  undecided: readonly NamedRecord[],
): Promise<Set<ImpressionRecord>> {
  const foreign = new Set<ImpressionRecord>();
  const named = undecided.flatMap(({ record }) => {
    if (!namesOutbox(record)) return [];
    const { impression_id: impressionId, match } = record;
    const { advertiser_id: advertiserId } = match;
    return [{ record, impressionId, advertiserId, walletId: walletOfRecord(record) }];
  });
  if (named.length === 0) return foreign;
  const ids = [...new Set(named.map(({ advertiserId }) => advertiserId))];
  const known = await database.advertiser.findMany({ where: { id: { in: ids } }, select: { id: true } });
  const ours = new Set(known.map(({ id }) => id));
  const ofNobody = named.filter(({ advertiserId }) => !ours.has(advertiserId));
  for (const { record, impressionId, walletId } of ofNobody) {
    if (!(await money.isInOutbox(walletId, impressionId))) foreign.add(record);
  }
  if (ofNobody.length > foreign.size) await claim.check(); // The answer came from our own Redis.
  if (foreign.size > 0) {
    logger.warn({ records: foreign.size }, "ignored impressions of another installation");
  }
  return foreign;
}
