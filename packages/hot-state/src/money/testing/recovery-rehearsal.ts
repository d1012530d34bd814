import { newId } from "@diegetic/contracts";
import { TEST_CLAIM } from "@diegetic/testing/open-wallet";
import type { RedisConnection } from "../../connection.ts";
import { walletKeys } from "../../keys.ts";
import { holdOf } from "../holds.ts";
import type { FrozenWallet, RestoredCampaign, Settlement, UnfrozenWallet } from "../recovery-types.ts";
import type { MoneyCommands } from "../types.ts";
import { type Charge, type Match, PLENTY, PRICE, pick, type RecoveryStep, same } from "./recovery-steps.ts";
import { TestWallet, today } from "./wallet.ts";

/** Takes each step in Redis and in a plain model of `freeze_wallet`, `restore_wallet` and `settle`, and compares the results. */
export class RecoveryRehearsal {
  readonly wallet: TestWallet;
  readonly campaignIds: readonly string[];
  /** Units of PRICE, by campaign. */
  readonly spent = [0, 0];
  readonly held = [0, 0];
  readonly impressions = [0, 0];
  readonly today = [0, 0];
  private epoch = 0;
  private readonly matches: Match[] = [];
  private readonly charges: Charge[] = [];
  private readonly settlements: Settlement[] = [];
  /** The marks of the wallet, by impression id, with a leading `-` for reversals: a repetition gets the reply of its mark. */
  private settled = new Map<string, "settled" | "known">();
  private readonly money: MoneyCommands;
  private readonly redis: RedisConnection;

  private constructor(wallet: TestWallet, campaignIds: readonly string[]) {
    this.wallet = wallet;
    this.campaignIds = campaignIds;
    this.money = wallet.money;
    this.redis = wallet.redis;
  }

  static async open(money: MoneyCommands, redis: RedisConnection): Promise<RecoveryRehearsal> {
    const wallet = await TestWallet.open(money, redis, {
      depositedMillicents: PLENTY,
      budgetMillicents: PLENTY,
    });
    const other = newId("camp");
    await money.applyCampaign(wallet.campaign({ campaignId: other, budgetMillicents: PLENTY }));
    return new RecoveryRehearsal(wallet, [wallet.campaignId, other]);
  }

  async take(step: RecoveryStep): Promise<void> {
    switch (step.kind) {
      case "hold":
        return this.hold(step.campaign);
      case "charge":
        return this.charge(pick(this.matches, step.match));
      case "cancel":
        return this.cancel(pick(this.matches, step.match));
      case "late":
        return this.late(step);
      case "reversed":
        return this.reverse(pick(this.charges, step.charge));
      case "again":
        return this.again(pick(this.settlements, step.settlement));
      case "restart":
        return this.restart(step);
      case "other epoch":
        return this.meetOtherEpoch();
    }
  }

  /** The sums of the model, which `readAccount` and `readCampaign` must return. */
  expected() {
    const sum = (list: readonly number[]) => list.reduce((total, count) => total + count, 0);
    const brief = (spent: number, held: number, impressions: number) => ({
      spentMillicents: spent * PRICE,
      heldMillicents: held * PRICE,
      impressions,
    });
    return {
      account: { ...brief(sum(this.spent), sum(this.held), sum(this.impressions)), epoch: this.epoch },
      campaigns: this.campaignIds.map((_, index) => ({
        ...brief(this.spent[index] ?? 0, this.held[index] ?? 0, this.impressions[index] ?? 0),
        daySpentMillicents: (this.today[index] ?? 0) * PRICE,
        open: this.held[index] ?? 0,
      })),
      holds: this.matches.filter(({ state }) => state === "open").map(({ facts }) => facts.match_id),
    };
  }

  private idOf(campaign: number): string {
    return this.campaignIds[campaign] ?? "";
  }

  private move(campaign: number, sign: 1 | -1): void {
    for (const list of [this.spent, this.impressions, this.today])
      list[campaign] = (list[campaign] ?? 0) + sign;
  }

  private unhold(match: Match): void {
    this.held[match.campaign] = (this.held[match.campaign] ?? 0) - 1;
  }

