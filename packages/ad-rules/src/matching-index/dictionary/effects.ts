import { signatureKinds } from "./signature.ts";

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

const anyTerm = role.theme | role.category | role.location | role.mood | role.action;

/**
 * How a text activates a term: when it occurs in one of `roles`, it sets the term's flag to `level`. In names with
 * "Phrase", the text is a phrase that is searched for; otherwise it is a value that is compared.
 */
export const effects = {
  tag: { code: 22, roles: anyTerm, level: level.half },
  tagPhrase: { code: 1, roles: role.narrative, level: level.half },
  /** For tags whose phrase differs from the compared value. */
  otherTagPhrase: { code: 2, roles: role.narrative, level: level.half },
  targetCategory: { code: 3, roles: role.openCategory, level: level.half },
  blockedTheme: { code: 4, roles: role.theme, level: level.half },
  blockedCategory: { code: 5, roles: role.category, level: level.half },
  blockedAction: { code: 6, roles: role.action, level: level.half },
  blockedGame: { code: 7, roles: role.game, level: level.half },
  keywordPhrase: { code: 8, roles: role.anyText, level: level.half },
  /** `advertiser` and `ownCategory`: what a placement can block a campaign by. */
  advertiser: { code: 9, roles: role.blockedAdvertiser, level: level.half },
  ownCategory: { code: 10, roles: role.blockedCategory, level: level.half },
  country: { code: 11, roles: role.country, level: level.half },
  state: { code: 12, roles: role.state, level: level.half },
  city: { code: 13, roles: role.city, level: level.half },
  cityInState: { code: 14, roles: role.cityInState, level: level.half },
  affineAction: { code: 15, roles: role.action, level: level.full },
  affineLocation: { code: 16, roles: role.location, level: level.full },
  affineTheme: { code: 17, roles: role.theme, level: level.full },
  affineMood: { code: 18, roles: role.mood, level: level.full },
  affineCategory: { code: 19, roles: role.category, level: level.full },
  /** For actions, locations, themes and moods that do not equal their field but occur in the narrative. */
  affinePhrase: { code: 20, roles: role.narrative, level: level.half },
  /** For lighting, effects and camera. */
  affineLookPhrase: { code: 21, roles: role.narrative, level: level.full },
} as const;

export type Effect = (typeof effects)[keyof typeof effects];

const affinities: readonly Effect[] = [
  effects.affineAction,
  effects.affineLocation,
  effects.affineTheme,
  effects.affineMood,
  effects.affineCategory,
  effects.affinePhrase,
  effects.affineLookPhrase,
];
const places: readonly Effect[] = [effects.country, effects.state, effects.city, effects.cityInState];
const tags: readonly Effect[] = [effects.tag, effects.tagPhrase, effects.otherTagPhrase];

const codeBits = 5;
/** By code, packed into one number: roles, level, affinity level, and signature kind (signature.ts). */
const traits = new Int32Array(1 << codeBits);
const levelShift = 16;
const affinityShift = 18;
const kindShift = 20;
const twoBits = 3;
for (const effect of Object.values(effects)) {
  const affinityLevel = affinities.includes(effect) ? effect.level : level.none;
  const kind = signatureKindOf(effect);
  traits[effect.code] =
    effect.roles | (effect.level << levelShift) | (affinityLevel << affinityShift) | (kind << kindShift);
}

function signatureKindOf(effect: Effect): number {
  if (effect === effects.targetCategory) return signatureKinds.category;
  if (places.includes(effect)) return signatureKinds.place;
  return tags.includes(effect) ? signatureKinds.tag : signatureKinds.none;
}

/** A note: a term and the code of its effect, packed into one small number. */
export function packed(term: number, { code }: Effect): number {
  return (term << codeBits) | code;
}
export function termOf(note: number): number {
  return note >>> codeBits;
}
export function isOf(note: number, { code }: Effect): boolean {
  return (note & ((1 << codeBits) - 1)) === code;
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
/** One of `signatureKinds`. */
export function signatureKindIn(traits: number): number {
  return traits >>> kindShift;
}
