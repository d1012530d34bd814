import {
  type CampaignStatus,
  type CreativeCreate,
  type CreativePatch,
  type CreativeType,
  DEFAULT_TONE,
  lastCreative,
  MAX_CREATIVE_TEXT_BYTES,
  MAX_USES_PER_GAME,
  type Tone,
  tooMuchText,
  withoutHook,
} from "@diegetic/contracts";
import { orDefault, sentFields } from "../shared/patch.ts";

/** Settings that an advertiser chooses; the type is fixed at creation. */
export interface CreativeSettings {
  brandName: string;
  productName: string | null;
  tagline: string | null;
  narrativeHook: string | null;
  altHooks: string[];
  tone: Tone;
  maxUsesPerGame: number;
}

export interface Creative extends CreativeSettings {
  id: string;
  campaignId: string;
  creativeType: CreativeType;
  impressions: number;
  createdAt: Date;
}

/** The settings of a new creative, with defaults. */
export function settingsOfNewCreative(request: CreativeCreate): CreativeSettings {
  return {
    brandName: request.brand_name,
    productName: request.product_name ?? null,
    tagline: request.tagline ?? null,
    narrativeHook: request.narrative_hook ?? null,
    altHooks: request.alt_hooks ?? [],
    tone: request.tone ?? DEFAULT_TONE,
    maxUsesPerGame: request.max_uses_per_game ?? MAX_USES_PER_GAME.default,
  };
}

/**
 * The settings in a PATCH; null clears, or restores the default. Throws InvalidInput (400) for a narrative hook without
 * text.
 */
export function changedSettings(
  patch: CreativePatch,
  { creativeType }: Pick<Creative, "creativeType">,
): Partial<CreativeSettings> {
  if (patch.narrative_hook === null && creativeType === "narrative_hook") {
    throw withoutHook.error(", but null was sent");
  }
  return sentFields({
    brandName: patch.brand_name,
    productName: patch.product_name,
    tagline: patch.tagline,
    narrativeHook: patch.narrative_hook,
    altHooks: orDefault(patch.alt_hooks, []),
    tone: orDefault(patch.tone, DEFAULT_TONE),
    maxUsesPerGame: orDefault(patch.max_uses_per_game, MAX_USES_PER_GAME.default),
  });
}

type Texts = Pick<CreativeSettings, "brandName" | "productName" | "tagline" | "narrativeHook" | "altHooks">;

function textsOf({ brandName, productName, tagline, narrativeHook, altHooks }: Texts): string[] {
  return [brandName, productName ?? "", tagline ?? "", narrativeHook ?? "", ...altHooks];
}

/** UTF-8 bytes of all texts of a creative. */
export function textBytes(creative: Texts): number {
  return textsOf(creative).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Bytes of the same texts as published: JSON escapes quotation marks and control characters. */
export function publishedTextBytes(creative: Texts): number {
  return Buffer.byteLength(JSON.stringify(textsOf(creative)));
}

/** Throws InvalidInput (422) when the texts of a creative are too long in total. */
export function requireTextFits(creative: CreativeSettings): void {
  if (textBytes(creative) <= MAX_CREATIVE_TEXT_BYTES) return;
  throw tooMuchText.error();
}

/** Throws 409 for the last creative of an active campaign. */
export function requireDeletable(status: CampaignStatus, creatives: number): void {
  if (status === "active" && creatives <= 1) throw lastCreative.error();
}
