import type { IdPrefix, NamedError, Operation } from "@diegetic/contracts";
import type { Database, Pipeline, Prisma, Reader } from "@diegetic/database";
import { type Endpoint, endpoint } from "@diegetic/service-kit";
import type { PartOwner } from "../../core/campaign-rows/campaign.ts";
import type { CampaignContents } from "../../core/campaign-rows/statements.ts";
import { changeCampaign, mutateCampaign } from "../../core/campaigns/mutate-campaign.ts";
import { ownCampaign } from "../../core/campaigns/store.ts";
import { createOnceByStatements, readSentBody } from "../../core/idempotency/create-once.ts";
import type { Publishing } from "../../core/publishing/publishing.ts";
import { isIdentifier } from "../../core/shared/identifiers.ts";
import { type Paging, pageAnswer, readPaging } from "../../core/shared/paging.ts";
import type { Clock } from "../../core/shared/time.ts";

export interface CampaignPartServices {
  database: Database;
  reader: Reader;
  pipeline: Pipeline;
  publishing: Publishing;
  clock: Clock;
}

/** Parts that are created and deleted one by one and never change. */
type PartName = Exclude<keyof CampaignContents, "creatives">;
type PartOf<Kind extends PartName> = CampaignContents[Kind][number];

/** A kind of rows that belong to a campaign. */
export interface CampaignPartKind<Request, Kind extends PartName> {
  operations: { create: Operation; list: Operation; remove: Operation };
  /** Name of its id in paths: `geoTargetId`. */
  idParameter: string;
  prefix: IdPrefix;
  /** Its field in CampaignContents. */
  kind: Kind;
  /** Maximum parts per campaign. */
  most: number;
  tooMany: NamedError<[]>;
  missing: NamedError<[]>;
  /** Throws InvalidInput. */
  validate: (body: unknown) => Request;
  /** Throws when the part conflicts with the campaign's existing parts. */
  check?: (existing: readonly PartOf<Kind>[], request: Request) => void;
  /** A new part, not stored yet. */
  make: (owner: PartOwner, request: Request, nowMs: number) => PartOf<Kind>;
  insert: (parts: readonly PartOf<Kind>[]) => Prisma.Sql;
  remove: (id: string) => Prisma.Sql;
  /** In creation order. */
  list: (database: Database, campaignId: string, paging: Paging) => Promise<PartOf<Kind>[]>;
  toResponse: (part: PartOf<Kind>) => unknown;
}

/** POST and GET of the kind below a campaign, and DELETE of a single part. */
export function campaignPartEndpoints<Request, Kind extends PartName>(
  kind: CampaignPartKind<Request, Kind>,
  services: CampaignPartServices,
): Endpoint[] {
  return [
    endpoint(kind.operations.create, create(kind, services)),
    endpoint(kind.operations.list, list(kind, services)),
    endpoint(kind.operations.remove, remove(kind, services)),
  ];
}

function create<Request, Kind extends PartName>(
  kind: CampaignPartKind<Request, Kind>,
  { reader, pipeline, publishing, clock }: CampaignPartServices,
): Endpoint["handle"] {
  return async (context) => {
    const { id } = await ownCampaign(reader, context.accountId, context.param("campaignId"));
    const { sent, value } = readSentBody(context, kind.validate);
    const nowMs = clock();
    const answer = await createOnceByStatements({ pipeline, nowMs }, context, sent, (statements) =>
      changeCampaign(statements, id, async ({ contents, nextVersion }) => {
        const existing: readonly PartOf<Kind>[] = (await contents())[kind.kind];
        if (existing.length >= kind.most) {
          throw kind.tooMany.error();
        }
        kind.check?.(existing, value);
        const part = kind.make({ id, nextVersion }, value, nowMs);
        return {
          change: {
            writes: [kind.insert([part])],
            contents: { [kind.kind]: [...existing, part] },
            size: { mayGrow: true },
          },
          result: () => ({ status: 201, body: kind.toResponse(part) }),
        };
      }),
    );
    await publishing.publishAndWait("campaign", id);
    return answer;
  };
}

function list<Request, Kind extends PartName>(
  kind: CampaignPartKind<Request, Kind>,
  { database, reader }: CampaignPartServices,
): Endpoint["handle"] {
  return async (context) => {
    const campaign = await ownCampaign(reader, context.accountId, context.param("campaignId"));
    const paging = readPaging(context, kind.prefix);
    return pageAnswer(context, paging, await kind.list(database, campaign.id, paging), kind.toResponse);
  };
}

function remove<Request, Kind extends PartName>(
  kind: CampaignPartKind<Request, Kind>,
  services: CampaignPartServices,
): Endpoint["handle"] {
  return async (context) => {
    const campaign = await ownCampaign(services.reader, context.accountId, context.param("campaignId"));
    const id = context.param(kind.idParameter);
    if (!isIdentifier(kind.prefix, id)) throw kind.missing.error();
    await mutateCampaign(services, campaign.id, "publishAndWait", async ({ contents }) => {
      const existing: readonly PartOf<Kind>[] = (await contents())[kind.kind];
      const others = existing.filter((part) => part.id !== id);
      if (others.length === existing.length) throw kind.missing.error();
      return {
        change: {
          writes: [kind.remove(id)],
          contents: { [kind.kind]: others },
          size: { mayGrow: false },
        },
        result: () => undefined,
      };
    });
    return { status: 204 };
  };
}
