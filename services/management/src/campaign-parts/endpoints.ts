import type { IdPrefix, Operation } from "@diegetic/contracts";
import type { Database, Transaction } from "@diegetic/database";
import { type Endpoint, endpoint, notFound, unprocessable } from "@diegetic/service-kit";
import { ownCampaign } from "../campaigns/store.ts";
import { createOnce, readSentBody } from "../idempotency/create-once.ts";
import { isIdentifier } from "../shared/identifiers.ts";
import { type Paging, pageAnswer, readPaging } from "../shared/paging.ts";
import type { Clock } from "../shared/time.ts";
import type { Publishing } from "../snapshot-publishing/publishing.ts";
import { changeCampaign, inLockedCampaign, type LockedCampaign } from "./change-campaign.ts";

export interface CampaignPartServices {
  database: Database;
  publishing: Publishing;
  clock: Clock;
}

/** The rows of one kind of part. Every method but `list` runs while the campaign is locked. */
export interface CampaignPartStore<Request, Part> {
  /** In the order of creation. */
  list(client: Database | Transaction, campaignId: string, paging?: Paging): Promise<Part[]>;
  count(transaction: Transaction, campaignId: string): Promise<number>;
  insert(transaction: Transaction, campaign: LockedCampaign, request: Request, nowMs: number): Promise<Part>;
  /** Whether there was a part of this id in this campaign. */
  remove(transaction: Transaction, campaignId: string, id: string): Promise<boolean>;
}

/** A kind of rows that belong to a campaign, are created and deleted one by one and never change. */
export interface CampaignPartKind<Request, Part extends { id: string }> {
  operations: { create: Operation; list: Operation; remove: Operation };
  /** What the path of one calls its identifier: `geoTargetId`. */
  idParameter: string;
  prefix: IdPrefix;
  /** For sentences: `geo target`. */
  name: string;
  /** `geo targets` */
  plural: string;
  /** Most of them in one campaign: 422 beyond. */
  most: number;
  /** Throws InvalidInput. */
  validate: (body: unknown) => Request;
  /** Throws when the part does not go with those that the campaign has. */
  check?: (transaction: Transaction, campaignId: string, request: Request) => Promise<void>;
  store: CampaignPartStore<Request, Part>;
  present: (part: Part) => unknown;
}

/** POST and GET of the kind below a campaign, and DELETE of one of them. */
export function campaignPartEndpoints<Request, Part extends { id: string }>(
  kind: CampaignPartKind<Request, Part>,
  services: CampaignPartServices,
): Endpoint[] {
  return [
    endpoint(kind.operations.create, create(kind, services)),
    endpoint(kind.operations.list, list(kind, services)),
    endpoint(kind.operations.remove, remove(kind, services)),
  ];
}

function create<Request, Part extends { id: string }>(
  kind: CampaignPartKind<Request, Part>,
  { database, publishing, clock }: CampaignPartServices,
): Endpoint["handle"] {
  return async (context) => {
    const campaign = await ownCampaign(database, context.accountId, context.param("campaignId"));
    const { sent, value } = readSentBody(context, kind.validate);
    const nowMs = clock();
    const answer = await createOnce({ database, nowMs }, context, sent, (transaction) =>
      inLockedCampaign(transaction, campaign.id, { mayGrow: true }, async (locked) => {
        if ((await kind.store.count(transaction, campaign.id)) >= kind.most) {
          throw unprocessable(`A campaign has at most ${kind.most} ${kind.plural}: delete one first.`);
        }
        await kind.check?.(transaction, campaign.id, value);
        const part = await kind.store.insert(transaction, locked, value, nowMs);
        return { status: 201, body: kind.present(part) };
      }),
    );
    await publishing.publishAndWait("campaign", campaign.id);
    return answer;
  };
}

function list<Request, Part extends { id: string }>(
  kind: CampaignPartKind<Request, Part>,
  { database }: CampaignPartServices,
): Endpoint["handle"] {
  return async (context) => {
    const campaign = await ownCampaign(database, context.accountId, context.param("campaignId"));
    const paging = readPaging(context, kind.prefix);
    return pageAnswer(context, paging, await kind.store.list(database, campaign.id, paging), kind.present);
  };
}

function remove<Request, Part extends { id: string }>(
  kind: CampaignPartKind<Request, Part>,
  services: CampaignPartServices,
): Endpoint["handle"] {
  return async (context) => {
    const campaign = await ownCampaign(services.database, context.accountId, context.param("campaignId"));
    const id = context.param(kind.idParameter);
    const missing = () =>
      notFound(
        `The campaign has no ${kind.name} of this id: GET ${kind.operations.list.path} lists those it has.`,
      );
    if (!isIdentifier(kind.prefix, id)) throw missing();
    await changeCampaign(services, campaign.id, { mayGrow: false }, async (transaction) => {
      if (!(await kind.store.remove(transaction, campaign.id, id))) throw missing();
    });
    return { status: 204 };
  };
}
