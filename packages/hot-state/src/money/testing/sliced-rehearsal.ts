import { newId } from "@diegetic/contracts";
import { openWallet, TEST_CLAIM } from "@diegetic/testing/open-wallet";
import type { RedisConnection } from "../../connection.ts";
import { walletIdOf, walletKeys } from "../../keys.ts";
import { holdOf } from "../holds.ts";
import { SliceGrants } from "../slice-grants.ts";
import { SliceReports } from "../slice-reports.ts";
import {
  createSliceCommands,
  type Grant,
  type SliceCommands,
  type SlicedCampaign,
  type SliceReference,
  type SliceReport,
  type TakenPart,
} from "../slices.ts";
import type { MoneyCommands } from "../types.ts";
import { pick } from "./recovery-steps.ts";
import { TestWallet, today } from "./wallet.ts";

/** Of every wallet, the advertiser's own included. */
export const SLICES = 3;

const ALL = Array.from({ length: SLICES }, () => true);
const ONLY_A_REPORT = { neededMillicents: 0, wantedMillicents: 0, priceMillicents: 0, isHeld: false };

/** One step of a sliced wallet's history. Numbers select among the existing items. */
export type SlicedStep =
  | { kind: "reserve"; campaign: number; slice: number; price: number }
  | { kind: "commit"; match: number }
  /** An impression without a match id, where there is or was this match. */
  | { kind: "commit any"; match: number }
  | { kind: "release"; match: number; lapsed: boolean }
  /** A slice asks for money, and the answer does not arrive yet. */
  | { kind: "lose grant"; campaign: number; slice: number }
  | { kind: "accept late"; grant: number }
  | { kind: "report late"; report: number }
  | { kind: "take back"; campaign: number; part: TakenPart; isReported: boolean }
  | { kind: "set budget"; campaign: number; units: number }
  /** Null: no daily cap. */
  | { kind: "set cap"; campaign: number; units: number | null }
  /** Billing settles a charge that the wallet does not know, or takes one back. */
  | { kind: "late"; campaign: number; slice: number; price: number }
  | { kind: "reverse"; match: number }
  | { kind: "report" }
  /** Whether each slice forgets its matches; limits of the first campaign that only the restore brings (null: as they are). */
  | {
      kind: "restore";
      forget: readonly boolean[];
      limits: { budget: number; dailyCap: number | null } | null;
    };

interface Match {
  facts: Awaited<ReturnType<TestWallet["hold"]>>;
  campaign: number;
  price: number;
  state: "open" | "lapsed" | "charged" | "cancelled";
  /** From before the wallet forgot its matches. */
  isVoid: boolean;
  chargedInEpoch?: number;
  /** Charged by a settlement, which may exceed limits. */
  isLate?: boolean;
}

interface Campaign {
  wallet: TestWallet;
  version: number;
  budget: number;
  dailyCap: number | null;
  /** Charged when the cap was last lowered: more than a lower cap may be spent already. */
  spentBelowCap: number;
}

/** A sliced wallet beside a naive model, which knows every charge and no grant. */
export class SlicedRehearsal {
  readonly #money: MoneyCommands;
  readonly #redis: RedisConnection;
  readonly #commands: SliceCommands;
  readonly #grants: SliceGrants;
  readonly #sliceReports: SliceReports;
  readonly #advertiserId: string;
  readonly #deposited: number;
  readonly #campaigns: Campaign[] = [];
  readonly #matches: Match[] = [];
  readonly #lostGrants: { reference: SliceReference; grant: Grant }[] = [];
  readonly #reports: { reference: SliceReference; report: SliceReport }[] = [];
  #epoch = 0;
  /** Limits left too little for open holds at some time, or it was taken back from them. */
  #mayLack = false;

  private constructor(money: MoneyCommands, redis: RedisConnection, limits: { deposited: number }) {
    this.#money = money;
    this.#redis = redis;
    this.#commands = createSliceCommands(redis);
    this.#grants = new SliceGrants(this.#commands);
    this.#sliceReports = new SliceReports(this.#commands);
    this.#advertiserId = newId("adv");
    this.#deposited = limits.deposited;
  }

