import type { TSchema } from "typebox";
import { MAX_IDEMPOTENCY_KEY_CHARACTERS } from "../definition/common-errors.ts";
import { exampleIds } from "../definition/example-ids.ts";
import { gameId, nameText } from "../definition/fields.ts";
import type { Operation } from "../definition/operation.ts";
import { documented, type JsonSchema } from "./schemas.ts";

interface PathParameter {
  schema: TSchema;
  example: string;
}

const pathParameters: Readonly<Record<string, PathParameter>> = {
  campaign_id: { schema: nameText("The campaign, camp_…"), example: exampleIds.campaign },
  creative_id: { schema: nameText("The creative, crt_…"), example: exampleIds.creative },
  geo_target_id: { schema: nameText("The geo target, geo_…"), example: exampleIds.geoTarget },
  blocklist_rule_id: { schema: nameText("The blocklist rule, blk_…"), example: exampleIds.blocklistRule },
  affinity_id: { schema: nameText("The affinity, aff_…"), example: exampleIds.affinity },
  key_id: { schema: nameText("The API key's identifier, key_…"), example: exampleIds.key },
  impression_id: { schema: nameText("The impression, imp_…"), example: exampleIds.impression },
  session_id: { schema: nameText("The session's identifier, ses_…"), example: exampleIds.session },
  user_id: { schema: nameText("The user's identifier, usr_…"), example: exampleIds.user },
  invitation_id: {
    schema: nameText("The invitation's identifier, inv_…"),
    example: exampleIds.invitation,
  },
  delivery_id: { schema: nameText("The delivery, whd_…"), example: exampleIds.delivery },
  webhook_id: { schema: nameText("The webhook, whk_…"), example: exampleIds.webhook },
  game_id: { schema: gameId(), example: exampleIds.game },
};

/**
 * Parameters that several operations share. Optional ones have no `example`: the reference page would send it, and two
 * deposits with the example's Idempotency-Key would be one.
 */
export const sharedParameters: Record<string, JsonSchema> = {
  Limit: {
    name: "limit",
    in: "query",
    description:
      "Addition. Entries of one page; without it the whole list is answered, unless the operation names a page.",
    schema: { type: "integer", minimum: 1, maximum: 500 },
    "x-addition": true,
  },
  Cursor: {
    name: "cursor",
    in: "query",
    description: "Addition. Start of the page: the cursor from the previous page's header `Link`.",
    schema: { type: "string", maxLength: 200 },
    "x-addition": true,
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Addition. Names this request among those of the account to the same path, for 24 hours: a retry with the same key and body gets the first answer, and nothing is done twice. Another request needs another key, such as a new UUID.",
    schema: { type: "string", minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_CHARACTERS },
    "x-addition": true,
  },
  ...Object.fromEntries(
    Object.entries(pathParameters).map(([name, { schema, example }]) => [
      name,
      {
        name,
        in: "path",
        required: true,
        description: (schema as JsonSchema).description,
        schema: documented(schema),
        example,
      },
    ]),
  ),
};

const reference = (name: string) => ({ $ref: `#/components/parameters/${name}` });

/** The parameters of an operation. Throws when its path contains one without a description. */
export function parametersOf(operation: Operation): JsonSchema[] {
  const inPath = [...operation.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = ""]) => {
    if (pathParameters[name] === undefined) throw new Error(`${operation.path}: {${name}} is not described`);
    return reference(name);
  });
  const inQuery = (operation.query ?? []).map(({ name, schema, example }) => ({
    name,
    in: "query",
    description: `${(schema as JsonSchema).description} For example: ${example}.`,
    schema: documented(schema),
  }));
  const paging = operation.paged ? [reference("Limit"), reference("Cursor")] : [];
  const retries = operation.idempotent ? [reference("IdempotencyKey")] : [];
  return [...inPath, ...inQuery, ...paging, ...retries];
}
