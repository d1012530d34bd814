import { type MatchFacts, newId } from "@diegetic/contracts";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { MatchIds } from "./match-ids.ts";

const KEY = "a key of match ids, for tests alone";
const OTHER_KEY = "another key of match ids, for tests";
const MAX_CHARACTERS = 200;
const HASH = "AbCdEfGhIjKlMnOpQrSt_-";

function factsOf(overrides: Partial<MatchFacts> = {}): MatchFacts {
  return {
    match_id: newId("mat"),
    advertiser_id: newId("adv"),
    campaign_id: newId("camp"),
    campaign_version: 3,
    game_id: 'a|b"\\\n{é🎮}',
    developer_account_id: newId("acct"),
    user_hash: HASH,
    session_key: HASH.toLowerCase(),
    country_code: "DE",
    affinity_score: 1.5,
    affinities: [{ affinity_id: newId("aff"), contribution: 1.5 }],
    price_millicents: 2_500,
    revenue_share_basis_points: 6_235,
    matched_at_ms: Date.now(),
    ...overrides,
  };
}

function scopeOf(facts: MatchFacts, creativeId = "crt_1") {
  return {
    developerAccountId: facts.developer_account_id,
    gameId: facts.game_id,
    campaignId: facts.campaign_id,
    creativeId,
  };
}

const HELD = { heldAtMs: 1_800_000_000_123, validFromEpoch: 7 };

function seal(ids: MatchIds, facts: MatchFacts): string {
  const packed = ids.pack(facts);
  if (packed === null) throw new Error("the facts do not fit");
  return ids.seal(facts.match_id, packed, HELD, scopeOf(facts));
}

const affinities = fc.array(
  fc.record({
    affinity_id: fc.constant("").map(() => newId("aff")),
    contribution: fc.oneof(
      fc.integer({ min: 0, max: 100_000 }).map((millis) => millis / 1_000),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
    ),
  }),
  { maxLength: 3 },
);

describe("match ids", () => {
  it("carry every fact through at most 200 characters, or say that they do not fit", () => {
    const ids = new MatchIds([KEY]);
    let carried = 0;
    fc.assert(
      fc.property(
        affinities,
        fc.option(fc.constantFrom("DE", "ZZ")),
        fc.integer({ min: 1, max: 1_000_000_000 }),
        fc.option(fc.double({ noNaN: true, min: 0, max: 1e9 })),
        fc.nat(2 ** 31),
        (parts, country_code, price_millicents, score, campaign_version) => {
          const sum = parts.reduce((total, { contribution }) => total + contribution, 0);
          const facts = factsOf({
            affinities: parts,
            affinity_score: score ?? sum,
            country_code,
            price_millicents,
            campaign_version,
          });
          if (ids.pack(facts) === null) return;
          carried += 1;
          const id = seal(ids, facts);
          expect(id.length).toBeLessThanOrEqual(MAX_CHARACTERS);
          expect(id).toMatch(/^mat_[A-Za-z0-9_-]+$/);
          const opened = ids.open(id, scopeOf(facts), facts.advertiser_id);
          expect(opened).toEqual({ matchId: facts.match_id, carried: { facts, ...HELD } });
        },
      ),
      { numRuns: 500 },
    );
    expect(carried).toBeGreaterThan(300);
  });

  it.each([1e12, 1.5e305, Number.MAX_VALUE])("carry a contribution of %d", (contribution) => {
    const ids = new MatchIds([KEY]);
    const facts = factsOf({
      affinities: [{ affinity_id: newId("aff"), contribution }],
      affinity_score: contribution,
    });
    const opened = ids.open(seal(ids, facts), scopeOf(facts), facts.advertiser_id);
    expect(opened?.carried?.facts).toEqual(facts);
  });

  it("carry three affinities of whole thousandths, and no unknown forms", () => {
    const ids = new MatchIds([KEY]);
    const some = (count: number) =>
      Array.from({ length: count }, () => ({ affinity_id: newId("aff"), contribution: 1.125 }));
    expect(ids.pack(factsOf({ affinities: some(3), affinity_score: 3.375 }))).not.toBeNull();
    expect(ids.pack(factsOf({ affinities: some(9), affinity_score: 9 * 1.125 }))).toBeNull();
    expect(ids.pack(factsOf({ affinities: [{ affinity_id: "aff_1", contribution: 1 }] }))).toBeNull();
    expect(ids.pack(factsOf({ user_hash: "user" }))).toBeNull();
    expect(ids.pack(factsOf({ match_id: "mat_1" }))).toBeNull();
    expect(ids.pack(factsOf({ matched_at_ms: 1 }))).toBeNull();
  });

  it("verify only for the developer, game, campaign and creative that they were made for, unchanged", () => {
    const ids = new MatchIds([KEY]);
    const facts = factsOf();
    const scope = scopeOf(facts);
    const id = seal(ids, facts);
    for (const part of Object.keys(scope)) {
      expect(ids.open(id, { ...scope, [part]: "another" }, facts.advertiser_id)).toBeNull();
    }
    for (let at = 4; at < id.length; at++) {
      const changed = id.slice(0, at) + (id[at] === "a" ? "b" : "a") + id.slice(at + 1);
      expect(ids.open(changed, scope, facts.advertiser_id)).toBeNull();
    }
    expect(ids.open(id.slice(0, -1), scope, facts.advertiser_id)).toBeNull();
    expect(ids.open(`${id}A`, scope, facts.advertiser_id)).toBeNull();
  });

  it("show nothing of what they carry", () => {
    const ids = new MatchIds([KEY]);
    const sealed = Array.from({ length: 10 }, () =>
      Buffer.from(seal(ids, factsOf()).slice(30), "base64url").toString("latin1"),
    );
    for (const one of sealed) {
      expect(one).not.toContain(Buffer.from(HASH.slice(0, 8), "base64url").toString("latin1"));
    }
    // Two letters may be there by chance, but not each time.
    expect(sealed.every((one) => one.includes("DE"))).toBe(false);
  });

  it("are opened by every key, and sealed by the first", () => {
    const facts = factsOf();
    const scope = scopeOf(facts);
    const id = seal(new MatchIds([KEY]), facts);
    const open = (keys: [string, ...string[]]) => new MatchIds(keys).open(id, scope, facts.advertiser_id);
    expect(open([OTHER_KEY, KEY])?.carried?.facts).toEqual(facts);
    expect(open([OTHER_KEY])).toBeNull();
  });

  it("of an earlier version carry nothing", () => {
    const facts = factsOf();
    const opened = new MatchIds([KEY]).open(facts.match_id, scopeOf(facts), facts.advertiser_id);
    expect(opened).toEqual({ matchId: facts.match_id, carried: null });
  });
});