  static async open(
    money: MoneyCommands,
    redis: RedisConnection,
    {
      budgets,
      dailyCap,
      ...limits
    }: { deposited: number; budgets: readonly number[]; dailyCap: number | null },
  ): Promise<SlicedRehearsal> {
    const rehearsal = new SlicedRehearsal(money, redis, limits);
    await openWallet(money, {
      advertiserId: rehearsal.#advertiserId,
      version: 1,
      depositedMillicents: limits.deposited,
    });
    for (const budget of budgets) {
      const wallet = new TestWallet(money, redis, rehearsal.#advertiserId);
      rehearsal.#campaigns.push({ wallet, version: 1, budget, dailyCap, spentBelowCap: 0 });
      await rehearsal.#apply(rehearsal.#campaigns.length - 1);
    }
    await rehearsal.#restore(ALL);
    return rehearsal;
  }

  async run(step: SlicedStep): Promise<void> {
    switch (step.kind) {
      case "reserve":
        await this.#reserve(step);
        break;
      case "commit":
        await this.#commit(pick(this.#matches, step.match));
        break;
      case "commit any":
        await this.#commitAny(pick(this.#matches, step.match));
        break;
      case "release":
        await this.#release(pick(this.#matches, step.match), step.lapsed);
        break;
      case "lose grant":
        await this.#loseGrant(step);
        break;
      case "accept late": {
        const lost = pick(this.#lostGrants, step.grant);
        if (lost !== undefined) await this.#commands.acceptGrant(lost.reference, lost.grant);
        break;
      }
      case "report late": {
        const late = pick(this.#reports, step.report);
        if (late !== undefined) {
          await this.#commands.grant(late.reference, late.report, ONLY_A_REPORT);
        }
        break;
      }
      case "take back":
        await this.#takeBack(step);
        break;
      case "set budget":
        await this.#setBudget(step.campaign, step.units);
        break;
      case "set cap":
        await this.#setCap(step.campaign, step.units);
        break;
      case "late":
        await this.#settleLate(step);
        break;
      case "reverse":
        await this.#reverse(step.match);
        break;
      case "report":
        await this.#sliceReports.reportSpending(this.#advertiserId);
        break;
      case "restore":
        if (step.limits !== null) this.#changeLimits(step.limits);
        await this.#restore(step.forget);
    }
    await this.#check();
  }

  /** Once all slices have reported, the advertiser's own wallet knows what was spent. */
  async finish(): Promise<void> {
    for (const [index, campaign] of this.#campaigns.entries()) {
      await this.#takeBack({ campaign: index, part: Number.MAX_SAFE_INTEGER, isReported: true });
      const totals = await campaign.wallet.totals();
      const charged = this.#sum(["charged"], index);
      const lack = this.#sum(["open"], index) - this.#sum(["open"], index, 0);
      const own = { spent: charged, held: this.#sum(["open"], index, 0), lack };
      same("totals of a campaign", await this.#ownTotals(campaign.wallet.campaignId), own);
      same("day", totals.campaign.daySpentMillicents, charged);
      same("impressions", totals.campaign.impressions, this.#in(["charged"], index).length);
    }
    const account = await this.#money.readAccount(this.#advertiserId);
    same("spent", account?.spentMillicents, this.#sum(["charged"]));
    same("impressions of all", account?.impressions, this.#in(["charged"]).length);
    same("held", account?.heldMillicents, this.#sum(["open"]));
  }

  async #reserve({ campaign: index, slice, price }: SlicedStep & { kind: "reserve" }): Promise<void> {
    const campaign = this.#campaign(index);
    const request = campaign.wallet.request(
      {
        price_millicents: price,
        campaign_version: campaign.version,
        ...(slice > 0 && { wallet_slice: slice }),
      },
      { campaignVersion: campaign.version },
    );
    let result = await this.#money.reserve(request);
    // What it has left was granted before others lacked any.
    const mayHold = this.#mayLack && slice > 0 && result.outcome === "held";
    if (result.outcome === "refused" && slice > 0) {
      same("refusal of a slice", result.reason, "budget");
      const needed = { priceMillicents: price, isHeld: false };
      const refusal = await this.#grants.extend(this.#sliced(campaign), slice, needed);
      if (refusal === null) {
        result = await this.#money.reserve(request);
        same("after a grant", result.outcome, "held");
      } else if (typeof refusal === "string") throw new Error(`the slice is ${refusal}`);
      else if (this.#left(index) >= price) {
        throw new Error(`refused for ${refusal.reason} while ${this.#left(index)} are left`);
      }
    }
    if (result.outcome !== "held") return;
    if (!mayHold && this.#left(index) < price)
      throw new Error(`held ${price} while ${this.#left(index)} are left`);
    this.#matches.push({ facts: request.match, campaign: index, price, state: "open", isVoid: false });
  }

  async #commit(match: Match | undefined): Promise<void> {
    if (match === undefined || match.isLate) return;
    const { facts, price, state, isVoid } = match;
    const campaign = this.#campaign(match.campaign);
    const slice = facts.wallet_slice ?? 0;
    const commit = () => campaign.wallet.commit({ matchId: facts.match_id, slice });
    let result = await commit();
    if (result.outcome === "refused" && slice > 0 && result.reason === "budget") {
      const needed = { priceMillicents: price, isHeld: state === "open" };
      same("what is needed", result.lacks, needed);
      const refusal = await this.#grants.extend(this.#sliced(campaign), slice, needed);
      if (refusal === null) {
        result = await commit();
        same("after a grant", result.outcome, "charged");
      } else if (state === "open" && !isVoid && this.#leftForOpen(match.campaign) >= price) {
        throw new Error(`an open hold is refused for ${JSON.stringify(refusal)}`);
      }
    }
    if (isVoid || state === "cancelled")
      same("of no match", result, { outcome: "refused", reason: "no_match" });
    else if (state === "charged") same("retry", result.outcome === "charged" && result.replay, true);
    else if (result.outcome === "charged") {
      if (!result.replay) same("slice of the record", result.record.wallet_slice ?? 0, slice);
      match.state = "charged";
      match.chargedInEpoch = this.#epoch;
    }
  }

  async #commitAny(one: Match | undefined): Promise<void> {
    if (one === undefined) return;
    const {
      campaign: index,
      facts: { wallet_slice: slice = 0 },
    } = one;
    const campaign = this.#campaign(index);
    const result = await this.#grants.commitWithMoney(this.#sliced(campaign), slice, () =>
      campaign.wallet.commit({ slice }),
    );
    const unbilled = this.#in(["open", "lapsed"], index, slice).filter(({ isVoid }) => !isVoid);
    if (result === "contended") throw new Error("nothing else asks for money");
    if (result.outcome === "charged") {
      const match = unbilled.find(({ facts }) => facts.match_id === result.record.match.match_id);
      if (match === undefined) throw new Error(`charged ${result.record.match.match_id}`);
      match.state = "charged";
      match.chargedInEpoch = this.#epoch;
      return;
    }
    if (result.reason === "no_match") same("unbilled", unbilled.length, 0);
    // Own open holds may exceed limits.
    if (slice === 0) return;
    for (const { state, price } of unbilled) {
      const left = state === "open" ? this.#leftForOpen(index) : this.#left(index);
      if (left >= price) throw new Error(`${price} is refused for ${result.reason} while ${left} are left`);
    }
  }

  async #settleLate({ campaign, slice, price }: SlicedStep & { kind: "late" }): Promise<void> {
    const facts = this.#campaign(campaign).wallet.match({ price_millicents: price, wallet_slice: slice });
    const match = { facts, campaign, price, state: "charged", isVoid: false, isLate: true } as const;
    same("late charge", await this.#settle("late", match), "settled");
    this.#matches.push({ ...match, chargedInEpoch: this.#epoch });
  }

  async #reverse(choice: number): Promise<void> {
    const late = this.#matches.filter(({ isLate, state }) => isLate && state === "charged");
    const match = pick(late, choice);
    if (match === undefined) return;
    same("reversal", await this.#settle("reversed", match), "settled");
    match.state = "cancelled";
  }

  #settle(kind: "late" | "reversed", { facts, campaign, price }: Match): Promise<string> {
    const { wallet } = this.#campaign(campaign);
    return this.#money.settle({
      epoch: this.#epoch,
      kind,
      impressionId: facts.match_id.replace("mat_", "imp_"),
      matchId: facts.match_id,
      walletId: walletIdOf(this.#advertiserId, facts.wallet_slice ?? 0),
      campaignId: wallet.campaignId,
      gameId: wallet.gameId,
      priceMillicents: price,
      day: today(),
      committedInEpoch: 0,
    });
  }

  async #release(match: Match | undefined, isLapsed: boolean): Promise<void> {
    if (match === undefined || match.isLate) return;
    if (isLapsed && match.state === "open") {
      await this.#campaign(match.campaign).wallet.age(match.facts, 700_000);
    }
    const result = await this.#money.release(holdOf(match.facts), isLapsed ? "lapsed" : "cancelled");
    if (match.state !== "open") return;
    same("release", result, "released");
    match.state = isLapsed ? "lapsed" : "cancelled";
  }

  async #loseGrant({ campaign: index, slice }: SlicedStep & { kind: "lose grant" }): Promise<void> {
    if (slice === 0) return;
    const reference = { ...this.#sliced(this.#campaign(index)), slice };
    const report = await this.#commands.takeBack(reference, "nothing");
    if (report === null) throw new Error("the slice must be restored");
    this.#reports.push({ reference, report });
    const result = await this.#commands.grant(reference, report, {
      neededMillicents: 1,
      wantedMillicents: 9,
      priceMillicents: 1,
      isHeld: false,
    });
    if (result.outcome === "granted") this.#lostGrants.push({ reference, grant: result.grant });
  }

  async #takeBack({
    campaign: index,
    part,
    isReported,
  }: Omit<SlicedStep & { kind: "take back" }, "kind">): Promise<void> {
    this.#mayLack ||= part !== "unused";
    for (let slice = 1; slice < SLICES; slice += 1) {
      const reference = { ...this.#sliced(this.#campaign(index)), slice };
      const report = await this.#commands.takeBack(reference, part);
      if (report === null) throw new Error("the slice must be restored");
      if (isReported)
        same(
          "taken back",
          (await this.#commands.grant(reference, report, ONLY_A_REPORT)).outcome,
          "reported",
        );
      else this.#reports.push({ reference, report });
    }
  }

  /** As management sets a budget. */
  async #setBudget(index: number, budget: number): Promise<void> {
    const campaign = this.#campaign(index);
    const { campaignId } = campaign.wallet;
    if (budget < campaign.budget) {
      const ceiling = await this.#money.setBudgetCeiling(this.#advertiserId, campaignId, budget);
      const charged = this.#sum(["charged"], index);
      if (charged > budget) return same("more is spent", ceiling.outcome, "spent");
      same("lowered", ceiling.outcome, "ok");
    }
    campaign.version += 1;
    campaign.budget = budget;
    await this.#apply(index);
  }

  async #setCap(index: number, cap: number | null): Promise<void> {
    const campaign = this.#campaign(index);
    campaign.version += 1;
    campaign.dailyCap = cap;
    await this.#apply(index);
    campaign.spentBelowCap = this.#sum(["charged"], index) - this.#late(index);
  }

  /** Postgres has limits that no script has brought to the wallet. */
  #changeLimits({ budget, dailyCap }: { budget: number; dailyCap: number | null }): void {
    const campaign = this.#campaign(0);
    campaign.version += 1;
    campaign.budget = Math.max(budget, this.#sum(["charged"], 0));
    campaign.dailyCap = dailyCap;
    campaign.spentBelowCap = this.#sum(["charged"], 0) - this.#late(0);
  }

  async #apply(index: number): Promise<void> {
    const campaign = this.#campaign(index);
    const { version, budget, dailyCap } = campaign;
    const state = { version, budgetMillicents: budget, dailyCapMillicents: dailyCap };
    same("applied", await this.#money.applyCampaign(campaign.wallet.campaign(state)), "applied");
  }

  /** As recovery does: all wallets are frozen before the first serves again. */
  async #restore(forget: readonly boolean[]): Promise<void> {
    const found = [];
    for (let slice = 0; slice < SLICES; slice += 1) {
      const walletId = walletIdOf(this.#advertiserId, slice);
      const wallet = await this.#money.freezeUnlessLive(walletId, this.#epoch, {
        ...TEST_CLAIM,
        freezes: "always",
      });
      if (wallet.state !== "frozen") throw new Error(`the wallet is ${wallet.state}`);
      found.push(wallet);
    }
    this.#epoch += 1;
    const [own, ...slices] = found;
    if (own === undefined) throw new Error("nothing was found");
    const common = {
      epoch: this.#epoch,
      version: 1,
    };
    const reserved = await Promise.all(
      found.map((_, slice) =>
        Promise.all(
          this.#campaigns.map(async ({ wallet }) => {
            const totals = await this.#money.readOwnTotals(
              walletIdOf(this.#advertiserId, slice),
              wallet.campaignId,
            );
            return forget[slice] ? 0 : (totals?.reservedMillicents ?? 0);
          }),
        ),
      ),
    );
    const fits = this.#campaigns.map((_, index) => this.#fits(index, forget, reserved));
    const fitsDeposit = this.#fitsDeposit(forget, reserved);
    if (!fitsDeposit || fits.includes(false)) this.#mayLack = true;
    const reservedIn = (slice: number, campaign: number) =>
      fitsDeposit && fits[campaign] ? (reserved[slice]?.[campaign] ?? 0) : 0;
    const marksOf = (slice: number) =>
      this.#in(["charged"], undefined, slice)
        .filter(({ isLate }) => isLate)
        .map(({ facts }) => facts.match_id.replace("mat_", "imp_"));
    const campaigns = this.#campaigns.map(({ wallet, version, budget, dailyCap }, index) => ({
      campaignId: wallet.campaignId,
      version,
      status: "active" as const,
      budgetMillicents: budget,
      dailyCapMillicents: dailyCap,
      reservedInSlices: new Map(
        slices.flatMap((_, i) => {
          const heldMillicents = forget[i + 1] ? 0 : this.#sum(["open"], index, i + 1);
          const reservedMillicents = reservedIn(i + 1, index);
          return heldMillicents > 0 ? [[i + 1, { reservedMillicents, heldMillicents }] as const] : [];
        }),
      ),
      spentMillicents: this.#sum(["charged"], index),
      impressions: this.#in(["charged"], index).length,
      day: today(),
      daySpentMillicents: this.#sum(["charged"], index),
    }));
    const restored = await this.#money.restoreWallet({
      ...common,
      walletId: this.#advertiserId,
      found: own,
      forgetMatches: forget[0] ?? false,
      depositedMillicents: this.#deposited,
      spentMillicents: this.#sum(["charged"]),
      slices: SLICES,
      impressions: this.#in(["charged"]).length,
      settledMarks: marksOf(0),
      campaigns,
    });
    same("restored", restored, "restored");
    for (const [index, wallet] of slices.entries()) {
      const request = {
        ...common,
        advertiserId: this.#advertiserId,
        slice: index + 1,
        found: wallet,
        forgetMatches: forget[index + 1] ?? false,
        settledMarks: marksOf(index + 1),
        campaigns: campaigns.map(({ campaignId, version, status, day }, one) => ({
          campaignId,
          version,
          status,
          day,
          reservedMillicents: reservedIn(index + 1, one),
        })),
      };
      same("slice restored", await this.#money.restoreSlice(request), "restored");
    }
    for (const match of this.#matches) {
      if (forget[match.facts.wallet_slice ?? 0] && !match.isLate) this.#forget(match);
    }
  }

  /** Whether limits leave what is reserved in slices beside what is charged and held in the advertiser's own wallet. */
  #fits(index: number, forget: readonly boolean[], reserved: readonly number[][]): boolean {
    const { budget, dailyCap } = this.#campaign(index);
    const own = forget[0] ? 0 : this.#sum(["open"], index, 0);
    const inSlices = reserved.slice(1).reduce((sum, slice) => sum + (slice[index] ?? 0), 0);
    return this.#sum(["charged"], index) + own + inSlices <= Math.min(budget, dailyCap ?? budget);
  }

  #fitsDeposit(forget: readonly boolean[], reserved: readonly number[][]): boolean {
    const own = forget[0] ? 0 : this.#sum(["open"], undefined, 0);
    const inSlices = reserved
      .slice(1)
      .flat()
      .reduce((sum, one) => sum + one, 0);
    return this.#sum(["charged"]) + own + inSlices <= this.#deposited;
  }

  #forget(match: Match): void {
    match.isVoid = true;
    if (match.state !== "charged") match.state = "cancelled";
  }

  /** At every instant, by what really happened. */
  async #check(): Promise<void> {
    let spent = 0;
    this.#mayLack ||= this.#isBeyondLimits();
    const slices = { maySpend: 0, spentAndHeld: 0 };
    for (const [index, { budget, dailyCap, spentBelowCap, wallet }] of this.#campaigns.entries()) {
      const charged = this.#sum(["charged"], index);
      const inTime = charged - this.#late(index);
      spent += inTime;
      atMost("charged of a budget", inTime, budget);
      if (dailyCap !== null) atMost("charged of a daily cap", inTime, Math.max(dailyCap, spentBelowCap));
      const { campaign } = await wallet.totals();
      same("spent in all slices", campaign.spentMillicents, charged);
      same("held in all slices", campaign.heldMillicents, this.#sum(["open"], index));
      const { spent: known, held, lack } = await this.#ownTotals(wallet.campaignId);
      atMost("charged", charged, known + held);
      atMost("known as spent", known, charged);
      const own = this.#sum(["charged"], index, 0) + this.#sum(["open"], index, 0);
      const granted = known + held - own - this.#earlier(index);
      const inSlices = await this.#grantedIn(wallet.campaignId);
      atMost("what slices may spend", inSlices.granted, granted);
      if (known + held > Math.min(budget, dailyCap ?? budget)) {
        atMost("what slices may spend beyond limits", inSlices.left, 0);
      }
      const chargedAndOpen = this.#sum(["charged", "open"], index);
      if (!this.#mayLack) atMost("charged and open", chargedAndOpen, known + held);
      atMost("charged and open, also without money", chargedAndOpen, known + held + lack);
      slices.maySpend += inSlices.left;
      slices.spentAndHeld += known + held;
    }
    if (slices.spentAndHeld > this.#deposited) {
      atMost("what slices may spend beyond the deposit", slices.maySpend, 0);
    }
    atMost("charged of a deposit", spent, this.#deposited);
  }

  #isBeyondLimits(): boolean {
    const used = (index?: number) => this.#sum(["charged", "open"], index);
    return (
      used() > this.#deposited ||
      this.#campaigns.some(
        ({ budget, dailyCap }, index) => used(index) > Math.min(budget, dailyCap ?? budget),
      )
    );
  }

  /** What the advertiser's own wallet counts, with what slices have reported and were granted. */
  async #ownTotals(campaignId: string): Promise<{ spent: number; held: number; lack: number }> {
    const key = walletKeys.campaign(this.#advertiserId, campaignId);
    const [spent, held, lack] = await this.#redis.hmget(key, "spent", "held", "sliced_lack");
    return { spent: Number(spent), held: Number(held), lack: Number(lack ?? 0) };
  }

  /** What the slices believe to have been granted, and to have left of it. */
  async #grantedIn(campaignId: string): Promise<{ granted: number; left: number }> {
    const sum = { granted: 0, left: 0 };
    for (let slice = 1; slice < SLICES; slice += 1) {
      const report = await this.#commands.takeBack(
        { advertiserId: this.#advertiserId, campaignId, slice },
        "nothing",
      );
      const { grantedMillicents: granted = 0, spentMillicents: charged = 0 } = report ?? {};
      sum.granted += Math.max(granted, charged);
      sum.left += Math.max(granted - charged, 0);
    }
    return sum;
  }

  /** What slices charged before the last restore, which is in the own wallet's totals. */
  #earlier(index: number): number {
    return this.#in(["charged"], index)
      .filter(({ facts, chargedInEpoch }) => (facts.wallet_slice ?? 0) > 0 && chargedInEpoch !== this.#epoch)
      .reduce((sum, { price }) => sum + price, 0);
  }

  /** What balance, budget and daily cap leave, without open holds. */
  #left(index: number): number {
    const { budget, dailyCap } = this.#campaign(index);
    const ofCampaign = Math.min(budget, dailyCap ?? budget) - this.#sum(["charged", "open"], index);
    return Math.min(ofCampaign, this.#deposited - this.#sum(["charged", "open"]));
  }

  /** What limits leave for an open hold in a slice, without the open holds of the campaign's other slices: first come, first served. */
  #leftForOpen(index: number): number {
    const { budget, dailyCap } = this.#campaign(index);
    const own = this.#sum(["open"], index, 0);
    const ofCampaign = Math.min(budget, dailyCap ?? budget) - this.#sum(["charged"], index) - own;
    const ofOthers = this.#sum(["open"]) - this.#sum(["open"], index);
    return Math.min(ofCampaign, this.#deposited - this.#sum(["charged"]) - own - ofOthers);
  }

  #late(index: number): number {
    return this.#in(["charged"], index)
      .filter(({ isLate }) => isLate)
      .reduce((sum, { price }) => sum + price, 0);
  }

  #in(states: readonly Match["state"][], index?: number, slice?: number): Match[] {
    return this.#matches.filter(
      (match) =>
        states.includes(match.state) &&
        (index === undefined || match.campaign === index) &&
        (slice === undefined || (match.facts.wallet_slice ?? 0) === slice),
    );
  }

  #sum(states: readonly Match["state"][], index?: number, slice?: number): number {
    return this.#in(states, index, slice).reduce((sum, { price }) => sum + price, 0);
  }

  #campaign(index: number): Campaign {
    const campaign = this.#campaigns[index];
    if (campaign === undefined) throw new Error(`there is no campaign ${index}`);
    return campaign;
  }

  #sliced({ wallet }: Campaign): SlicedCampaign {
    return { advertiserId: this.#advertiserId, campaignId: wallet.campaignId };
  }
}

function same(what: string, found: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`);
}

function atMost(what: string, found: number, limit: number): void {
  if (found > limit) throw new Error(`${what}: ${found} is more than ${limit}`);
}
