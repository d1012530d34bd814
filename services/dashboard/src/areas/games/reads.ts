import type { AnswerOf } from "../../api/operations.ts";
import type { ReadOptions } from "../../api/queries.ts";
import { listRefetchMs } from "../../api/refetch-times.ts";
import { joinLists, joinListsIn, useReadAll } from "../../api/use-read-all.ts";
import { type GameTraffic, type Placement, TRAFFIC_REFETCH_MS } from "./placement.ts";

type Traffic = AnswerOf<"GET /traffic">;

const joinRows = joinListsIn("rows");

const byGame = (placements: Placement[]) =>
  placements.toSorted(({ game_id: one }, { game_id: other }) => (one < other ? -1 : 1));

/** All games of the account, by identifier. */
export function usePlacements(options: Pick<ReadOptions, "enabled"> = {}) {
  return useReadAll("GET /placements", {}, joinLists, { ...options, select: byGame });
}

/** Asks anew whether the account has a game: adding one that exists would set it back. */
export function useHasGame(): (gameId: string) => Promise<boolean> {
  const { refetch } = usePlacements();
  return async (gameId) => {
    const { data } = await refetch({ throwOnError: true });
    return data?.some(({ game_id: id }) => id === gameId) ?? false;
  };
}

/** The traffic of all games, asked for anew while it is looked at. */
export function useTraffic() {
  return useReadAll("GET /traffic", {}, joinListsIn("games"), { refetchEveryMs: TRAFFIC_REFETCH_MS });
}

export type TrafficRead = ReturnType<typeof useTraffic>;

/** That of one game; undefined where the traffic of before the game was added does not know it yet. */
export function useGameTraffic(gameId: string): { traffic: TrafficRead; game: GameTraffic | undefined } {
  const traffic = useTraffic();
  return { traffic, game: traffic.data?.games.find(({ game_id: id }) => id === gameId) };
}

export interface Game {
  placement: Placement;
  /** undefined: not known. */
  traffic: GameTraffic | undefined;
}

/** Games, each with its traffic. */
export function withTraffic(placements: readonly Placement[], traffic: Traffic | undefined): Game[] {
  const byId = new Map(traffic?.games.map((game) => [game.game_id, game]));
  return placements.map((placement) => ({ placement, traffic: byId.get(placement.game_id) }));
}

const moving = {
  refetchEveryMs: ({ rows }: { rows: readonly unknown[] }) => listRefetchMs(rows.length),
};

/** The earnings of a period, asked for anew while they are looked at: many games for many days are more than one page. */
export function useEarnings(query: { from: string; game_id?: string; advertiser_id?: string }) {
  return useReadAll("GET /earnings", { query }, joinRows, moving);
}

/** The same earnings by advertiser. */
export function useEarningsByAdvertiser(query: { from: string; game_id?: string }) {
  return useReadAll("GET /earnings/advertisers", { query }, joinRows, moving);
}
