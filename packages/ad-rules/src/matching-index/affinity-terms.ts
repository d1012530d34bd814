import type { PreparedContext } from "../candidates/prepared-context.ts";
import { type CompiledAffinity, narrativeShare, withoutDust } from "../scoring/affinity-score.ts";
import type { AffinityType } from "../types/campaign.ts";
import type { PhraseDictionary, PhraseEntry } from "./phrase-dictionary.ts";

/** What campaigns are affine to: a value of a type, whatever its weight in each of them. */
export interface AffinityTerm {
  /** From 1 on, small, and free again once no campaign uses the term. */
  readonly id: number;
  readonly type: AffinityType;
  readonly value: string;
  /** Where the value is sought in the narrative; null for a type or value that is not. */
  readonly entry: PhraseEntry | null;
  uses: number;
}

/** The affinities of one campaign, in its order. */
export interface WeightedTerms {
  readonly ids: readonly number[];
  readonly weights: readonly number[];
}

/**
 * The affinities of all campaigns, so that a request finds out once which of them its context satisfies, and a campaign's
 * score is then a sum over small numbers.
 */
export class AffinityTerms {
  readonly #byType: Readonly<Record<AffinityType, Map<string, AffinityTerm>>> = {
    action: new Map(),
    location: new Map(),
    theme: new Map(),
    mood: new Map(),
    category: new Map(),
    lighting: new Map(),
    effects: new Map(),
    camera: new Map(),
  };
  readonly #phrases: PhraseDictionary;
  readonly #freeIds: number[] = [];
  #idCount = 1;
  /** By term id: how much of its weight the context at hand earns, 0 to 1. */
  shares = new Float64Array(256);
  readonly #satisfied: number[] = [];

  constructor(phrases: PhraseDictionary) {
    this.#phrases = phrases;
  }

  acquire(affinities: readonly CompiledAffinity[]): WeightedTerms {
    return {
      ids: affinities.map((affinity) => this.#acquire(affinity).id),
      weights: affinities.map((affinity) => affinity.source.weight),
    };
  }

  release(affinities: readonly CompiledAffinity[]): void {
    for (const affinity of affinities) this.#release(affinity);
  }

  /** Learns which terms the context satisfies, until `forget`; `inNarrative` are the phrases that its narrative has. */
  satisfy(context: PreparedContext, inNarrative: readonly PhraseEntry[], count: number): void {
    const { action, location, theme, mood, category } = this.#byType;
    if (context.location !== null) this.#earn(location.get(context.location), 1);
    if (context.theme !== null) this.#earn(theme.get(context.theme), 1);
    if (context.category !== null) this.#earn(category.get(context.category), 1);
    for (const value of context.moods) this.#earn(mood.get(value), 1);
    for (const value of context.actions) this.#earn(action.get(value), 1);
    for (let place = 0; place < count; place += 1) {
      const noted = inNarrative[place]?.affinities ?? null;
      if (noted === null) continue;
      for (let at = 0; at < noted.length; at += 1) {
        const note = noted[at] ?? 0;
        this.#earnById(note >> 1, (note & 1) === 1 ? 1 : narrativeShare);
      }
    }
  }

  forget(): void {
    for (const id of this.#satisfied) this.shares[id] = 0;
    this.#satisfied.length = 0;
  }

  /** The affinity score in the context at hand; the same sum in the same order as `affinityScore`. */
  scoreOf({ ids, weights }: WeightedTerms): number {
    let sum = 0;
    for (let place = 0; place < ids.length; place += 1) {
      sum += (weights[place] ?? 0) * (this.shares[ids[place] ?? 0] ?? 0);
    }
    return withoutDust(sum);
  }

  /** What the affinity at this place in the campaign's list contributes in the context at hand. */
  contributionOf({ ids, weights }: WeightedTerms, place: number): number {
    return (weights[place] ?? 0) * (this.shares[ids[place] ?? 0] ?? 0);
  }

  #earn(term: AffinityTerm | undefined, share: number): void {
    if (term !== undefined) this.#earnById(term.id, share);
  }

  #earnById(id: number, share: number): void {
    const earned = this.shares[id] ?? 0;
    if (earned === 0) this.#satisfied.push(id);
    if (earned < share) this.shares[id] = share;
  }

  #acquire({ source: { affinity_type: type }, value, phrase }: CompiledAffinity): AffinityTerm {
    const known = this.#byType[type].get(value);
    if (known !== undefined) {
      known.uses += 1;
      return known;
    }
    const entry = phrase === null || type === "category" ? null : this.#phrases.acquire(phrase);
    const term = { id: this.#freeId(), type, value, entry, uses: 1 };
    if (entry !== null) entry.affinities = [...(entry.affinities ?? []), noteOf(term)];
    this.#byType[type].set(value, term);
    return term;
  }

  #release({ source: { affinity_type: type }, value }: CompiledAffinity): void {
    const term = this.#byType[type].get(value);
    if (term === undefined) return;
    term.uses -= 1;
    if (term.uses > 0) return;
    this.#byType[type].delete(value);
    this.#freeIds.push(term.id);
    if (term.entry === null) return;
    const others = term.entry.affinities?.filter((note) => note !== noteOf(term)) ?? [];
    term.entry.affinities = others.length === 0 ? null : others;
    this.#phrases.release(term.entry);
  }

  #freeId(): number {
    const id = this.#freeIds.pop() ?? this.#idCount++;
    if (id >= this.shares.length) {
      const shares = new Float64Array(this.shares.length * 2);
      shares.set(this.shares);
      this.shares = shares;
    }
    return id;
  }
}

/** The id, and as lowest bit whether the value earns all of its weight in the narrative: two facts in one small number. */
function noteOf({ id, type }: AffinityTerm): number {
  return id * 2 + (isOnlyInNarrative(type) ? 1 : 0);
}

function isOnlyInNarrative(type: AffinityType): boolean {
  return type === "lighting" || type === "effects" || type === "camera";
}
