import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { newUuid } from "../../api/new-uuid.ts";
import { type AdventureScene, adventure, FIRST_SCENE, type SceneId } from "./adventure.ts";
import { type Ad, bodyOf, type Exchange, type Receipt, serve } from "./serving.ts";
import { whenSeen } from "./when-seen.ts";

/** How long a line has to be in view before the game counts it as seen. */
const SEEN_AFTER_MS = 1_500;
const MAX_SHOWN_EXCHANGES = 30;

/** From "the game asks" to "the advertiser has paid". */
export type Step = "asking" | "matched" | "billed" | "no_match" | "failed";

export interface Turn {
  number: number;
  scene: AdventureScene;
  step: Step;
  ad?: Ad;
  receipt?: Receipt;
  /** Why there is no ad; or what failed. */
  reason?: string;
}

export interface Demo {
  game_id: string;
  api_key: string;
}

/** One player in one visit: names that exist nowhere else. */
function newVisit() {
  return { user_id: `visitor-${newUuid()}`, session_id: newUuid() };
}

/** The game server's part: an ad for each scene, an impression once its line has been in view. */
export function useGame({ game_id, api_key }: Demo) {
  const client = useQueryClient();
  const [visit, setVisit] = useState(newVisit);
  const [turn, setTurn] = useState<Turn>();
  const [exchanges, setExchanges] = useState<(Exchange & { id: number })[]>([]);
  const numbers = useRef({ turn: 0, exchange: 0 });

  const log = (exchange: Exchange) => {
    numbers.current.exchange += 1;
    const entry = { ...exchange, id: numbers.current.exchange };
    setExchanges((earlier) => [entry, ...earlier].slice(0, MAX_SHOWN_EXCHANGES));
  };
  const readMoney = () => client.invalidateQueries({ queryKey: ["GET /demo"] });
  const update = (number: number, change: Partial<Turn>) =>
    setTurn((current) => (current?.number === number ? { ...current, ...change } : current));
  const fail = (number: number, error: unknown) =>
    update(number, { step: "failed", reason: error instanceof Error ? error.message : String(error) });

  const enter = async (id: SceneId, player = visit) => {
    numbers.current.turn += 1;
    const { turn: number } = numbers.current;
    const scene = adventure[id];
    setTurn({ number, scene, step: "asking" });
    const exchange = await serve("/match", api_key, { ...player, game_id, game_context: scene.context });
    log(exchange);
    try {
      const ad = bodyOf<Ad>(exchange);
      if (ad === undefined) {
        update(number, { step: "no_match", reason: exchange.reason ?? "no_eligible_campaign" });
        return;
      }
      update(number, { step: "matched", ad });
      await readMoney();
    } catch (error) {
      fail(number, error);
    }
  };

  const recordImpression = useEffectEvent(async ({ number, ad }: Turn) => {
    if (ad === undefined) return;
    const { campaign_id, creative_id, match_id } = ad;
    const exchange = await serve("/impressions", api_key, { game_id, campaign_id, creative_id, match_id });
    log(exchange);
    try {
      update(number, { step: "billed", receipt: bodyOf<Receipt>(exchange) as Receipt });
      await readMoney();
    } catch (error) {
      fail(number, error);
    }
  });

  const [line, setLine] = useState<Element | null>(null);
  useEffect(() => {
    if (turn?.step !== "matched" || line === null) return;
    return whenSeen(line, SEEN_AFTER_MS, () => void recordImpression(turn));
  }, [turn, line]);

  const restart = () => {
    const player = newVisit();
    setVisit(player);
    setExchanges([]);
    void enter(FIRST_SCENE, player);
  };

  return { turn, exchanges, enter, restart, lineRef: setLine };
}
