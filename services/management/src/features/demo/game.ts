import { CREATIVE_TYPES } from "@diegetic/contracts";
import type { Transaction } from "@diegetic/database";
import { recordPlacementSize } from "../../core/campaigns/published-size.ts";
import { enabledSettings } from "../placements/placement.ts";
import { enablePlacement, findPlacement } from "../placements/store.ts";
import type { DemoGame } from "./market.ts";

/** Creates the placement of a demo game. One that exists, of whatever account, is left alone. */
export async function createGame(
  transaction: Transaction,
  accountId: string,
  { gameId, sharePercent, maxAdsPerSession, disabledOn }: DemoGame,
  nowMs: number,
): Promise<void> {
  if ((await findPlacement(transaction, gameId)) !== undefined) return;
  const owner = { gameId, accountId, creatorId: "demo-studio" };
  const settings = enabledSettings({
    creator_id: owner.creatorId,
    placement_types: [...CREATIVE_TYPES],
    revenue_share_pct: sharePercent,
    ...(maxAdsPerSession !== undefined && { max_ads_per_session: maxAdsPerSession }),
  });
  await enablePlacement(transaction, owner, settings, nowMs);
  if (disabledOn === undefined) return;
  await transaction.placement.update({
    where: { gameId },
    data: { isActive: false, version: { increment: 1 } },
  });
  await recordPlacementSize(transaction, gameId, { mayGrow: true });
}
