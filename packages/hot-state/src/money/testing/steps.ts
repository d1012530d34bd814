import { newId } from "@diegetic/contracts";
import type { RedisConnection } from "../../connection.ts";
import { walletKeys } from "../../keys.ts";
import type { CarriedMatch, CommitResult } from "../commit.ts";
import { holdOf } from "../holds.ts";
import type { RefusalLasts, ReserveRefusal } from "../refusals.ts";
import type { ReserveResult } from "../reserve.ts";
import type { MoneyCommands } from "../types.ts";
import type { ModelMatch, ModelWallet } from "./model.ts";
import { pick, same } from "./recovery-steps.ts";
import { asReplay, SESSION_IDLE_MS, type TestWallet } from "./wallet.ts";

/** One step of a history. Numbers select among the existing items. */
export type Step =
  /** A session below 0 is a new one. */
  | {
      kind: "reserve";
      campaign: number;
      game: number;
      session: number;
      price: number;
      due: boolean;
      /** Its id carries it. */
      carried: boolean;
      /** Cancelled at once, and held anew. */
      again: boolean;
    }
  | { kind: "commit"; match: number }
  | { kind: "commit oldest"; campaign: number; game: number; creative: number }
  | { kind: "release"; match: number; lapsed: boolean }
  /** Time passes for one unbilled match. */
  | { kind: "age"; match: number; minutes: number }
  | { kind: "deposit"; amount: number }
  | { kind: "campaign"; campaign: number; paused: boolean; budget: number; dailyCap: number | null }
  | { kind: "ceiling"; campaign: number; ceiling: number }
  | { kind: "outdated"; campaign: number }
  | { kind: "new day" }
  | { kind: "ack" };

export const GAMES = ["plain", "a|b:{c} 100% 🎮", "third"];
/** By game: the first and the third have the same developer. */
const DEVELOPERS = ["acct_a", "acct_b", "acct_a"];
export const CREATIVES = ["crt_of_the_model_a", "crt_of_the_model_b", "crt_of_the_model_c"];
const MAX_USES = [1, 2, 4];
/** An hour without its id, and the margin: an older lapsed match is billed only by its id. */
export const FORGOTTEN_AFTER_MS = 70 * 60_000;
const MAX_AGED_MS = 86_400_000;

/** A request for a creative, or a match, that does not exist, but that a wallet finds by the same parts of its id. */
function forgeryOf<Request extends { creativeId: string; matchId: string | null }>(
  request: Request,
): Request {
  const { creativeId, matchId } = request;
  if (matchId === null) return { ...request, creativeId: `crt_forged-${creativeId.slice(-12)}` };
  return { ...request, matchId: `${matchId.slice(0, 10)}zzzzzz${matchId.slice(16)}`, carried: null };
}

function given<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Error("there is nothing to choose from");
  return item;
}

/** Takes each step in the model and twice in Redis, and compares the replies. */
export class Rehearsal {
  readonly wallet: TestWallet;
  readonly model: ModelWallet;
  private readonly money: MoneyCommands;
  private readonly redis: RedisConnection;
  private accountVersion = 1;
  /** Facts carried by match ids. */
  private readonly carried = new Map<string, Omit<CarriedMatch, "facts">>();
  /** Matches whose facts are only in their ids. */
  private readonly forgotten = new Set<string>();

  constructor(wallet: TestWallet, model: ModelWallet) {
    this.wallet = wallet;
    this.model = model;
    this.money = wallet.money;
    this.redis = wallet.redis;
  }

  private get campaignIds(): string[] {
    return [...this.model.campaigns.keys()];
  }

  private campaignId(index: number): string {
    return given(pick(this.campaignIds, index));
  }

