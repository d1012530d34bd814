import { call } from "../../api/call.ts";
import type { AnswerOf } from "../../api/operations.ts";
import { useChange } from "../../api/queries.ts";
import { numberLimits } from "../../api/use-field-problems.ts";
import { useConfirm } from "../../kit/confirm.tsx";
import { attempt } from "../../kit/notify.ts";
import { usePending } from "../../kit/use-pending.ts";
import { CREATIVE_TYPES } from "../../scene/creative-types.ts";

export type Placement = AnswerOf<"GET /placements/{game_id}">;
export type GameTraffic = AnswerOf<"GET /traffic">["games"][number];
export type Stage = GameTraffic["stage"];

/** How often pages ask for traffic anew: well below the rate limit. */
export const TRAFFIC_REFETCH_MS = 6_000;

/** A game that has just been added: takes all ads, until its page says otherwise. */
export const NEW_GAME = {
  creator_id: "studio",
  placement_types: CREATIVE_TYPES.map(({ value }) => value),
};

export const SHARE_PCT = numberLimits("POST /placements/{game_id}", "revenue_share_pct");
export const ADS_PER_SESSION = numberLimits("POST /placements/{game_id}", "max_ads_per_session");

/** Turns the ads of games on and off; every setting stays. Asks before it turns them off. */
export function useAdsSwitch() {
  const { isPending, whilePending } = usePending();
  const confirm = useConfirm();
  const enable = useChange("POST /placements/{game_id}");
  const disable = useChange("DELETE /placements/{game_id}");
  const switchAds = async ({ game_id, is_active: isActive }: Placement) => {
    const path = { game_id };
    if (isActive) {
      const isAgreed = await confirm({
        title: `Turn off ads in ${game_id}`,
        consequences: [
          "No ad is matched for this game from now on; it goes on with its own scenes.",
          "Ads that were matched before and are seen are still billed.",
          "Every setting is kept for when you turn ads on again.",
        ],
        action: "Turn off ads",
      });
      if (!isAgreed) return;
    }
    const turnOn = async () => {
      // The POST sets both: those on the page may be older than what another member has saved.
      const { creator_id, placement_types } = await call("GET /placements/{game_id}", { path });
      return enable.mutateAsync({ path, body: { creator_id, placement_types } });
    };
    await attempt(() => whilePending(game_id, isActive ? () => disable.mutateAsync({ path }) : turnOn), {
      done: isActive ? `Ads are off in ${game_id}.` : `Ads are on in ${game_id}, with its former settings.`,
      failed: isActive ? "Ads are still on." : "Ads are still off.",
      change: `ads were turned ${isActive ? "off" : "on"} in ${game_id}`,
    });
  };
  return { isSwitching: isPending, switchAds };
}
