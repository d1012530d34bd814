import { chargedCents, type Millicents } from "@diegetic/money";
import { comparable } from "../text/equality.ts";
import type { GeoTarget } from "../types/campaign.ts";
import type { PlayerGeo } from "../types/request.ts";
import { greatCircleKm, pointOf } from "./great-circle.ts";

const MAX_LISTED = 5;

/** The first texts, quoted and joined by commas. */
export function quoted(texts: readonly string[]): string {
  return listed(texts.map((text) => JSON.stringify(text)));
}

/** As `quoted`, without blank texts and without those that equal an earlier one. */
export function quotedOnce(texts: readonly string[] | null | undefined): string {
  const first = new Map<string, string>();
  for (const text of texts ?? []) {
    const form = comparable(text);
    if (form !== "" && !first.has(form)) first.set(form, text);
  }
  return quoted([...first.values()]);
}

/** The first texts, joined by commas. */
export function listed(texts: readonly string[]): string {
  return joined(texts, ", ", (text) => text);
}

/** As `listed`, for items whose words contain commas. `wordsOf` is called for those that are listed alone. */
export function listedApart<Item>(items: readonly Item[], wordsOf: (item: Item) => string): string {
  return joined(items, "; ", wordsOf);
}

function joined<Item>(items: readonly Item[], separator: string, wordsOf: (item: Item) => string): string {
  const more = items.length - MAX_LISTED;
  return items.slice(0, MAX_LISTED).map(wordsOf).join(separator) + (more > 0 ? ` and ${more} more` : "");
}

/** An exact amount such as "1.5 cents". A negative amount, such as of a budget lowered below open holds, becomes 0. */
export function inCents(amount: Millicents): string {
  const cents = chargedCents(Math.max(0, amount));
  return cents === 1 ? "1 cent" : `${cents} cents`;
}

/**
 * Names a target for the advertiser; for a circle, adds the player's distance when it is known, rounded so that it agrees
 * with `isInside`.
 */
export function placeName(
  target: GeoTarget,
  player: PlayerGeo | null | undefined,
  isInside: boolean,
): string {
  const { target_type: type, country_code, state_code, city_name, lat, lng, radius_km } = target;
  if (type === "country") return `country ${country_code ?? "?"}`;
  if (type === "state") return `state ${state_code ?? "?"} of ${country_code ?? "?"}`;
  if (type === "city") {
    const state = state_code === null ? "" : `${state_code}, `;
    return `city ${JSON.stringify(city_name)} of ${state}${country_code ?? "?"}`;
  }
  const circle = `within ${radius_km} km of ${lat}, ${lng}`;
  const point = pointOf(player);
  if (lat === null || lng === null || point === null) return circle;
  const distanceKm = greatCircleKm({ lat, lng }, point);
  const metres = isInside ? Math.floor(distanceKm * 1000) : Math.ceil(distanceKm * 1000);
  return `${circle} (the player is ${metres / 1000} km away)`;
}

/** Describes `player_geo`. */
export function playerName(player: PlayerGeo | null | undefined): string {
  const point = pointOf(player);
  const known = [
    player?.country_code && `country ${player.country_code}`,
    player?.state_code && `state ${player.state_code}`,
    player?.city_name && `city ${JSON.stringify(player.city_name)}`,
    point && `lat ${point.lat}, lng ${point.lng}`,
  ].filter((part) => typeof part === "string" && part !== "");
  return known.length === 0
    ? "The player's place is not given."
    : `The player's place is given as ${known.join(", ")}.`;
}
