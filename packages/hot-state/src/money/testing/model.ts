import type { CampaignStatus } from "@diegetic/contracts";
import type { ReleaseReason, ReleaseResult } from "../holds.ts";
import type { CommitRefusal, ReserveRefusal } from "../refusals.ts";

export interface ModelCreative {
  creativeId: string;
  maxUses: number;
  rotatesHooks: boolean;
}

export interface ModelMatch {
  matchId: string;
  campaignId: string;
  gameId: string;
  /** The account that the game belongs to. */
  developerId: string;
  sessionKey: string;
  creativeId: string;
  price: number;
  timesSeen: number;
  rotatesHooks: boolean;
  /** Its hold was taken for a millisecond. */
  isShort: boolean;
  /** Its hold's time is over. */
  due: boolean;
  state: "open" | "lapsed" | "charged" | "cancelled";
  /** By how much it was aged after it was taken. */
  agedMs: number;
}

export interface ModelCampaign {
  version: number;
  status: CampaignStatus;
  budget: number;
  ceiling: number | null;
  dailyCap: number | null;
  spent: number;
  held: number;
  daySpent: number;
  impressions: number;
  holdsTaken: number;
}

/** Up to this number, open holds of a developer account are not compared with what the campaign has left. */
export const UNSHARED_HOLDS = 100;

const LATE_IMPRESSION_MS = 86_400_000;
const MATCH_WITHOUT_ID_MS = 3_600_000;
/** For holds that are not due; due ones lapse at once. */
const HOLD_TTL_MS = 600_000;

type Reserved = { creativeId: string; timesSeen: number } | ReserveRefusal;
type Committed = { matchId: string } | CommitRefusal;

/** A plain model of an advertiser's wallet that the scripts are compared with. */
export class ModelWallet {
  deposited: number;
  spent = 0;
  held = 0;
  impressions = 0;
  readonly campaigns: Map<string, ModelCampaign>;
  /** In the order in which they were taken. */
  readonly matches: ModelMatch[] = [];
  readonly outbox = new Set<string>();
  readonly sessionReleases = new Set<string>();
  /** By session, then creative. */
  private readonly appearances = new Map<string, number>();
  private readonly served = new Map<string, number>();

  constructor(deposited: number, campaigns: Map<string, ModelCampaign>) {
    this.deposited = deposited;
    this.campaigns = campaigns;
  }

  campaign(campaignId: string): ModelCampaign {
    const campaign = this.campaigns.get(campaignId);
    if (campaign === undefined) throw new Error(`the model has no ${campaignId}`);
    return campaign;
  }

  reserve(
    match: Omit<ModelMatch, "creativeId" | "timesSeen" | "rotatesHooks" | "state" | "agedMs">,
    creatives: ModelCreative[],
  ): Reserved {
    const campaign = this.campaign(match.campaignId);
    if (campaign.status !== "active") return "not_active";
    const refusal = this.noRoom(campaign, match.price);
    if (refusal !== null) return refusal;
    if (this.exceedsShare(campaign, match)) return "developer_share";
    const count = ({ creativeId }: ModelCreative) => this.appearances.get(capName(match, creativeId)) ?? 0;
    const allowed = creatives.filter((creative) => count(creative) < creative.maxUses);
    const fewest = Math.min(...allowed.map(count));
    const equals = allowed.filter((creative) => count(creative) === fewest);
    const chosen = equals[campaign.holdsTaken % equals.length];
    if (chosen === undefined) return "creative_cap";
    const { creativeId, rotatesHooks } = chosen;
    const name = capName(match, creativeId);
    const timesSeen = this.served.get(name) ?? 0;
    campaign.holdsTaken += 1;
    this.appearances.set(name, fewest + 1);
    this.served.set(name, timesSeen + 1);
    this.held += match.price;
    campaign.held += match.price;
    const cancelled = this.matches.findIndex(({ matchId }) => matchId === match.matchId);
    if (cancelled >= 0) this.matches.splice(cancelled, 1);
    this.matches.push({ ...match, creativeId, timesSeen, rotatesHooks, state: "open", agedMs: 0 });
    return { creativeId, timesSeen };
  }

  /** The open holds of a campaign that are of a developer account, or of a game. */
  openHolds(campaignId: string, of: { developerId?: string; gameId?: string }): ModelMatch[] {
    return this.matches.filter(
      (match) =>
        match.state === "open" &&
        match.campaignId === campaignId &&
        match.developerId === (of.developerId ?? match.developerId) &&
        match.gameId === (of.gameId ?? match.gameId),
    );
  }

