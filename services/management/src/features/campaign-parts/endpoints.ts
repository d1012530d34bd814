import type { IdPrefix, NamedError } from "@diegetic/contracts";
import type { Database } from "@diegetic/database";
import type { RequestContext } from "@diegetic/service-kit";
import type { PartOwner } from "../../core/campaign-rows/campaign.ts";
import { type CampaignContents, deletePart, insertParts } from "../../core/campaign-rows/statements.ts";
import { changeCampaign, mutateCampaign } from "../../core/campaigns/mutate-campaign.ts";
import { ownCampaign } from "../../core/campaigns/store.ts";
import { createOnceByStatements, readSentBody } from "../../core/idempotency/create-once.ts";
import { isIdentifier } from "../../core/shared/identifiers.ts";
import { type Paging, pageAnswer, readPaging } from "../../core/shared/paging.ts";
import type { Parts } from "../parts.ts";

/** Parts that are created and deleted one by one and never change. */
type PartName = Exclude<keyof CampaignContents, "creatives">;
type PartOf<Kind extends PartName> = CampaignContents[Kind][number];

/** A kind of rows that belong to a campaign. */
export interface CampaignPartKind<Request, Kind extends PartName> {
  /** Name of its id in paths: `geoTargetId`. */
  idParameter: string;
  prefix: IdPrefix;
  /** Its field in CampaignContents. */
  kind: Kind;
  /** Maximum parts per campaign. */
  max: number;
  tooMany: NamedError<[]>;
  missing: NamedError<[]>;
  /** Throws InvalidInput. */
  validate: (body: unknown) => Request;
  /** Throws when the part conflicts with the campaign's existing parts. */
  check?: (existing: readonly PartOf<Kind>[], request: Request) => void;
  /** A new part, not stored yet. */
  make: (owner: PartOwner, request: Request, nowMs: number) => PartOf<Kind>;
  /** In creation order. */
  list: (database: Database, campaignId: string, paging: Paging) => Promise<PartOf<Kind>[]>;
  toResponse: (part: PartOf<Kind>) => unknown;
}

/** Handlers that create and list the parts of a campaign, and delete a single one. */
export function campaignPartHandlers<Request, Kind extends PartName>(kind: CampaignPartKind<Request, Kind>) {
  async function create({ reader, pipeline, publishing, clock }: Parts, context: RequestContext) {
    const { id } = await ownCampaign(reader, context.accountId, context.param("campaignId"));
    const { sent, value } = readSentBody(context, kind.validate);
    const nowMs = clock();
    const answer = await createOnceByStatements(pipeline, context, sent, (statements) =>
      changeCampaign(statements, id, async ({ contents, nextVersion }) => {
        const existing: readonly PartOf<Kind>[] = (await contents())[kind.kind];
        if (existing.length >= kind.max) throw kind.tooMany.error();
        kind.check?.(existing, value);
        const part = kind.make({ id, nextVersion }, value, nowMs);
        return {
          change: {
            writes: [insertParts(kind.kind, [part])],
            contents: { [kind.kind]: [...existing, part] },
            size: { mayGrow: true },
          },
          result: () => ({ status: 201, body: kind.toResponse(part) }),
        };
      }),
    );
    await publishing.publishAndWait("campaign", id);
    return answer;
  }

  async function list({ database, reader }: Parts, context: RequestContext) {
    const campaign = await ownCampaign(reader, context.accountId, context.param("campaignId"));
    const paging = readPaging(context, kind.prefix);
    return pageAnswer(context, paging, await kind.list(database, campaign.id, paging), kind.toResponse);
  }

  async function remove(parts: Parts, context: RequestContext) {
    const campaign = await ownCampaign(parts.reader, context.accountId, context.param("campaignId"));
    const id = context.param(kind.idParameter);
    if (!isIdentifier(kind.prefix, id)) throw kind.missing.error();
    await mutateCampaign(parts, campaign.id, "publishAndWait", async ({ contents }) => {
      const existing: readonly PartOf<Kind>[] = (await contents())[kind.kind];
      const others = existing.filter((part) => part.id !== id);
      if (others.length === existing.length) throw kind.missing.error();
      return {
        change: {
          writes: [deletePart(kind.kind, id)],
          contents: { [kind.kind]: others },
          size: { mayGrow: false },
        },
        result: () => undefined,
      };
    });
    return { status: 204 };
  }

  return { create, list, remove };
}
