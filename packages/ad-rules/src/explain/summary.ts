import type { Cents } from "@diegetic/money";
import type { Check } from "../rules/rule.ts";

interface Outcome {
  wouldServe: boolean;
  checks: readonly Check[];
  rank: number;
  winningRank: number | null;
  bidToWinCents: Cents | null;
}

/** One sentence: why a campaign would or would not serve. */
export function summaryOf({ wouldServe, checks, rank, winningRank, bidToWinCents }: Outcome): string {
  const best = `the best other rank of ${winningRank}`;
  if (wouldServe) {
    return winningRank === null
      ? "The campaign would serve: every check passes, and there is no other candidate."
      : `The campaign would serve: every check passes, and its rank of ${rank} is within 1 % of the highest, with ${best}.`;
  }
  const failed = checks.filter((one) => !one.passed).map((one) => one.rule);
  if (failed.length > 0) {
    const verb = failed.length === 1 ? "check fails" : "checks fail";
    const within = winningRank === null ? "" : ", which would rank within 1 % of the highest";
    const advice =
      bidToWinCents === null ? "" : `; its money covers a bid of ${bidToWinCents} cents${within}`;
    return `The campaign would not serve, because ${failed.length} ${verb}: ${failed.join(", ")}${advice}.`;
  }
  const advice =
    bidToWinCents === null
      ? ", and no allowed bid that its money covers would be enough"
      : `; a bid of ${bidToWinCents} cents would rank within 1 % of the highest`;
  return `The campaign would not serve, because its rank of ${rank} is more than 1 % below ${best}${advice}.`;
}
