import type { TSchema } from "typebox";
import { gameId, nameText } from "../schemas/fields.ts";
import { exampleIds } from "./example-ids.ts";

export interface PathParameter {
  schema: TSchema;
  example: string;
}

/** Every parameter that stands in a path, by its name. */
export const pathParameters: Readonly<Record<string, PathParameter>> = {
  campaign_id: { schema: nameText("The campaign, camp_…"), example: exampleIds.campaign },
  creative_id: { schema: nameText("The creative, crt_…"), example: exampleIds.creative },
  game_id: { schema: gameId(), example: exampleIds.game },
};
