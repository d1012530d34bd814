/**
 * Where a text occurs in a request; one bit each. A term applies only in some roles: a value that a campaign blocks as a
 * theme has no effect as a mood.
 */
export const role = {
  theme: 1,
  category: 2,
  location: 4,
  mood: 8,
  action: 16,
  /** A phrase in the narrative. */
  narrative: 32,
  /** A phrase in any text of the context. */
  anyText: 64,
  game: 128,
  blockedAdvertiser: 256,
  blockedCategory: 512,
  country: 1_024,
  state: 2_048,
  city: 4_096,
  cityInState: 8_192,
  /** A category that the placement does not block. */
  openCategory: 16_384,
} as const;

/** The value of a term's flag: how much of an affinity's weight counts. All other terms use `half`. */
export const level = { none: 0, half: 1, full: 2 } as const;

/** The group of required terms that a term may be of; a request's terms of a group are keys of posting lists. */
export const group = { none: 0, category: 1, place: 2, tag: 3 } as const;

const codeBits = 5;
/** By the code of an effect, packed into one number: roles, level, affinity level, and group. */
const traits = new Int32Array(1 << codeBits);
const levelShift = 16;
const affinityShift = 18;
const groupShift = 20;
const twoBits = 3;

/** How a text activates a term: a code from 1. */
export type Effect = number & { readonly effect: unique symbol };
let effectCount = 0;

/** Defines the next effect: when the text occurs in one of the roles, it sets the term's flag. */
function effect(roles: number, kind: { group?: number; affinity?: number } = {}): Effect {
  const affinity = kind.affinity ?? level.none;
  effectCount += 1;
  traits[effectCount] =
    roles |
    ((affinity || level.half) << levelShift) |
    (affinity << affinityShift) |
    ((kind.group ?? group.none) << groupShift);
  return effectCount as Effect;
}

const anyTerm = role.theme | role.category | role.location | role.mood | role.action;

/** In names with "Phrase", the text is a phrase that is searched for; otherwise it is a value that is compared. */
export const effects = {
  tag: effect(anyTerm, { group: group.tag }),
  tagPhrase: effect(role.narrative, { group: group.tag }),
  /** For tags whose phrase differs from the compared value. */
  otherTagPhrase: effect(role.narrative, { group: group.tag }),
  targetCategory: effect(role.openCategory, { group: group.category }),
  blockedTheme: effect(role.theme),
  blockedCategory: effect(role.category),
  blockedAction: effect(role.action),
  blockedGame: effect(role.game),
  keywordPhrase: effect(role.anyText),
  /** `advertiser` and `ownCategory`: what a placement can block a campaign by. */
  advertiser: effect(role.blockedAdvertiser),
  ownCategory: effect(role.blockedCategory),
  country: effect(role.country, { group: group.place }),
  state: effect(role.state, { group: group.place }),
  city: effect(role.city, { group: group.place }),
  cityInState: effect(role.cityInState, { group: group.place }),
  affineAction: effect(role.action, { affinity: level.full }),
  affineLocation: effect(role.location, { affinity: level.full }),
  affineTheme: effect(role.theme, { affinity: level.full }),
  affineMood: effect(role.mood, { affinity: level.full }),
  affineCategory: effect(role.category, { affinity: level.full }),
  /** For actions, locations, themes and moods that do not equal their field but occur in the narrative. */
  affinePhrase: effect(role.narrative, { affinity: level.half }),
  /** For lighting, effects and camera. */
  affineLookPhrase: effect(role.narrative, { affinity: level.full }),
};

/** A note: a term and its effect, packed into one small number above 0. */
export function packed(term: number, effect: Effect): number {
  return (term << codeBits) | effect;
}
export function termOf(note: number): number {
  return note >>> codeBits;
}
export function isOf(note: number, effect: Effect): boolean {
  return (note & ((1 << codeBits) - 1)) === effect;
}
/** The argument of the functions below. */
export function traitsOf(note: number): number {
  return traits[note & ((1 << codeBits) - 1)] ?? 0;
}
export function haveRole(traits: number, roles: number): boolean {
  return (traits & roles & ((1 << levelShift) - 1)) !== 0;
}
export function levelIn(traits: number): number {
  return (traits >>> levelShift) & twoBits;
}
/** 0 for effects that are not affinities. */
export function affinityLevelIn(traits: number): number {
  return (traits >>> affinityShift) & twoBits;
}
/** One of `group`. */
export function groupIn(traits: number): number {
  return traits >>> groupShift;
}
