import type { Candidate } from "@diegetic/ad-rules";
import { newId } from "@diegetic/contracts";
import {
  createGameSessions,
  createMoneyCommands,
  createSliceGrants,
  DueIndex,
  type LapsedHold,
  type RedisConnection,
  reserveAndAdmitAtOnce,
} from "@diegetic/hot-state";
import { createLogger } from "@diegetic/service-kit";
import { openWallet } from "@diegetic/testing/open-wallet";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { rounds } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { Catalog } from "../catalog/catalog.ts";
import { MatchIds } from "../match-id/match-ids.ts";
import { ShareRefusals } from "../refusals/share-refusals.ts";
import type { LoadedRequest } from "./load.ts";
import { newMatchState } from "./match-state.ts";
import { type ReservationOutcome, reserveOne } from "./reserve-one.ts";

const IDLE_MS = 1_800_000;
const MAX_USES = 3;
const CREATIVE_ID = "crt_a";

type Step =
  /** Number of concurrent requests of the player. */
  | { kind: "match"; requests: number }
  /** A pause without requests, as a fraction of the idle time. */
  | { kind: "pause"; idles: number }
  /** The session goes on without this advertiser. */
  | { kind: "others"; idles: number }
  /** One of the holds lapses, of any session: its seat is returned later. */
  | { kind: "lapse"; hold: number }
  /** The seats of lapsed holds are returned. */
  | { kind: "seats" };

const steps = fc.array(
  fc.oneof<fc.WeightedArbitrary<Step>[]>(
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("match"), requests: fc.integer({ min: 1, max: 4 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("pause"), idles: fc.constantFrom(0.3, 0.9, 1, 1.1, 40) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("others"), idles: fc.constantFrom(0.3, 0.9, 1.1, 40) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("lapse"), hold: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("seats") }) },
  ),
  { minLength: 2, maxLength: 12 },
);

