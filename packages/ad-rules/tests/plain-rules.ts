import type { Affinity, BlocklistRule, Campaign, GeoTarget } from "../src/types/campaign.ts";
import type { GameContext, MatchScene, PlayerGeo } from "../src/types/request.ts";
import { cityName, hasPhrase, same, sames } from "./plain-texts.ts";

/** Reference implementation of rules 1 to 7 and affinities (docs/behaviour.md#matching), without compilation. */

const dayMs = 24 * 60 * 60 * 1000;

/** Days from 1970-01-01 to a day of the Gregorian calendar. */
function daysSince1970(year: number, month: number, day: number): number {
  let days = 0;
  const isLeap = (one: number) => (one % 4 === 0 && one % 100 !== 0) || one % 400 === 0;
  for (let one = 1970; one < year; one += 1) days += isLeap(one) ? 366 : 365;
  const lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  for (let one = 1; one < month; one += 1) days += lengths[one - 1] ?? 0;
  return days + day - 1;
}

/** First and last millisecond of a date; null: unreadable. */
function spanOf(text: string): [firstMs: number, lastMs: number] | null {
  const day = /^(\d\d\d\d)-(\d\d)-(\d\d)/.exec(text);
  if (day === null) return null;
  const [year = 0, month = 0, date = 0] = day.slice(1).map(Number);
  const midnightMs = daysSince1970(year, month, date) * dayMs;
  const rest = text.slice(10);
  if (rest === "") return [midnightMs, midnightMs + dayMs - 1];
  const time = /^T(\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(Z|[+-]\d\d:?\d\d|)$/.exec(rest);
  if (time === null) return null;
  const [, hours = "", minutes = "", seconds = "0", fraction = "0", zone = "Z"] = time;
  const sign = zone.startsWith("-") ? -1 : 1;
  const offset = zone === "Z" || zone === "" ? "0000" : zone.slice(1).replace(":", "");
  const offsetMinutes = sign * (Number(offset.slice(0, 2)) * 60 + Number(offset.slice(2)));
  const minute = Number(hours) * 60 + Number(minutes) - offsetMinutes;
  const ms = midnightMs + minute * 60_000 + Number(seconds) * 1000 + Math.floor(Number(fraction) * 1000);
  return [ms, ms];
}

function isRunning({ status, start_date, end_date }: Campaign, nowMs: number): boolean {
  const start = start_date === null ? [Number.NEGATIVE_INFINITY, 0] : spanOf(start_date);
  const end = end_date === null ? [0, Number.POSITIVE_INFINITY] : spanOf(end_date);
  if (start === null || end === null) return false;
  return status === "active" && (start[0] ?? 0) <= nowMs && nowMs <= (end[1] ?? 0);
}

function isAccepted(campaign: Campaign, { placement }: MatchScene): boolean {
  const affine = campaign.affinities.filter((one) => one.affinity_type === "category");
  const own = sames([...campaign.target_categories, ...affine.map((one) => one.affinity_value)]);
  const blocked = sames(placement.blocked_categories);
  return (
    placement.is_active &&
    !sames(placement.blocked_advertisers).includes(same(campaign.advertiser_id)) &&
    !own.some((category) => blocked.includes(category))
  );
}

/** Uses the angle between the two directions from the Earth's centre. */
function kilometresBetween(from: { lat: number; lng: number }, to: { lat: number; lng: number }): number {
  const direction = ({ lat, lng }: { lat: number; lng: number }): [number, number, number] => {
    const [phi, lambda] = [(lat / 180) * Math.PI, (lng / 180) * Math.PI];
    return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
  };
  const [a, b] = [direction(from), direction(to)];
  const across = Math.hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
  return 6371.0088 * Math.atan2(across, a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
}

/** One millimetre, so that rounding errors of sine and cosine decide nothing. */
const edgeKm = 1e-6;

/** Null: a field that its type requires is missing. */
function isIn(target: GeoTarget, geo: PlayerGeo | null | undefined): boolean | null {
  const { target_type: type, lat, lng, radius_km } = target;
  if (type === "radius") {
    if (lat === null || lng === null || radius_km === null) return null;
    if (typeof geo?.lat !== "number" || typeof geo.lng !== "number") return false;
    return kilometresBetween({ lat, lng }, { lat: geo.lat, lng: geo.lng }) <= radius_km + edgeKm;
  }
  const [country, state] = [same(target.country_code ?? ""), same(target.state_code ?? "")];
  const city = cityName(target.city_name);
  if (country === "" || (type === "state" && state === "") || (type === "city" && city === "")) return null;
  if (same(geo?.country_code ?? "") !== country) return false;
  if (type === "country") return true;
  const isInState = same(geo?.state_code ?? "") === state;
  if (type === "state") return isInState;
  return cityName(geo?.city_name) === city && (state === "" || isInState);
}

/** An unreadable exclude excludes every player. */
function isInPlace({ geo_targets }: Campaign, { geo }: MatchScene): boolean {
  const includes = geo_targets.filter((target) => target.include);
  const excludes = geo_targets.filter((target) => !target.include);
  if (excludes.some((target) => isIn(target, geo) !== false)) return false;
  return includes.length === 0 || includes.some((target) => isIn(target, geo) === true);
}

/** Theme, category, location, moods and actions. */
function namesOf(context: GameContext): string[] {
  const { theme_id, category, location, mood_tags, actions } = context;
  return sames([theme_id, category, location, ...(mood_tags ?? []), ...(actions ?? [])]);
}

function isBlocked({ rule_type, value }: BlocklistRule, { context, placement }: MatchScene): boolean {
  switch (rule_type) {
    case "keyword":
      return [context.narrative, ...namesOf(context)].some((text) => hasPhrase(text, value));
    case "theme":
      return sames([context.theme_id]).includes(same(value));
    case "category":
      return sames([context.category]).includes(same(value));
    case "action":
      return sames(context.actions).includes(same(value));
    case "game_id":
      return value === placement.game_id;
  }
}

/** Rules 1 to 7. */
export function isCandidate(campaign: Campaign, scene: MatchScene): boolean {
  const { context, placement, nowMs } = scene;
  const { target_categories, target_tags } = campaign;
  const names = namesOf(context);
  const categories = sames(target_categories);
  return (
    isRunning(campaign, nowMs) &&
    isAccepted(campaign, scene) &&
    campaign.creatives.some((one) => placement.placement_types.includes(one.creative_type)) &&
    isInPlace(campaign, scene) &&
    !campaign.blocklist.some((rule) => isBlocked(rule, scene)) &&
    (categories.length === 0 || categories.includes(same(context.category ?? ""))) &&
    (target_tags.length === 0 ||
      target_tags.some((tag) => names.includes(same(tag)) || hasPhrase(context.narrative, tag)))
  );
}

/** The share of the weight that an affinity adds. */
export function shareOf({ affinity_type, affinity_value }: Affinity, context: GameContext): 0 | 0.5 | 1 {
  const fields = {
    action: context.actions,
    location: [context.location],
    theme: [context.theme_id],
    mood: context.mood_tags,
    category: [context.category],
    lighting: [],
    effects: [],
    camera: [],
  };
  if (sames(fields[affinity_type]).includes(same(affinity_value))) return 1;
  if (affinity_type === "category" || !hasPhrase(context.narrative, affinity_value)) return 0;
  return ["lighting", "effects", "camera"].includes(affinity_type) ? 1 : 0.5;
}