  private async hold(campaign: number): Promise<void> {
    const facts = await this.wallet.hold({ campaign_id: this.idOf(campaign) });
    this.matches.push({ facts, campaign, state: "open", impressionId: null });
    this.held[campaign] = (this.held[campaign] ?? 0) + 1;
  }

  private async charge(match: Match | undefined): Promise<void> {
    if (match === undefined) return;
    const impressionId = match.facts.match_id.replace("mat_", "imp_");
    const result = await this.wallet.commit({
      campaignId: this.idOf(match.campaign),
      matchId: match.facts.match_id,
    });
    if (match.state === "cancelled" || match.state === "void") {
      return same(match.state, result, { outcome: "refused", reason: "no_match" });
    }
    const first = match.impressionId ?? impressionId;
    const got = result.outcome === "charged" && { id: result.record.impression_id, replay: result.replay };
    same(match.state, got, { id: first, replay: match.state === "charged" });
    if (match.state === "charged") return;
    this.unhold(match);
    this.move(match.campaign, 1);
    Object.assign(match, { state: "charged", impressionId });
    const { campaign, facts } = match;
    this.charges.push({ impressionId, matchId: facts.match_id, campaign, epoch: this.epoch });
  }

  private async cancel(match: Match | undefined): Promise<void> {
    if (match === undefined || match.state === "void") return;
    const result = await this.money.release(holdOf(match.facts), "cancelled");
    same(match.state, result, match.state === "charged" ? "not_open" : "released");
    if (match.state !== "open") return;
    this.unhold(match);
    match.state = "cancelled";
  }

  private async late(step: RecoveryStep & { kind: "late" }): Promise<void> {
    const match = step.match === null ? undefined : pick(this.matches, step.match);
    const campaign = match?.campaign ?? step.campaign;
    const settlement: Settlement = {
      epoch: this.epoch + (step.stale ? 1 : 0),
      kind: "late",
      impressionId: match?.facts.match_id.replace("mat_", "imp_") ?? newId("imp"),
      matchId: match?.facts.match_id ?? newId("mat"),
      walletId: this.wallet.advertiserId,
      campaignId: this.idOf(campaign),
      gameId: this.wallet.gameId,
      priceMillicents: PRICE,
      day: today(),
      committedInEpoch: match?.state === "void" ? 0 : Math.max(0, this.epoch - 1),
    };
    const result = await this.money.settle(settlement);
    if (step.stale) return same(step, result, "stale");
    this.settlements.push(settlement);
    const earlier = this.settled.get(settlement.impressionId);
    const answer = earlier ?? (match?.state === "charged" ? "known" : "settled");
    same(step, result, answer);
    this.settled.set(settlement.impressionId, answer);
    if (earlier !== undefined || answer === "known") return;
    this.move(campaign, 1);
    const { impressionId, matchId } = settlement;
    this.charges.push({ impressionId, matchId, campaign, epoch: settlement.committedInEpoch });
    if (match?.state !== "open") return;
    this.unhold(match);
    Object.assign(match, { state: "charged", impressionId });
  }

  private async reverse(charge: Charge | undefined): Promise<void> {
    if (charge === undefined) return;
    // Postgres quarantines a charge once: the reversal may be repeated, but only in the same epoch.
    charge.reversedIn ??= this.epoch;
    if (charge.reversedIn !== this.epoch) return;
    const settlement: Settlement = {
      epoch: this.epoch,
      kind: "reversed",
      impressionId: charge.impressionId,
      matchId: charge.matchId,
      walletId: this.wallet.advertiserId,
      campaignId: this.idOf(charge.campaign),
      gameId: this.wallet.gameId,
      priceMillicents: PRICE,
      day: today(),
      committedInEpoch: charge.epoch,
    };
    this.settlements.push(settlement);
    same(settlement, await this.money.settle(settlement), this.settleReversal(settlement));
  }

  private settleReversal({ impressionId, campaignId, committedInEpoch }: Settlement): "settled" | "known" {
    const mark = `-${impressionId}`;
    const earlier = this.settled.get(mark);
    if (earlier !== undefined) return earlier;
    // Of an earlier epoch and not settled since: the wallet was restored without it. Nothing is remembered, because a retry
    // or a late charge may still bring the impression.
    if (committedInEpoch !== this.epoch && !this.settled.has(impressionId)) return "known";
    this.settled.set(mark, "settled");
    this.move(this.campaignIds.indexOf(campaignId), -1);
    return "settled";
  }