  private facts(
    match: Pick<ModelMatch, "matchId" | "campaignId" | "gameId" | "developerId" | "sessionKey" | "price">,
  ) {
    return this.wallet.match({
      match_id: match.matchId,
      campaign_id: match.campaignId,
      game_id: match.gameId,
      developer_account_id: match.developerId,
      session_key: match.sessionKey,
      price_millicents: match.price,
    });
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case "reserve":
        return this.reserve(step);
      case "commit":
      case "commit oldest":
        return this.commit(step);
      case "release":
        return this.release(step);
      case "age":
        return this.age(step);
      case "new day":
        return this.beginDay();
      case "ack":
        await this.money.ackOutbox(this.wallet.advertiserId, [...this.model.outbox]);
        this.model.outbox.clear();
        return;
      default:
        return this.manage(step);
    }
  }

  private async reserve(step: Step & { kind: "reserve" }): Promise<void> {
    const match = {
      matchId: newId("mat"),
      campaignId: this.campaignId(step.campaign),
      gameId: given(pick(GAMES, step.game)),
      developerId: given(pick(DEVELOPERS, step.game)),
      sessionKey: step.session < 0 ? newId("key") : `session_${step.session}`,
      price: step.price,
      isShort: step.due,
      due: step.due,
    };
    const creatives = CREATIVES.map((creativeId, i) => ({
      creativeId,
      maxUses: MAX_USES[i] ?? 0,
      rotatesHooks: i > 0,
    }));
    const request = {
      match: this.facts(match),
      campaignVersion: this.model.campaign(match.campaignId).version,
      holdTtlMs: step.due ? 1 : 600_000,
      sessionStartedMs: null,
      sessionIdleMs: SESSION_IDLE_MS,
      isCarried: step.carried,
      creatives,
    };
    if (step.again && typeof this.model.reserve(match, creatives) === "object") {
      await this.money.reserve(request);
      const cancelled = this.model.release(match.matchId, "cancelled");
      same(step, await this.money.release(holdOf(request.match), "cancelled"), cancelled);
    }
    const result = await this.money.reserve(request);
    const again = await this.money.reserve(request);
    if (result.outcome === "refused" && again.outcome === "refused") {
      same(step, { ...again, lasts: null }, { ...result, lasts: null });
      const isLong = this.model.lacksForLong(match.campaignId, match.price, result.reason);
      same(step, this.kindOf(result.lasts), isLong ? result.reason : null);
    } else same(step, again, result);
    const brief = (held: ReserveResult) =>
      held.outcome === "held" ? { creativeId: held.creativeId, timesSeen: held.timesSeen } : held.reason;
    same(step, brief(result), this.model.reserve(match, creatives));
    if (result.outcome !== "held") return;
    const heldAtMs = result.lapsesAtMs - request.holdTtlMs;
    if (step.carried) this.carried.set(match.matchId, { heldAtMs, validFromEpoch: result.validFromEpoch });
  }

  /** The lack of money that `lasts` describes. */
  private kindOf(lasts: RefusalLasts): ReserveRefusal | null {
    if (lasts === null) return null;
    if (lasts === "version") return "budget";
    if (typeof lasts === "number") return "daily_cap";
    return lasts.accountVersion === this.accountVersion ? "balance" : null;
  }

  private async commit(step: Step & { kind: "commit" | "commit oldest" }): Promise<void> {
    const known = step.kind === "commit" ? pick(this.model.matches, step.match) : undefined;
    if (step.kind === "commit" && known === undefined) return;
    const target =
      step.kind === "commit"
        ? given(known)
        : {
            campaignId: this.campaignId(step.campaign),
            gameId: given(pick(GAMES, step.game)),
            creativeId: given(pick(CREATIVES, step.creative)),
          };
    const { campaignId, gameId, creativeId } = target;
    const request = {
      campaignId,
      gameId,
      creativeId,
      operationId: known === undefined ? newId("op") : "",
      matchId: known?.matchId ?? null,
      carried: known === undefined ? null : this.carriedBy(known),
    };
    const refused = await this.wallet.commit(forgeryOf(request));
    same(step, refused, { outcome: "refused", reason: "no_match" });
    const wasCharged = known?.state === "charged";
    const result = await this.wallet.commit(request);
    const again = await this.wallet.commit(request);
    same(step, again, asReplay(result));
    const brief = (charged: CommitResult) =>
      charged.outcome === "charged" ? { matchId: charged.record.match.match_id } : charged.reason;
    const expected = known
      ? this.model.commit(known.matchId)
      : this.model.commitOldest(campaignId, gameId, creativeId);
    same(step, brief(result), expected);
    if (result.outcome !== "charged") return;
    same(step, result.replay, wasCharged);
    if (!wasCharged) this.model.outbox.add(result.record.impression_id);
  }

  private async release(step: Step & { kind: "release" }): Promise<void> {
    const match = pick(this.model.matches, step.match);
    if (match === undefined || this.forgotten.has(match.matchId)) return;
    const hold = holdOf(this.facts(match));
    const reason = step.lapsed ? "lapsed" : "cancelled";
    let result = await this.money.release(hold, reason);
    // A hold of one millisecond is over in the next one.
    while (result === "not_due" && match.due) result = await this.money.release(hold, reason);
    same(step, await this.money.release(hold, reason), result);
    same(step, result, this.model.release(match.matchId, reason));
    if (this.isForgotten(match)) await this.forget(match);
  }

  private async age({ match: index, minutes }: Step & { kind: "age" }): Promise<void> {
    const match = pick(this.model.matches, index);
    if (match === undefined || (match.state !== "open" && match.state !== "lapsed")) return;
    if (this.forgotten.has(match.matchId)) return;
    const ms = minutes * 60_000;
    // An older entry may have been removed.
    if (match.agedMs + ms > MAX_AGED_MS) return;
    await this.wallet.age(this.facts(match), ms);
    this.model.age(match, ms);
    if (this.isForgotten(match)) await this.forget(match);
  }

  private isForgotten(match: ModelMatch): boolean {
    const { state, agedMs } = match;
    return state === "lapsed" && agedMs > FORGOTTEN_AFTER_MS && this.isCarried(match);
  }

  /** As `reserve` does: from now on the match is only in its id. */
  private async forget({ matchId, campaignId, gameId }: ModelMatch): Promise<void> {
    this.forgotten.add(matchId);
    const { advertiserId } = this.wallet;
    await this.redis.hdel(walletKeys.matches(advertiserId, campaignId, gameId), matchId);
    await this.redis.zrem(walletKeys.history(advertiserId, campaignId, gameId), matchId);
    const pending = walletKeys.pending(advertiserId, campaignId, gameId);
    const members = (await this.redis.zrange(pending, "0", "-1")).filter((one) =>
      one.endsWith(matchId.slice(-26)),
    );
    if (members.length > 0) await this.redis.zrem(pending, ...members);
  }

  /** Whether the match's id carries it. */
  isCarried({ matchId }: ModelMatch): boolean {
    return this.carried.has(matchId);
  }

  private carriedBy(match: ModelMatch): CarriedMatch | null {
    const carried = this.carried.get(match.matchId);
    if (carried === undefined) return null;
    return { facts: this.facts(match), ...carried, heldAtMs: carried.heldAtMs - match.agedMs };
  }

  private async manage(
    step: Step & { kind: "deposit" | "campaign" | "ceiling" | "outdated" },
  ): Promise<void> {
    const { model, wallet } = this;
    const { advertiserId } = wallet;
    if (step.kind === "deposit") {
      model.deposited += step.amount;
      this.accountVersion += 1;
      const account = {
        advertiserId,
        version: this.accountVersion,
        depositedMillicents: model.deposited,
      };
      same(step, await this.money.applyAccount(account), "applied");
      same(step, await this.money.applyAccount(account), "applied");
      const outdated = { ...account, version: this.accountVersion - 1, depositedMillicents: 0 };
      return same(step, await this.money.applyAccount(outdated), "older");
    }
    const campaignId = this.campaignId(step.campaign);
    const campaign = model.campaign(campaignId);
    if (step.kind === "ceiling") {
      const result = await this.money.setBudgetCeiling(advertiserId, campaignId, step.ceiling);
      const fits = step.ceiling >= campaign.spent;
      same(step, result, fits ? { outcome: "ok" } : { outcome: "spent", spentMillicents: campaign.spent });
      if (fits) campaign.ceiling = step.ceiling;
      return;
    }
    if (step.kind === "outdated") {
      const version = campaign.version - 1;
      const outdated = wallet.campaign({ campaignId, version, status: "draft", budgetMillicents: 1 });
      return same(step, await this.money.applyCampaign(outdated), "older");
    }
    campaign.version += 1;
    campaign.status = step.paused ? "paused" : "active";
    campaign.budget = Math.max(step.budget, campaign.spent);
    campaign.dailyCap = step.dailyCap;
    campaign.ceiling = null;
    const applied = wallet.campaign({
      campaignId,
      version: campaign.version,
      status: campaign.status,
      budgetMillicents: campaign.budget,
      dailyCapMillicents: campaign.dailyCap,
    });
    same(step, await this.money.applyCampaign(applied), "applied");
    same(step, await this.money.applyCampaign(applied), "applied");
  }

  /** As if what was spent today had been spent on an earlier day. */
  private async beginDay(): Promise<void> {
    for (const campaignId of this.campaignIds) {
      await this.redis.hset(walletKeys.campaign(this.wallet.advertiserId, campaignId), "day", "2001-02-03");
      this.model.campaign(campaignId).daySpent = 0;
    }
  }
}
