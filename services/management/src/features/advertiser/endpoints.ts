import {
  advertiserApi,
  alreadyRegistered,
  contactEmailTaken,
  profilePatch,
  registerRequest,
  withoutProfile,
} from "@diegetic/contracts";
import { type Database, UniqueViolation } from "@diegetic/database";
import type { RequestContext } from "@diegetic/service-kit";
import {
  type Advertiser,
  findAdvertiser,
  insertAdvertiser,
  updateAdvertiser,
} from "../../core/advertisers/store.ts";
import { createOnce, readSentBody } from "../../core/idempotency/create-once.ts";
import { deposit, deposits } from "../deposit/endpoints.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import { toAdvertiserResponse } from "./to-response.ts";

export const advertiserEndpoints = endpointsOf(advertiserApi.operations, {
  register,
  showProfile,
  changeProfile,
  deposit,
  deposits,
});

async function register({ database, publishing, clock }: Parts, context: RequestContext) {
  const { sent, value } = readSentBody(context, registerRequest);
  const nowMs = clock();
  const answer = await createOnce(database, context, sent, async (transaction) => {
    if ((await findAdvertiser(transaction, context.accountId)) !== undefined) throw alreadyRegistered.error();
    const advertiser = await insertAdvertiser(transaction, context.accountId, value, nowMs);
    return { status: 201, body: toAdvertiserResponse(advertiser) };
  }).catch(explainDuplicate);
  await publishing.publishEventually("advertiser", answer.body.id);
  return answer;
}

async function showProfile({ database, barrier }: Parts, context: RequestContext) {
  const { id } = await profileOf(database, context.accountId);
  await barrier.awaitAdvertiser(id);
  return { status: 200, body: toAdvertiserResponse(await profileOf(database, context.accountId)) };
}

async function changeProfile({ database, barrier }: Parts, context: RequestContext) {
  const advertiser = await profileOf(database, context.accountId);
  const patch = context.body((sent) => profilePatch(sent, toAdvertiserResponse(advertiser)));
  await barrier.awaitAdvertiser(advertiser.id);
  const changed = await updateAdvertiser(database, advertiser.id, patch).catch(explainDuplicate);
  return { status: 200, body: toAdvertiserResponse(changed) };
}

async function profileOf(database: Database, accountId: string): Promise<Advertiser> {
  const advertiser = await findAdvertiser(database, accountId);
  if (advertiser !== undefined) return advertiser;
  throw withoutProfile.error();
}

function explainDuplicate(error: unknown): never {
  if (!(error instanceof UniqueViolation)) throw error;
  if (error.constraint.includes("account_id")) throw alreadyRegistered.error();
  throw contactEmailTaken.error();
}
