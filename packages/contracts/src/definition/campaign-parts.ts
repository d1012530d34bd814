import type { TSchema } from "typebox";
import { ownCampaignOnly } from "./common-errors.ts";
import { noContent, ok, operation, type Refusal } from "./operation.ts";

/** Of an operation that lists or deletes parts of a campaign. */
interface PartOperation {
  operationId: string;
  summary: string;
  /** Description of the answer. */
  answer: string;
}

/** The operations that list one kind of a campaign's parts, and delete one of them. Its types keep what is given. */
export function campaignParts<
  const Path extends string,
  const Parameter extends string,
  Schema extends TSchema,
>({
  path,
  parameter,
  list,
  remove,
}: {
  path: `/${Path}`;
  /** Of a part's identifier in the path: `geo_target_id`. */
  parameter: Parameter;
  list: PartOperation & { schema: Schema; example: object };
  remove: PartOperation & { missing: Refusal };
}) {
  const common = { group: "management", scope: "advertiser" } as const;
  return {
    list: operation(`GET ${path}`, {
      ...common,
      operationId: list.operationId,
      summary: list.summary,
      description: "In the order of their creation.",
      paged: true,
      success: [ok(list.answer, list.schema, [list.example])],
      refusals: ownCampaignOnly,
    }),
    remove: operation(`DELETE ${path}/{${parameter}}`, {
      ...common,
      operationId: remove.operationId,
      summary: remove.summary,
      description: "Matches after the answer ignore it.",
      success: [noContent(remove.answer)],
      refusals: [...ownCampaignOnly, remove.missing],
    }),
  };
}
