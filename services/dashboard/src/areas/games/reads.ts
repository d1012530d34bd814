import type { AnswerOf } from "../../api/operations.ts";
import { useReadAll } from "../../api/use-read-all.ts";
import { TRAFFIC_REFETCH_MS } from "./placement.ts";

type Placements = AnswerOf<"GET /placements">;
type Traffic = AnswerOf<"GET /traffic">;
type Earnings = AnswerOf<"GET /earnings">;
type AdvertiserEarnings = AnswerOf<"GET /earnings/advertisers">;

const joinPlacements = (one: Placements, next: Placements) => [...one, ...next];
const joinTraffic = (one: Traffic, next: Traffic) => ({ ...one, games: [...one.games, ...next.games] });
const joinEarnings = (one: Earnings, next: Earnings) => ({ ...one, rows: [...one.rows, ...next.rows] });
const joinAdvertisers = (one: AdvertiserEarnings, next: AdvertiserEarnings) => ({
  ...one,
  rows: [...one.rows, ...next.rows],
});

/** All games of the account. */
export function usePlacements() {
  return useReadAll("GET /placements", {}, joinPlacements);
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
  return useReadAll("GET /traffic", {}, joinTraffic, { refetchEveryMs: TRAFFIC_REFETCH_MS });
}

/** The earnings of a period: many games for many days are more than one page. */
export function useEarnings(query: { from: string; game_id?: string; advertiser_id?: string }) {
  return useReadAll("GET /earnings", { query }, joinEarnings);
}

/** The same earnings by advertiser. */
export function useEarningsByAdvertiser(query: { from: string; game_id?: string }) {
  return useReadAll("GET /earnings/advertisers", { query }, joinAdvertisers);
}
