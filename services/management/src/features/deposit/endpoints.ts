import { depositRequest, newId, tooMuchDeposited } from "@diegetic/contracts";
import { databaseNowMs, dateOfDay, safeInteger, type Transaction, utcDay } from "@diegetic/database";
import { centsDown, centsToMillicents, MAX_MILLICENTS, millicentsToMicrocents } from "@diegetic/money";
import type { RequestContext } from "@diegetic/service-kit";
import type { Advertiser } from "../../core/advertisers/store.ts";
import { createOnce, readSentBody } from "../../core/idempotency/create-once.ts";
import { callingAdvertiser } from "../../core/read-your-writes/caller.ts";
import { listAnswer, type Paging, readPaging, rowsOfPage } from "../../core/shared/paging.ts";
import { timestamp } from "../../core/shared/time.ts";
import { balanceCents } from "../advertiser/to-response.ts";
import type { Parts } from "../parts.ts";

/** Of a page without `limit`: nothing bounds the number of deposits. */
const DEPOSITS_PER_PAGE = 500;

export async function deposits({ database }: Parts, context: RequestContext) {
  const advertiser = await callingAdvertiser(database, context.accountId);
  const { limit = DEPOSITS_PER_PAGE, after } = readPaging(context, "dep");
  const read = (page: Paging) =>
    database.deposit.findMany(rowsOfPage({ advertiserId: advertiser.id }, page, "desc"));
  const toResponse = ({ id, amountCents, createdAt }: Awaited<ReturnType<typeof read>>[number]) => ({
    id,
    amount_cents: amountCents,
    created_at: timestamp(createdAt),
  });
  return listAnswer(context, { limit, after }, read, ({ id }) => id, toResponse);
}

export async function deposit({ database, publishing, barrier }: Parts, context: RequestContext) {
  const advertiser = await callingAdvertiser(database, context.accountId);
  const { sent, value } = readSentBody(context, depositRequest);
  await barrier.awaitAdvertiser(advertiser.id);
  const answer = await createOnce(database, context, sent, async (transaction) => {
    const nowMs = await databaseNowMs(transaction);
    const money = await addDeposit(transaction, advertiser, value.amount_cents, nowMs);
    return {
      status: 200,
      body: { balance_cents: balanceCents(money), deposited_cents: value.amount_cents },
    };
  });
  await publishing.publishEventually("advertiser", advertiser.id);
  return answer;
}

/**
 * Writes a deposit in one transaction: the advertiser's total, the deposit and its ledger entry. Throws 422 when the
 * total would exceed JavaScript's exact integers.
 */
export async function addDeposit(
  transaction: Transaction,
  advertiser: Pick<Advertiser, "id" | "accountId">,
  amountCents: number,
  nowMs: number,
): Promise<Pick<Advertiser, "depositedMillicents" | "spentMillicents">> {
  const amountMillicents = centsToMillicents(amountCents);
  const [row] = await transaction.$queryRaw<{ deposited: bigint; spent: bigint }[]>`
    UPDATE advertisers
    SET deposited_millicents = deposited_millicents + ${BigInt(amountMillicents)}, version = version + 1
    WHERE id = ${advertiser.id} AND deposited_millicents <= ${BigInt(MAX_MILLICENTS - amountMillicents)}
    RETURNING deposited_millicents AS deposited, spent_millicents AS spent`;
  if (row === undefined) throw tooMuchDeposited.error(centsDown(MAX_MILLICENTS));
  const depositId = newId("dep", nowMs);
  const createdAt = new Date(nowMs);
  await transaction.deposit.create({
    data: { id: depositId, advertiserId: advertiser.id, amountCents, createdAt },
  });
  await transaction.ledgerEntry.create({
    data: {
      entryGroupId: depositId,
      kind: "deposit",
      postedAt: createdAt,
      day: dateOfDay(utcDay(nowMs)),
      accountId: advertiser.accountId,
      advertiserId: advertiser.id,
      amountMicrocents: millicentsToMicrocents(amountMillicents),
    },
  });
  return {
    depositedMillicents: safeInteger(row.deposited, "deposited"),
    spentMillicents: safeInteger(row.spent, "spent"),
  };
}
