import { call } from "../../api/call.ts";
import { useChange } from "../../api/queries.ts";
import { useConfirm } from "../../kit/confirm.tsx";
import { attempt } from "../../kit/notify.ts";
import { usePending } from "../../kit/use-pending.ts";
import type { Placement } from "./placement.ts";

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