  private async again(settlement: Settlement | undefined): Promise<void> {
    if (settlement === undefined) return;
    const got = await this.money.settle(settlement);
    if (settlement.epoch !== this.epoch) return same(settlement, got, "stale");
    const isReversal = settlement.kind === "reversed";
    same(
      settlement,
      got,
      isReversal ? this.settleReversal(settlement) : this.settled.get(settlement.impressionId),
    );
  }

  private async restart(step: RecoveryStep & { kind: "restart" }): Promise<void> {
    await this.redis.hset(walletKeys.account(this.wallet.advertiserId), "lineage", "another");
    const found = await this.money.freezeUnlessLive(this.wallet.advertiserId, this.epoch, TEST_CLAIM);
    await this.refuseWhileFrozen();
    await this.restore(found, step);
  }

  private async meetOtherEpoch(): Promise<void> {
    const { advertiserId } = this.wallet;
    same("live", await this.money.freezeUnlessLive(advertiserId, this.epoch, TEST_CLAIM), { state: "live" });
    const found = await this.money.freezeUnlessLive(advertiserId, this.epoch + 1, TEST_CLAIM);
    await this.refuseWhileFrozen();
    await this.restore(found, { kind: "restart", forget: false, spent: 0, kept: 0 });
  }

  private async refuseWhileFrozen(): Promise<void> {
    const reserved = await this.money.reserve(this.wallet.request());
    same("frozen", reserved.outcome === "refused" && reserved.reason, "unknown_wallet");
    const committed = await this.wallet.commit();
    same("frozen", committed, { outcome: "refused", reason: "unknown_wallet" });
    const [last] = this.settlements;
    if (last !== undefined) same("frozen", await this.money.settle(last), "unknown_wallet");
  }

  private async restore(
    found: FrozenWallet | UnfrozenWallet,
    step: RecoveryStep & { kind: "restart" },
  ): Promise<void> {
    if (found.state !== "frozen") throw new Error("the wallet is live");
    const { account } = this.expected();
    const { epoch, spentMillicents, heldMillicents, holdsMillicents, impressions } = found;
    same(
      "found",
      { epoch, spentMillicents, heldMillicents, impressions, holdsMillicents },
      {
        epoch: String(account.epoch),
        spentMillicents: account.spentMillicents,
        heldMillicents: account.heldMillicents,
        impressions: account.impressions,
        holdsMillicents: account.heldMillicents,
      },
    );
    const kept = step.forget ? this.charges.slice(0, step.kept) : [];
    if (step.forget) this.forget(step.spent, kept);
    this.settled = new Map(kept.map(({ impressionId }) => [impressionId, "known"]));
    const request = {
      walletId: this.wallet.advertiserId,
      found,
      epoch: this.epoch + 1,
      forgetMatches: step.forget,
      version: 1,
      depositedMillicents: PLENTY,
      spentMillicents: this.expected().account.spentMillicents,
      impressions: this.expected().account.impressions,
      settledMarks: [...this.settled.keys()],
      campaigns: this.campaignIds.map(
        (campaignId, index): RestoredCampaign => ({
          campaignId,
          version: 1,
          status: "active",
          budgetMillicents: PLENTY,
          dailyCapMillicents: null,
          spentMillicents: (this.spent[index] ?? 0) * PRICE,
          impressions: this.impressions[index] ?? 0,
          day: found.day,
          daySpentMillicents: (this.today[index] ?? 0) * PRICE,
        }),
      ),
    };
    same("restore", await this.money.restoreWallet(request), "restored");
    // A concurrent restore fails.
    same("restore again", await this.money.restoreWallet({ ...request, epoch: this.epoch + 2 }), "changed");
    this.epoch += 1;
  }

  /** Postgres has this many charges of each campaign; the outbox has some more. */
  private forget(spent: number, kept: readonly Charge[]): void {
    for (const match of this.matches) match.state = "void";
    for (const list of [this.spent, this.impressions, this.today]) list.fill(spent);
    for (const charge of kept) this.move(charge.campaign, 1);
    this.held.fill(0);
  }
}
