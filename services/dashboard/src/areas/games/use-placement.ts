import { useOutletContext } from "react-router";
import type { Placement } from "./placement.ts";

/** The game of the tab's page. */
export function usePlacement(): Placement {
  return useOutletContext<Placement>();
}

export function pathOf({ game_id }: Placement): { path: { game_id: string } } {
  return { path: { game_id } };
}