  /** Whether the lack of money would remain if all holds lapsed and there were no ceiling. */
  lacksForLong(campaignId: string, price: number, refusal: ReserveRefusal): boolean {
    const campaign = this.campaign(campaignId);
    if (refusal === "balance") return this.deposited - this.spent < price;
    if (refusal === "budget") return campaign.budget - campaign.spent < price;
    return (
      refusal === "daily_cap" && campaign.dailyCap !== null && campaign.daySpent + price > campaign.dailyCap
    );
  }

  commit(matchId: string): Committed {
    const match = this.matches.find((known) => known.matchId === matchId);
    if (match === undefined || match.state === "cancelled") return "no_match";
    if (match.state === "charged") return { matchId };
    return match.agedMs >= LATE_IMPRESSION_MS ? "no_match" : this.charge(match);
  }

  commitOldest(campaignId: string, gameId: string, creativeId: string): Committed {
    let refusal: CommitRefusal = "no_match";
    const oldestFirst = this.matches.toSorted((one, other) => other.agedMs - one.agedMs);
    for (const match of oldestFirst) {
      const unbilled = match.state === "open" || match.state === "lapsed";
      const fits =
        match.campaignId === campaignId && match.gameId === gameId && match.creativeId === creativeId;
      const isRecent = match.agedMs < MATCH_WITHOUT_ID_MS + (match.isShort ? 0 : HOLD_TTL_MS);
      if (!unbilled || !fits || !isRecent) continue;
      const result = this.charge(match);
      if (typeof result === "object") return result;
      if (refusal === "no_match") refusal = result;
    }
    return refusal;
  }

  /** As if it had been taken earlier; its hold lapses earlier too. */
  age(match: ModelMatch, ms: number): void {
    match.agedMs += ms;
    if (match.agedMs > HOLD_TTL_MS) match.due = true;
  }

  release(matchId: string, reason: ReleaseReason): ReleaseResult {
    const match = this.matches.find((known) => known.matchId === matchId);
    if (match === undefined) return "not_open";
    if (match.state === (reason === "lapsed" ? "lapsed" : "cancelled")) return "released";
    if (match.state !== "open") return "not_open";
    if (reason === "lapsed" && !match.due) return "not_due";
    this.unhold(match);
    const name = capName(match, match.creativeId);
    lower(this.appearances, name);
    if (reason === "lapsed") {
      match.state = "lapsed";
      this.sessionReleases.add(matchId);
    } else {
      match.state = "cancelled";
    }
    // The session may have seen the line of a lapsed match: a late impression shows it.
    if (reason === "cancelled" || !match.rotatesHooks) lower(this.served, name);
    return "released";
  }

  private charge(match: ModelMatch): Committed {
    const campaign = this.campaign(match.campaignId);
    if (match.state === "lapsed") {
      const refusal = this.noRoom(campaign, match.price);
      if (refusal !== null) return refusal;
    } else {
      if (campaign.spent + match.price > limit(campaign)) return "budget";
      if (campaign.dailyCap !== null && campaign.daySpent + match.price > campaign.dailyCap)
        return "daily_cap";
      this.unhold(match);
    }
    this.spent += match.price;
    this.impressions += 1;
    campaign.spent += match.price;
    campaign.daySpent += match.price;
    campaign.impressions += 1;
    match.state = "charged";
    return { matchId: match.matchId };
  }

  private exceedsShare(
    campaign: ModelCampaign,
    { campaignId, developerId, price }: Pick<ModelMatch, "campaignId" | "developerId" | "price">,
  ): boolean {
    const open = this.openHolds(campaignId, { developerId });
    if (open.length < UNSHARED_HOLDS) return false;
    const taken = open.reduce((sum, hold) => sum + hold.price, price);
    const left = [this.deposited - this.spent, limit(campaign) - campaign.spent];
    if (campaign.dailyCap !== null) left.push(campaign.dailyCap - campaign.daySpent);
    return left.some((amount) => taken > amount / 2);
  }

  private unhold(match: ModelMatch): void {
    this.held -= match.price;
    this.campaign(match.campaignId).held -= match.price;
  }

  private noRoom(campaign: ModelCampaign, price: number): "balance" | "budget" | "daily_cap" | null {
    if (this.deposited - this.spent - this.held < price) return "balance";
    if (limit(campaign) - campaign.spent - campaign.held < price) return "budget";
    const { dailyCap, daySpent, held } = campaign;
    return dailyCap !== null && daySpent + held + price > dailyCap ? "daily_cap" : null;
  }
}

function limit({ budget, ceiling }: ModelCampaign): number {
  return ceiling === null ? budget : Math.min(budget, ceiling);
}

function capName({ gameId, sessionKey }: { gameId: string; sessionKey: string }, creativeId: string): string {
  return JSON.stringify([gameId, sessionKey, creativeId]);
}

function lower(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) - 1);
}
