import type { TSchema } from "typebox";
import { gameId, nameText } from "../schemas/fields.ts";
import { exampleIds } from "./example-ids.ts";

export interface PathParameter {
  schema: TSchema;
  example: string;
}

/** All path parameters, by name. */
export const pathParameters: Readonly<Record<string, PathParameter>> = {
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
  game_id: { schema: gameId(), example: exampleIds.game },
};
