import type { PreparedRequest } from "../candidates/prepared-request.ts";
import { lowestTie } from "../ranking/rank.ts";
import type { Found, Matcher } from "./matcher.ts";
import { Scan, type ScanOptions } from "./scan.ts";

/** So many slots are tried at random before all ties are looked at after all. */
const mostTrials = 2048;

/** Where the draws get their numbers from: each at least 0 and below 1. */
export type Random = () => number;

/** In descending order of rank, equal ones by id: so that equal worlds are drawn from equally. */
export function byRank(left: Found, right: Found): number {
  return right.rank - left.rank || (left.campaign.campaign_id < right.campaign.campaign_id ? -1 : 1);
}

/**
 * Draws up to `limit` of the campaigns, one after the other without putting back: each among those within 1 % of the
 * highest rank left, with weight priority + 1, as `drawWinner` would. Takes them out of `found`, which must be in order
 * of rank.
 */
export function drawAll(found: Found[], limit: number, random: Random, drawn: Found[] = []): Found[] {
  while (drawn.length < limit && found[0] !== undefined) {
    const lowestRank = lowestTie(found[0].rank);
    let totalWeight = 0;
    let ties = 0;
    for (; ties < found.length && (found[ties]?.rank ?? 0) >= lowestRank; ties += 1) {
      totalWeight += weightOf(found[ties]);
    }
    let left = random() * totalWeight;
    let place = 0;
    for (; place < ties - 1; place += 1) {
      left -= weightOf(found[place]);
      if (left < 0) break;
    }
    drawn.push(...found.splice(place, 1));
  }
  return drawn;
}

/**
 * The same when very many tie, without looking at all of them: slots are taken at random, and one that is not among the
 * ties, or that loses against its weight, is put back. Each tie is then drawn with a chance in proportion to its weight,
 * whatever else there is. Should that take too long, all ties are collected, which changes no one's chance.
 */
export function drawSampled(
  matcher: Matcher,
  request: PreparedRequest,
  scan: Scan,
  options: ScanOptions,
  random: Random,
): Found[] {
  const drawn: Found[] = [];
  while (drawn.length < options.limit) {
    const one = sampleOne(matcher, request, scan, options, random, drawn);
    if (one === null) {
      const all = new Scan(matcher, request, options).run(false).found;
      const rest = all.filter(({ slot }) => drawn.every((other) => other.slot !== slot));
      return drawAll(rest.sort(byRank), options.limit, random, drawn);
    }
    drawn.push(one);
    scan.top.remove(one.rank);
  }
  return drawn;
}

function sampleOne(
  matcher: Matcher,
  request: PreparedRequest,
  { end, top }: Scan,
  { skip }: ScanOptions,
  random: Random,
  drawn: readonly Found[],
): Found | null {
  const { slots, filter } = matcher;
  const heaviest = matcher.highestPriority + 1;
  const lowestRank = lowestTie(top.highest);
  for (let trial = 0; trial < mostTrials; trial += 1) {
    const ticket = Math.floor(random() * end * 32 * heaviest);
    const place = Math.floor(ticket / heaviest);
    const slot = (slots.order[place >>> 5] ?? 0) * 32 + (place & 31);
    if ((filter.word(slot >>> 5) & (1 << (slot & 31))) === 0) continue;
    const found = matcher.judge(slot, request, lowestRank);
    if (found === null || ticket % heaviest >= weightOf(found)) continue;
    if (skip?.(found.campaign) || drawn.some((other) => other.slot === slot)) continue;
    return found;
  }
  return null;
}

function weightOf(found: Found | undefined): number {
  return found === undefined ? 0 : found.campaign.priority + 1;
}
