import { RecentMap } from "@diegetic/collections";
import type { Campaign } from "../../types/campaign.ts";
import { BlockChains } from "../storage/block-chains.ts";
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
const maxUnpacked = 1_000;
/** Bytes of text per campaign that is counted. */
const bytesPerUnpacked = 1 << 16;
/** Longer texts, in UTF-16 units, have memory of their own, which goes with them. */
const usualLength = 1 << 14;
/** A UTF-16 unit has at most so many bytes in UTF-8. */
const bytesPerUnit = 3;
const separatorByte = partSeparator.charCodeAt(0);

/**
 * Whole campaigns, by document id, as bytes outside of the heap, where garbage collection does not have to go through them: some
 * hundred thousand campaigns as objects would stop everything for tens of milliseconds. One is made an object only when
 * somebody asks for it, mostly because it has won.
 */
export class CampaignStore {
  /** Packed campaigns in UTF-8. */
  readonly #texts = new BlockChains();
  readonly #longTexts = new Map<number, Uint8Array>();
  #longBytes = 0;
  /** By document id: how long its text is, in bytes; 0 when it is empty. */
  readonly #byteLengths: number[] = [];
  /** By document id: the length of the part of its text that holds the ids, in bytes. */
  readonly #idsLengths: number[] = [];
  /** By document id: where its text is, unless that is a long one. */
  readonly #places: number[] = [];
  readonly #versions: number[] = [];
  readonly #areActive: boolean[] = [];
  readonly #unpacked = new RecentMap<number, Campaign>(maxUnpacked);
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  /** A text that is not a long one, while it is written or read. */
  readonly #usual = new Uint8Array(usualLength * bytesPerUnit);

  /** Memory that texts take outside of the heap, with what is free for others. */
  get byteLength(): number {
    return this.#texts.byteLength + this.#longBytes;
  }

  /** Puts a campaign at a document id that is free; it is not looked at again. Fields that `Campaign` does not name are left out. */
  put(documentId: number, campaign: Campaign): void {
    const text = packCampaign(campaign);
    if (text.length > usualLength) {
      const bytes = this.#encoder.encode(text);
      this.#longTexts.set(documentId, bytes);
      this.#longBytes += bytes.length;
      this.#byteLengths[documentId] = bytes.length;
      this.#idsLengths[documentId] = bytes.indexOf(separatorByte);
    } else {
      const { written } = this.#encoder.encodeInto(text, this.#usual);
      this.#places[documentId] = this.#texts.put(this.#usual.subarray(0, written));
      this.#byteLengths[documentId] = written;
      this.#idsLengths[documentId] = this.#usual.indexOf(separatorByte);
    }
    this.#versions[documentId] = campaign.version;
    this.#areActive[documentId] = campaign.status === "active";
  }

  /** Frees a document id that has a campaign. */
  remove(documentId: number): void {
    const length = this.#lengthAt(documentId);
    if (this.#longTexts.delete(documentId)) this.#longBytes -= length;
    else this.#texts.remove(this.#placeAt(documentId));
    this.#byteLengths[documentId] = 0;
    this.#unpacked.delete(documentId);
  }

  /** The campaign at a document id, which has won: it is kept as an object. It may be given to others, too: it must not be changed. */
  get(documentId: number): Campaign {
    const known = this.#unpacked.get(documentId);
    if (known !== undefined) return known;
    const campaign = this.#read(documentId);
    this.#unpacked.set(documentId, campaign, Math.ceil(this.#lengthAt(documentId) / bytesPerUnpacked));
    return campaign;
  }

  /** The same for callers that have not drawn the campaign: it takes the place of no winner. */
  peek(documentId: number): Campaign {
    return this.#unpacked.get(documentId) ?? this.#read(documentId);
  }

  /** The ids alone: the cost does not depend on the length of the campaign's texts. */
  idsAt(documentId: number): CampaignIds {
    this.#lengthAt(documentId);
    return unpackIds(this.#decode(documentId, this.#idsLengths[documentId] ?? 0));
  }

  versionOf(documentId: number): number {
    this.#lengthAt(documentId);
    return this.#versions[documentId] ?? 0;
  }

  isActive(documentId: number): boolean {
    this.#lengthAt(documentId);
    return this.#areActive[documentId] ?? false;
  }

  #read(documentId: number): Campaign {
    return unpackCampaign(this.#decode(documentId, this.#lengthAt(documentId)));
  }

  /** The first bytes of the text at a document id. */
  #decode(documentId: number, length: number): string {
    const long = this.#longTexts.get(documentId);
    if (long !== undefined) return this.#decoder.decode(long.subarray(0, length));
    const bytes = this.#usual.subarray(0, length);
    this.#texts.read(this.#placeAt(documentId), bytes);
    return this.#decoder.decode(bytes);
  }

  #placeAt(documentId: number): number {
    const place = this.#places[documentId];
    if (place === undefined) throw new RangeError(`document ${documentId} has no place`);
    return place;
  }

  /** Throws when the document id is empty. */
  #lengthAt(documentId: number): number {
    const length = this.#byteLengths[documentId] ?? 0;
    if (length === 0) throw new RangeError(`document ${documentId} is empty`);
    return length;
  }
}