let server: TestRedis;
let redis: RedisConnection;
beforeAll(async () => {
  server = await startTestRedis();
  redis = connectTestRedis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** Reference implementation of the caps of successive player sessions. */
class Model {
  #session = 0;
  #idles = 0;
  #idlesOfAdvertiser = 0;
  #count = 0;
  /** Matches of the session that have not lapsed, whichever counts they belong to. */
  #unlapsed = 0;
  #appearances = 0;
  #served = 0;
  readonly #lines: number;

  /** @param lines of the creative: with one, a lapsed match may show its line again */
  constructor(lines: number) {
    this.#lines = lines;
  }

  /** For each request with an ad: earlier appearances of the creative. */
  match(requests: number): number[] {
    if (this.#idles >= 1) {
      this.#session += 1;
      this.#unlapsed = 0;
    }
    if (this.isExpired) {
      this.#appearances = this.#unlapsed;
      this.#served = this.#unlapsed;
    }
    const held = Math.min(requests, MAX_USES - this.#appearances);
    if (this.isExpired && held > 0) this.#count += 1;
    this.#idles = 0;
    if (held > 0 || !this.isExpired) this.#idlesOfAdvertiser = 0;
    const timesSeen = Array.from({ length: held }, (_, i) => this.#served + i);
    this.#unlapsed += held;
    this.#appearances += held;
    this.#served += held;
    return timesSeen;
  }

  /** Identifies the counts that a hold belongs to. */
  get counts(): string {
    return `${this.#session}.${this.#count}`;
  }

  /** The counts have expired, but possibly not the session. */
  get isExpired(): boolean {
    return this.#idlesOfAdvertiser >= 1;
  }

  pause(idles: number): void {
    this.#idles += idles;
    this.#idlesOfAdvertiser += idles;
  }

  others(idles: number): void {
    this.#idlesOfAdvertiser += idles;
    this.#idles = 0;
  }

  get isOver(): boolean {
    return this.#idles >= 1;
  }

  /** A hold of earlier counts stays among the earlier ads until these are counted again. */
  lapse(counts: string): void {
    const [session] = counts.split(".");
    if (session === String(this.#session)) this.#unlapsed -= 1;
    if (counts !== this.counts) return;
    this.#appearances -= 1;
    if (this.#lines === 1) this.#served -= 1;
  }
}

/** A player in a game with one campaign. Simulates time by ageing everything stored. */
class Player {
  readonly money = createMoneyCommands(redis);
  readonly sessions = createGameSessions(redis);
  readonly advertiserId = newId("adv");
  readonly campaignId = newId("camp");
  readonly gameId = newId("key");
  readonly sessionKey = newId("key");
  readonly #altHooks: readonly string[];

  constructor(altHooks: readonly string[]) {
    this.#altHooks = altHooks;
  }

  async open(): Promise<void> {
    const { advertiserId, campaignId } = this;
    await openWallet(this.money, { advertiserId, version: 1, depositedMillicents: 1_000_000 });
    await this.money.applyCampaign({
      advertiserId,
      campaignId,
      version: 1,
      status: "active",
      budgetMillicents: 1_000_000,
      dailyCapMillicents: null,
      seed: { spentMillicents: 0, impressions: 0, day: "2026-01-01", daySpentMillicents: 0 },
    });
  }

  /**
   * One request.
   * @param scheduler decides in which order the commands of concurrent requests arrive
   * @param skewMs lead of the clock of the game's node over that of the advertiser's node
   */
  async match(scheduler: fc.Scheduler, skewMs: number): Promise<ReservationOutcome> {
    const { money, sessions } = this;
    const scheduled = {
      money: {
        ...money,
        reserve: scheduler.scheduleFunction(money.reserve),
        release: scheduler.scheduleFunction(money.release),
      },
      sessions: {
        ...sessions,
        admit: scheduler.scheduleFunction(async (request: Parameters<typeof sessions.admit>[0]) => {
          const admission = await sessions.admit(request);
          const { startedMs, earlier } = admission;
          return {
            ...admission,
            startedMs: startedMs + skewMs,
            earlier: earlier && { ...earlier, sinceMs: earlier.sinceMs + skewMs },
          };
        }),
      },
    };
    const dependencies = {
      settings: {
        // One millisecond, so that holds may lapse at any time.
        holdTtlSeconds: 0.001,
      },
      ...scheduled,
      grants: createSliceGrants(redis),
      // As in a cluster: everything that one command does can also happen in two.
      reserveAndAdmit: reserveAndAdmitAtOnce(scheduled),
      due: new DueIndex(redis),
      logger: createLogger({ service: "match", instance: "test", level: "silent" }),
      nowMs: Date.now,
      countReservation: () => undefined,
      matchIds: new MatchIds(["a key of match ids, for tests alone"]),
      shareRefusals: new ShareRefusals(),
      catalog: new Catalog(1),
    };
    const state = newMatchState();
    const request = this.#request();
    const result = await reserveOne(dependencies, request, this.#candidate(), state);
    if (result.outcome !== "held") await sessions.returnSeat(request.session, state.matchId);
    return result;
  }

  #request(): LoadedRequest {
    const { gameId, sessionKey } = this;
    return {
      body: { game_id: gameId, user_id: "p", game_context: {} },
      placement: {
        game_id: gameId,
        account_id: "acct",
        version: 1,
        is_active: true,
        placement_types: ["narrative_hook"],
        revenue_share_basis_points: 7_000,
        max_ads_per_session: 1_000,
        blocked_advertisers: [],
        blocked_categories: [],
      },
      userHash: "user",
      session: { gameId, sessionKey },
      sessionIdleMs: IDLE_MS,
      leaseExpiresMs: Number.MAX_SAFE_INTEGER,
    };
  }

  #candidate(): Candidate {
    const creative = { creative_id: CREATIVE_ID, max_uses_per_game: MAX_USES, alt_hooks: this.#altHooks };
    const campaign = {
      campaign_id: this.campaignId,
      advertiser_id: this.advertiserId,
      version: 1,
      cpm_bid_cents: 100,
    };
    return {
      campaign,
      creatives: [creative],
      affinityScore: 0,
      affinityParts: [],
      rank: 1,
    } as unknown as Candidate;
  }

  async pause(ms: number, { isOver, isExpired }: Model): Promise<void> {
    const [session] = await redis.keys(`*${this.gameId}*:session:*`);
    if (session !== undefined) {
      if (isOver) await redis.del(session);
      else await redis.hincrby(session, "started", -ms);
    }
    const [cap] = await redis.keys(`{${this.advertiserId}}:cap:*`);
    // It may also live a little longer than its session.
    if (cap !== undefined) {
      if (isExpired && !(isOver && ms < 2 * IDLE_MS)) await redis.del(cap);
      else await redis.hincrby(cap, "since", -ms * 1_000);
    }
    const [matches = ""] = await redis.keys(`{${this.advertiserId}}:matches:*`);
    for (const [id, text] of Object.entries(await redis.hgetall(matches))) {
      const fields = text.split("|");
      if (fields.length < 8) continue;
      fields[7] = `-${Number(fields[7]?.slice(1)) + ms * 1_000}`;
      await redis.hset(matches, id, fields.join("|"));
    }
  }

  async lapse(hold: LapsedHold): Promise<void> {
    expect(await this.money.release(hold, "lapsed")).toBe("released");
  }

  async returnSeats(): Promise<void> {
    const { items } = await this.money.listSessionReleases(this.advertiserId, 100);
    for (const { matchId, ...session } of items) await this.sessions.returnSeat(session, matchId);
    await this.money.ackSessionReleases(
      this.advertiserId,
      items.map(({ matchId }) => matchId),
    );
  }
}

/** Takes the steps in Redis and in the model. */
async function rehearse(
  altHooks: readonly string[],
  history: readonly Step[],
  scheduler: fc.Scheduler,
  skewMs: number,
): Promise<void> {
  const player = new Player(altHooks);
  await player.open();
  const model = new Model(1 + altHooks.length);
  const countsOf = new Map<string, string>();
  for (const step of history) {
    if (step.kind === "match") {
      const expected = model.match(step.requests);
      const requests = Array.from({ length: step.requests }, () => player.match(scheduler, skewMs));
      const results = await scheduler.waitFor(Promise.all(requests));
      const held = results.filter((result) => result.outcome === "held");
      expect(held.map(({ timesSeen }) => timesSeen).sort()).toEqual(expected);
      for (const { matchId } of held) countsOf.set(matchId, model.counts);
    } else if (step.kind === "pause") {
      model.pause(step.idles);
      await player.pause(Math.round(step.idles * IDLE_MS), model);
    } else if (step.kind === "others") {
      if (model.isOver) continue;
      model.others(step.idles);
      await player.pause(Math.round(step.idles * IDLE_MS), model);
    } else if (step.kind === "seats") {
      await player.returnSeats();
    } else {
      const { holds } = await player.money.listLapsed(player.advertiserId, 100);
      const hold = holds[step.hold % Math.max(1, holds.length)];
      if (hold === undefined) continue;
      await player.lapse(hold);
      model.lapse(countsOf.get(hold.matchId) ?? "");
    }
  }
}

describe.each([[[]], [["one", "two"]]])(
  "creative caps of player sessions, with further lines %j",
  (altHooks) => {
    const skews = fc.integer({ min: -0.4 * IDLE_MS, max: 0.4 * IDLE_MS });

    it("count from the session's start, under any concurrency and clock skew", async () => {
      await fc.assert(
        fc.asyncProperty(steps, fc.scheduler(), skews, (history, scheduler, skewMs) =>
          rehearse(altHooks, history, scheduler, skewMs),
        ),
        { numRuns: rounds(20, 150), endOnFailure: false },
      );
    });

    it("forget a lapsed match of earlier counts when they are counted again", async () => {
      const history: Step[] = [
        { kind: "match", requests: 1 },
        { kind: "others", idles: 1.1 },
        { kind: "match", requests: 1 },
        { kind: "lapse", hold: 0 },
        { kind: "others", idles: 1.1 },
        { kind: "lapse", hold: 0 },
        { kind: "match", requests: 1 },
      ];
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), (scheduler) => rehearse(altHooks, history, scheduler, 0)),
        { numRuns: 2 },
      );
    });

    it.each<[string, Step[]]>([
      ["counted", []],
      ["expired", [{ kind: "others", idles: 1.1 }]],
    ])("do not count a lapsed match whose seat is still taken (%s)", async (_counts, between) => {
      const history: Step[] = [
        { kind: "match", requests: 2 },
        ...between,
        { kind: "pause", idles: 0.9 },
        { kind: "lapse", hold: 0 },
        { kind: "lapse", hold: 0 },
        { kind: "match", requests: 3 },
        { kind: "seats" },
        { kind: "match", requests: 1 },
      ];
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), (scheduler) => rehearse(altHooks, history, scheduler, 0)),
        { numRuns: 5 },
      );
    });
  },
);
