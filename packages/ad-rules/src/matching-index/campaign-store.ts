import { RecentMap } from "@diegetic/collections";
import type { Campaign } from "../types/campaign.ts";
import { BlockChains } from "./block-chains.ts";
import {
  type CampaignIds,
  packCampaign,
  partSeparator,
  unpackCampaign,
  unpackIds,
} from "./packed-campaign.ts";

/**
 * So many campaigns are kept as objects: those that win over and over are read once. One with much text counts as several,
 * so that they are bounded by their size, too.
 */
const mostUnpacked = 1_000;
/** Bytes of text per campaign that is counted. */
const bytesPerUnpacked = 1 << 16;
/** Longer texts, in UTF-16 units, have memory of their own, which goes with them. */
const usualLength = 1 << 14;
/** A UTF-16 unit has at most so many bytes in UTF-8. */
const bytesPerUnit = 3;
const separatorByte = partSeparator.charCodeAt(0);

/**
 * Whole campaigns, by slot, as bytes outside of the heap, where garbage collection does not have to go through them: some
 * hundred thousand campaigns as objects would stop everything for tens of milliseconds. One is made an object only when
 * somebody asks for it, mostly because it has won.
 */
export class CampaignStore {
  /** Packed campaigns in UTF-8. */
  readonly #texts = new BlockChains();
  readonly #longTexts = new Map<number, Uint8Array>();
  #longBytes = 0;
  /** By slot: how long its text is, in bytes; 0 when it is empty. */
  readonly #byteLengths: number[] = [];
  /** By slot: the length of the part of its text that holds the ids, in bytes. */
  readonly #idsLengths: number[] = [];
  /** By slot: where its text is, unless that is a long one. */
  readonly #places: number[] = [];
  readonly #versions: number[] = [];
  readonly #areActive: boolean[] = [];
  readonly #unpacked = new RecentMap<number, Campaign>(mostUnpacked);
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  /** A text that is not a long one, while it is written or read. */
  readonly #usual = new Uint8Array(usualLength * bytesPerUnit);

  /** Memory that texts take outside of the heap, with what is free for others. */
  get byteLength(): number {
    return this.#texts.byteLength + this.#longBytes;
  }

  /** Puts a campaign at a slot that is free; it is not looked at again. Fields that `Campaign` does not name are left out. */
  put(slot: number, campaign: Campaign): void {
    const text = packCampaign(campaign);
    if (text.length > usualLength) {
      const bytes = this.#encoder.encode(text);
      this.#longTexts.set(slot, bytes);
      this.#longBytes += bytes.length;
      this.#byteLengths[slot] = bytes.length;
      this.#idsLengths[slot] = bytes.indexOf(separatorByte);
    } else {
      const { written } = this.#encoder.encodeInto(text, this.#usual);
      this.#places[slot] = this.#texts.put(this.#usual.subarray(0, written));
      this.#byteLengths[slot] = written;
      this.#idsLengths[slot] = this.#usual.indexOf(separatorByte);
    }
    this.#versions[slot] = campaign.version;
    this.#areActive[slot] = campaign.status === "active";
  }

  /** Frees a slot that has a campaign. */
  remove(slot: number): void {
    const length = this.#lengthAt(slot);
    if (this.#longTexts.delete(slot)) this.#longBytes -= length;
    else this.#texts.remove(this.#placeAt(slot));
    this.#byteLengths[slot] = 0;
    this.#unpacked.delete(slot);
  }

  /** The campaign at a slot, which has won: it is kept as an object. It may be given to others, too: it must not be changed. */
  get(slot: number): Campaign {
    const known = this.#unpacked.get(slot);
    if (known !== undefined) return known;
    const campaign = this.#read(slot);
    this.#unpacked.set(slot, campaign, Math.ceil(this.#lengthAt(slot) / bytesPerUnpacked));
    return campaign;
  }

  /** The same for callers that have not drawn the campaign: it takes the place of no winner. */
  peek(slot: number): Campaign {
    return this.#unpacked.get(slot) ?? this.#read(slot);
  }

  /** The ids alone: the cost does not depend on the length of the campaign's texts. */
  idsAt(slot: number): CampaignIds {
    this.#lengthAt(slot);
    return unpackIds(this.#decode(slot, this.#idsLengths[slot] ?? 0));
  }

  versionOf(slot: number): number {
    this.#lengthAt(slot);
    return this.#versions[slot] ?? 0;
  }

  isActive(slot: number): boolean {
    this.#lengthAt(slot);
    return this.#areActive[slot] ?? false;
  }

  #read(slot: number): Campaign {
    return unpackCampaign(this.#decode(slot, this.#lengthAt(slot)));
  }

  /** The first bytes of the text at a slot. */
  #decode(slot: number, length: number): string {
    const long = this.#longTexts.get(slot);
    if (long !== undefined) return this.#decoder.decode(long.subarray(0, length));
    const bytes = this.#usual.subarray(0, length);
    this.#texts.read(this.#placeAt(slot), bytes);
    return this.#decoder.decode(bytes);
  }

  #placeAt(slot: number): number {
    const place = this.#places[slot];
    if (place === undefined) throw new RangeError(`slot ${slot} has no place`);
    return place;
  }

  /** Throws when the slot is empty. */
  #lengthAt(slot: number): number {
    const length = this.#byteLengths[slot] ?? 0;
    if (length === 0) throw new RangeError(`slot ${slot} is empty`);
    return length;
  }
}
